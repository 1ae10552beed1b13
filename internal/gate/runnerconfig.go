package gate

import (
	"path"
	"slices"
	"strings"
)

// config is a file, or a part of one, that tells a runner what to run.
type config struct {
	runner  string
	files   []string // base name patterns
	section string   // prefix of the sections that count; empty: the whole file
}

var configs = []config{
	{"vitest", []string{"vitest.config.*", "vitest.workspace.*", "vite.config.*"}, ""},
	{"jest", []string{"jest.config.*", "jest.setup.*"}, ""},
	{"mocha", []string{".mocharc*"}, ""},
	{"playwright", []string{"playwright.config.*"}, ""},
	{"ava", []string{"ava.config.*"}, ""},
	{"pytest", []string{"pytest.ini", ".pytest.ini"}, ""},
	{"pytest", []string{"pyproject.toml"}, "tool.pytest"},
	{"pytest", []string{"setup.cfg"}, "tool:pytest"},
	{"pytest", []string{"tox.ini"}, "pytest"},
	{"tox", []string{"tox.ini"}, "testenv"},
	{"cargo test", []string{"Cargo.toml"}, "test"},
	{"cargo test", []string{"Cargo.toml"}, "lib"},
}

// openers start other programs by names that stand elsewhere, so that any
// runner may be behind them.
var openers = []string{"npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "task", "tox", "nox", "rake", "turbo", "nx"}

// runnerConfig names the runners that the lines run and whose configuration differs.
func runnerConfig(file string, before, after []byte, cmds [][]string) []string {
	var found []string
	base := path.Base(file)
	for _, c := range configs {
		if !slices.ContainsFunc(c.files, func(p string) bool { ok, _ := path.Match(p, base); return ok }) || !runs(cmds, c.runner) {
			continue
		}
		if strings.HasPrefix(base, "vite.config") && !strings.Contains(string(before)+string(after), "test:") {
			continue // an application's build, with no word to the runner
		}
		if c.section == "" || sections(before, c.section) != sections(after, c.section) {
			found = append(found, "the "+c.runner+" configuration")
		}
	}
	return found
}

// runs reports whether a command is the runner, or may start it.
func runs(cmds [][]string, runner string) bool {
	return slices.ContainsFunc(cmds, func(words []string) bool {
		prog := path.Base(words[0])
		return prog == runner || runnerOf(words) == runner || slices.Contains(openers, prog)
	})
}

// sections are the parts of an INI or TOML file whose heading begins with a
// prefix, joined, without comments and blank lines.
func sections(data []byte, prefix string) string {
	var b strings.Builder
	in := false
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			heading := strings.Trim(line, "[] \t")
			in = heading == prefix || strings.HasPrefix(heading, prefix+".") || strings.HasPrefix(heading, prefix+":")
		}
		if in && line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ";") {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
