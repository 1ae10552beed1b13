package gate

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Runner names the test runner that a shell line starts: go test, pytest,
// vitest, jest, cargo test or node --test. Of others ok is false.
func Runner(line string) (name string, ok bool) {
	for _, words := range commands(line) {
		if name := runnerOf(words); name != "" {
			return name, true
		}
	}
	return "", false
}

func runnerOf(words []string) string {
	switch prog := path.Base(words[0]); {
	case prog == "go" && subcommand(words[1:]) == "test":
		return "go test"
	case prog == "pytest" || prog == "py.test" || strings.HasPrefix(prog, "python") && moduleOf(words) == "pytest":
		return "pytest"
	case prog == "vitest" || prog == "jest":
		return prog
	case prog == "cargo" && subcommand(words[1:]) == "test":
		return "cargo test"
	case prog == "node" && slices.Contains(words, "--test"):
		return "node --test"
	}
	return ""
}

// subcommand is the first word that is no flag, toolchain or value of -C.
func subcommand(words []string) string {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C":
			i++
		case !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+"):
			return w
		}
	}
	return ""
}

func moduleOf(words []string) string {
	if i := slices.Index(words, "-m"); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// CountTests says how many tests ran, from what a line's runner printed; -1 when
// the runner is not known or did not say. Tests that were skipped did not run.
func CountTests(line string, output []byte) int {
	name, ok := Runner(line)
	if !ok {
		return -1
	}
	return counters[name](stripColour(string(output)))
}

var counters = map[string]func(string) int{
	"go test":     countGo,
	"pytest":      countPytest,
	"vitest":      func(s string) int { return countSummary(s, vitestLine, vitestNone) },
	"jest":        func(s string) int { return countSummary(s, jestLine, jestNone) },
	"cargo test":  func(s string) int { return countSummary(s, cargoLine, nil) },
	"node --test": func(s string) int { return countSummary(s, nodeLine, nil) },
}

var colour = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

func stripColour(s string) string {
	if !strings.ContainsRune(s, 0x1b) {
		return s
	}
	return colour.ReplaceAllString(s, "")
}

// countGo counts what go test says with -v or -json. Without them it says only
// whether any test ran: then the number is not known, or it is none.
func countGo(s string) int {
	verbose, told, none, ok := 0, false, false, false
	for line := range strings.SplitSeq(s, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "--- PASS: ") || strings.HasPrefix(trimmed, "--- FAIL: "):
			told = true
			if trimmed == strings.TrimRight(line, "\r") {
				verbose++ // a subtest is indented
			}
		case strings.HasPrefix(trimmed, `{"`):
			ran, read := goEvent(trimmed)
			told = told || read
			verbose += ran
		case strings.Contains(line, "[no test files]") || strings.Contains(line, "[no tests to run]") ||
			strings.Contains(line, "no packages to test") || strings.Contains(line, "matched no packages"):
			none = true
		case strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t"):
			ok = true
		}
	}
	switch {
	case told && verbose > 0:
		return verbose
	case ok || !none:
		return -1
	}
	return 0
}

// goEvent reads one line of go test -json: 1 for a top-level test that ran.
func goEvent(line string) (ran int, read bool) {
	var e struct{ Action, Test string }
	if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		return 0, false
	}
	if e.Test != "" && !strings.Contains(e.Test, "/") && (e.Action == "pass" || e.Action == "fail") {
		return 1, true
	}
	return 0, e.Test != ""
}

var (
	pytestLine = regexp.MustCompile(`(?m)^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+m?s?\b`)
	pytestNone = regexp.MustCompile(`(?m)\bno tests ran\b|^collected 0 items`)
	ranWord    = regexp.MustCompile(`(\d+) (passed|failed|xfailed|xpassed|errors?)\b`)

	vitestLine = regexp.MustCompile(`(?m)^\s*Tests\s+(.*)$`)
	vitestNone = regexp.MustCompile(`(?m)^No test files found`)
	jestLine   = regexp.MustCompile(`(?m)^Tests:\s+(.*)$`)
	jestNone   = regexp.MustCompile(`(?m)^No tests found`)
	cargoLine  = regexp.MustCompile(`(?m)^test result: \w+\. (\d+ passed; \d+ failed);`)
	nodeLine   = regexp.MustCompile(`(?m)^(?:#|ℹ) ((?:pass|fail) \d+)\s*$`)
	nodeWord   = regexp.MustCompile(`(?:pass|fail) (\d+)`)
)

