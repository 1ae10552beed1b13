package strictyaml

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var saidLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax gives the parser's fault its place, and names a tab for what it is:
// the parser speaks of a character that cannot start a token.
func syntax(file string, data []byte, err error) *Error {
	said := err.Error()
	e := &Error{File: file, Line: 1, Col: 1, Why: "this is not YAML: " + saidLine.ReplaceAllString(said, "")}
	if m := saidLine.FindStringSubmatch(said); m != nil && m[1] != "" { // it names no line when that is the first
		n, _ := strconv.Atoi(m[1])
		e.Line = max(n, 1)
	}
	lines := strings.Split(string(data), "\n")
	// Its line may be the one before or after: it counts from 0 in some places.
	for _, n := range []int{e.Line, e.Line + 1, e.Line - 1} {
		if n < 1 || n > len(lines) {
			continue
		}
		indent := lines[n-1][:len(lines[n-1])-len(strings.TrimLeft(lines[n-1], " \t"))]
		if at := strings.IndexByte(indent, '\t'); at >= 0 {
			e.Line, e.Col = n, at+1
			e.Why, e.Hint = "a tab stands in the indentation", "indent with spaces"
			return e
		}
	}
	return e
}

// letters asks that the file is UTF-8 without control characters: the parser
// refuses both, and cannot say where.
func letters(file string, data []byte) error {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		why := ""
		switch {
		case r == utf8.RuneError && size <= 1:
			why = fmt.Sprintf("the byte 0x%02x is not UTF-8", data[at])
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r >= 0x7f && r < 0xa0 && r != 0x85:
			why = fmt.Sprintf("the control character U+%04X stands in the file", r)
		}
		if why != "" {
			line := bytes.Count(data[:at], []byte("\n")) + 1
			col := utf8.RuneCount(data[bytes.LastIndexByte(data[:at], '\n')+1:at]) + 1
			return &Error{File: file, Line: line, Col: col, Why: why, Hint: "save the file as UTF-8 text"}
		}
		at += size
	}
	return nil
}
