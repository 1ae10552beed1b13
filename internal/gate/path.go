package gate

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoted is a path as a sentence names it: as it is, or quoted where it holds what would
// break the sentence or be taken for another path. Paths are bytes, and a reason is one
// line of text.
func quoted(path string) string {
	odd := func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) }
	if utf8.ValidString(path) && !strings.ContainsFunc(path, odd) {
		return path
	}
	return strconv.Quote(path)
}

func allQuoted(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = quoted(p)
	}
	return out
}