func countPytest(s string) int {
	if n := countSummary(s, pytestLine, nil); n >= 0 {
		return n
	}
	if pytestNone.MatchString(s) {
		return 0
	}
	return -1
}

// countSummary adds up what a runner's summary lines say; without one it is 0
// where the runner says that there was nothing to run, else not known.
func countSummary(s string, summary, none *regexp.Regexp) int {
	found := summary.FindAllStringSubmatch(s, -1)
	if len(found) == 0 {
		if none != nil && none.MatchString(s) {
			return 0
		}
		return -1
	}
	n := 0
	for _, m := range found {
		word := ranWord
		if summary == nodeLine {
			word = nodeWord
		}
		for _, w := range word.FindAllStringSubmatch(m[1], -1) {
			k, err := strconv.Atoi(w[1])
			if err != nil || k > maxTests {
				return -1
			}
			n += k
		}
	}
	return n
}

// maxTests is more than any runner counts: a larger figure is no figure.
const maxTests = 1 << 30

// commands are the simple commands of a shell line, each as its words: without
// assignments before it and without what only wraps another program. It reads
// well enough to name programs and is no shell.
func commands(line string) [][]string {
	var all [][]string
	var words []string
	end := func() {
		if w := unwrapped(words); len(w) > 0 {
			all = append(all, w)
			if i := slices.Index(w, "-c"); i > 0 && i+1 < len(w) && strings.HasSuffix(path.Base(w[0]), "sh") && w[i+1] != line {
				all = append(all, commands(w[i+1])...)
			}
		}
		words = nil
	}
	for _, t := range tokens(line) {
		if t.operator {
			end()
			continue
		}
		words = append(words, t.text)
	}
	end()
	return all
}

type token struct {
	text     string
	operator bool
}

// tokens splits a shell line into words and the operators between commands.
func tokens(line string) []token {
	var all []token
	var word strings.Builder
	in := false // a word has begun
	flush := func() {
		if in {
			all = append(all, token{text: word.String()})
		}
		word.Reset()
		in = false
	}
	quote := rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			in, escaped = true, false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, in = r, true
		case strings.ContainsRune("&|;()\n{}", r):
			flush()
			all = append(all, token{operator: true})
		case r == ' ' || r == '\t' || r == '\r':
			flush()
		default:
			word.WriteRune(r)
			in = true
		}
	}
	flush()
	return all
}

// wrappers run the program that their words name; the number is how many words
// of their own follow them.
var wrappers = map[string]int{
	"time": 0, "exec": 0, "env": 0, "nice": 0, "command": 0, "!": 0, "npx": 0, "bunx": 0, "cross-env": 0, "xvfb-run": 0,
	"timeout": 1, "then": 0, "do": 0, "if": 0,
}

// pairs are wrappers of two words.
var pairs = map[string][]string{
	"uv": {"run"}, "poetry": {"run"}, "pipenv": {"run"}, "hatch": {"run"}, "pdm": {"run"}, "rye": {"run"},
	"bundle": {"exec"}, "pnpm": {"exec", "dlx"}, "npm": {"exec", "x"}, "yarn": {"exec", "dlx"}, "mise": {"exec"},
}

func unwrapped(words []string) []string {
	for len(words) > 0 {
		first := path.Base(words[0])
		own, wraps := wrappers[first]
		switch {
		case assigns(words[0]):
			words = words[1:]
		case wraps:
			words = skipFlags(words[1:])
			words = words[min(own, len(words)):]
		case len(words) > 1 && slices.Contains(pairs[first], words[1]):
			words = skipFlags(words[2:])
		default:
			return words
		}
	}
	return nil
}

func skipFlags(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	return words
}

func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/-. ")
}
