package board

import (
	"regexp"
	"strings"
)

// passing is what two runs of one failure say differently: a moment, a temporary path,
// a digest or an address, a time and a count. What a program exited with is none.
var passing = regexp.MustCompile(strings.Join([]string{
	`exited \d+\b`,
	`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| ?[+-]\d\d:?\d\d)?)?`,
	`[^\s'"(=]*/(?:tmp|temp|var/folders)/[^\s'"):,]*`,
	`\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b`,
	`\b0x[0-9a-fA-F]+\b`,
	`\b(?:[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]*|[0-9a-f]*[a-f][0-9a-f]*[0-9][0-9a-f]*)\b`,
	`\b(?:\d+(?:\.\d+)?(?:ns|µs|us|ms|h|m|s))+\b`,
	`\b\d+(?:[.,:]\d+)*\b`,
}, "|"))

// SameReason reports whether two reasons of one check are one failure: they are the same
// but for times, temporary paths, digests and counts.
func SameReason(a, b string) bool { return a == b || lasting(a) == lasting(b) }

// lasting is a reason without what passes.
func lasting(reason string) string {
	out := passing.ReplaceAllStringFunc(reason, func(s string) string {
		if strings.HasPrefix(s, "exited ") || digestless(s) {
			return s
		}
		return "#"
	})
	return strings.Join(strings.Fields(out), " ")
}

// digestless is a word of letters and digits that is too short for a digest: a1, 7b.
func digestless(s string) bool {
	return len(s) < 7 && strings.ContainsAny(s, "abcdef") && strings.ContainsAny(s, "0123456789") && !strings.HasPrefix(s, "0x")
}
