package gate

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// Scripts names what the acceptance lines run and a change of this file gives
// another meaning: "scripts.test" of a package.json, "target check" of a
// Makefile, the configuration of a runner, or a script that a line starts. The
// file is given as it was and as it is; nil is a file that is not there.
func Scripts(file string, before, after []byte, lines []string) []string {
	if bytes.Equal(before, after) || !Tells(file, lines) {
		return nil
	}
	cmds := commandsOf(lines)
	var found []string
	switch base := path.Base(file); {
	case base == "package.json":
		found = packageScripts(before, after, cmds)
	case makefile(base):
		found = makeTargets(before, after, cmds)
	}
	found = append(found, runnerConfig(file, before, after, cmds)...)
	if startedBy(file, cmds) {
		found = append(found, "what it does")
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Tells reports whether the content of a file of that name may say what the lines run:
// that of every other one need not be read for Scripts.
func Tells(file string, lines []string) bool {
	base := path.Base(file)
	named := func(p string) bool { ok, _ := path.Match(p, base); return ok }
	return base == "package.json" || makefile(base) || startedBy(file, commandsOf(lines)) ||
		slices.ContainsFunc(configs, func(c config) bool { return slices.ContainsFunc(c.files, named) })
}

func commandsOf(lines []string) (cmds [][]string) {
	for _, line := range lines {
		cmds = append(cmds, commands(line)...)
	}
	return cmds
}

type packageFile struct {
	Scripts map[string]string          `json:"scripts"`
	Rest    map[string]json.RawMessage `json:"-"`
}

// readPackage reads a package.json; ok is false when it cannot be read.
func readPackage(data []byte) (p packageFile, ok bool) {
	if len(data) == 0 {
		return p, true
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	return p, json.Unmarshal(data, &p) == nil && json.Unmarshal(data, &p.Rest) == nil
}

// packageScripts are the scripts that the lines reach, by name and through one
// another, and that differ.
func packageScripts(before, after []byte, cmds [][]string) []string {
	was, ok1 := readPackage(before)
	now, ok2 := readPackage(after)
	var changed []string
	for name := range reachable(cmds, was.Scripts, now.Scripts) {
		if was.Scripts[name] != now.Scripts[name] || !(ok1 && ok2) {
			changed = append(changed, "scripts."+name)
		}
	}
	for _, key := range []string{"jest", "vitest", "mocha", "ava"} {
		if runs(cmds, key) && !bytes.Equal(was.Rest[key], now.Rest[key]) {
			changed = append(changed, "the "+key+" configuration")
		}
	}
	return changed
}

// reachable closes the script names over both versions: what a line names, its
// pre and post hooks, and what their bodies name.
func reachable(cmds [][]string, versions ...map[string]string) map[string]bool {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, scripts := range versions {
			for _, hook := range []string{"pre" + name, "post" + name} {
				if _, there := scripts[hook]; there {
					visit(hook)
				}
			}
			for _, words := range commands(scripts[name]) {
				for _, next := range scriptNames(words, scripts) {
					visit(next)
				}
			}
		}
	}
	for _, words := range cmds {
		for _, scripts := range versions {
			for _, name := range scriptNames(words, scripts) {
				visit(name)
			}
		}
	}
	return seen
}

var (
	npmTest     = []string{"test", "t", "tst"}
	npmRun      = []string{"run", "run-script", "rum", "urn"}
	npmInstalls = []string{"install", "i", "ci", "add", "clean-install"}
)

// scriptNames are the scripts of a package.json that one command runs.
func scriptNames(words []string, scripts map[string]string) []string {
	switch prog := path.Base(words[0]); prog {
	case "npm", "pnpm", "yarn", "bun":
		return npmNames(words[1:], scripts)
	case "npm-run-all", "npm-run-all2", "run-s", "run-p", "turbo", "lerna", "nx", "wireit", "concurrently":
		return known(words[1:], scripts)
	case "node":
		if i := slices.Index(words, "--run"); i >= 0 && i+1 < len(words) {
			return words[i+1 : i+2]
		}
		for _, w := range words {
			if name, ok := strings.CutPrefix(w, "--run="); ok {
				return []string{name}
			}
		}
	}
	return nil
}

func npmNames(words []string, scripts map[string]string) []string {
	for i, w := range words {
		switch {
		case strings.HasPrefix(w, "-"):
			continue
		case slices.Contains(npmTest, w):
			return []string{"test"}
		case w == "start" || w == "stop" || w == "restart":
			return []string{w}
		case slices.Contains(npmInstalls, w):
			return []string{"preinstall", "install", "postinstall", "prepare"}
		case slices.Contains(npmRun, w):
			if rest := skipFlags(words[i+1:]); len(rest) > 0 {
				return rest[:1]
			}
			return nil
		}
		if _, there := scripts[w]; there {
			return []string{w}
		}
	}
	return nil
}

// known picks the words that are scripts, a trailing * standing for any ending.
func known(words []string, scripts map[string]string) []string {
	var names []string
	for _, w := range words {
		prefix, any := strings.CutSuffix(w, "*")
		for name := range scripts {
			if name == w || any && strings.HasPrefix(name, prefix) || strings.HasSuffix(w, ":"+name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// startedBy reports whether a command starts the file itself, by name or through
// an interpreter.
func startedBy(file string, cmds [][]string) bool {
	if IsTest(file) {
		return false
	}
	for _, words := range cmds {
		if isFile(words[0], file) {
			return true
		}
		if interpreters[strings.TrimRight(path.Base(words[0]), "0123456789.")] {
			if rest := skipFlags(words[1:]); len(rest) > 0 && isFile(rest[0], file) {
				return true
			}
		}
	}
	return false
}

var interpreters = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "python": true, "node": true, "ruby": true, "perl": true, "php": true, ".": true, "source": true, "": true,
}

func isFile(word, file string) bool {
	return strings.Contains(word, "/") && path.Clean(word) == file || path.Clean(word) == file && strings.Contains(file, ".")
}

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
