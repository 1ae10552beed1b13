package gate

import (
	"path"
	"slices"
	"strings"
)

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
