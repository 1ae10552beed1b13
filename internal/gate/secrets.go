package gate

import (
	"math"
	"regexp"
	"strings"
	"unicode"
)

// detector finds one kind of secret. Its words are asked first, because a
// pattern over every added line would cost too much.
type detector struct {
	name  string
	words []string // one of them is in the line, in lower case
	re    *regexp.Regexp
	value int                     // which group is the value; 0 is the whole match
	real  func(value string) bool // whether the value can be one; nil: always
}

var detectors = []detector{
	{"aws access key", []string{"akia", "asia"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`), 0, notExample},
	{"github token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36,}\b`), 0, varied},
	{"github token", []string{"github_pat_"}, regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{50,}\b`), 0, varied},
	{"gitlab token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`), 0, varied},
	{"slack token", []string{"xox"}, regexp.MustCompile(`\bxox[abeoprs]-[0-9A-Za-z-]{16,}`), 0, varied},
	{"slack webhook", []string{"hooks.slack.com"}, regexp.MustCompile(`hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/([A-Za-z0-9]{20,})`), 1, varied},
	{"private key", []string{"private key"}, regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`), 0, nil},
	{"google api key", []string{"aiza"}, regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`), 0, varied},
	{"stripe key", []string{"k_live_"}, regexp.MustCompile(`\b[rs]k_live_[0-9A-Za-z]{20,}`), 0, varied},
	{"model provider key", []string{"sk-"}, regexp.MustCompile(`\bsk-(?:ant-|proj-)[A-Za-z0-9_-]{20,}`), 0, varied},
	{"npm token", []string{"npm_"}, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`), 0, varied},
	{"secret value", []string{"secret", "token", "passw", "key", "credential"},
		regexp.MustCompile(`(?i)(?:secret|token|passwd|password|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)[a-z0-9_-]*["']?\s*(?::=|=>|[:=])\s*["'` + "`" + `]([A-Za-z0-9+/_=.~-]{20,})["'` + "`" + `]`), 1, random},
}

// Secret finds the first added line that looks as if it held a secret: the kind
// and the line's number, never the value.
func Secret(lines []Line) (kind string, n int, found bool) {
	for _, line := range lines {
		low := strings.ToLower(line.Text)
		for _, d := range detectors {
			if d.finds(line.Text, low) {
				return d.name, line.N, true
			}
		}
	}
	return "", 0, false
}

func (d detector) finds(text, low string) bool {
	for _, w := range d.words {
		if !strings.Contains(low, w) {
			continue
		}
		for _, m := range d.re.FindAllStringSubmatch(text, -1) {
			if d.real == nil || d.real(m[d.value]) {
				return true
			}
		}
		return false
	}
	return false
}

// notExample lets through the key that the documentation of its maker prints.
func notExample(v string) bool { return !strings.HasSuffix(v, "EXAMPLE") && varied(v) }

// varied lets through what is typed to fill a place: xxxx…, 0000….
func varied(v string) bool { return entropy(v) >= 2.5 }

// random reports whether a value that is given to a secret's name is likely one:
// mixed letters and digits without an order, and no placeholder.
func random(v string) bool {
	low := strings.ToLower(v)
	for _, p := range []string{"example", "changeme", "placeholder", "dummy", "your", "test", "fake", "sample", "xxxx", "redacted"} {
		if strings.Contains(low, p) {
			return false
		}
	}
	digits := strings.ContainsFunc(v, unicode.IsDigit)
	letters := strings.ContainsFunc(v, unicode.IsLetter)
	return digits && letters && entropy(v) >= 3.7
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	var of [256]int
	for i := range len(s) {
		of[s[i]]++
	}
	h := 0.0
	for _, n := range of {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
