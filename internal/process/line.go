package process

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	lastLimit = 500     // bytes of a last line that are shown
	lineLimit = 4 << 20 // bytes of a line that are looked at for the last word
)

// escapes are the terminal's: CSI, OSC and its kin with their end, and two-byte ones.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]?")

// LastLine is the last line of a text that has something to read in it: no escapes
// and no control characters, at most 500 bytes, whole runes. A progress bar's carriage
// returns separate lines too.
func LastLine(text []byte) string {
	for len(text) > 0 {
		line := text
		if i := bytes.LastIndexAny(text, "\n\r"); i >= 0 {
			text, line = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if s := Plain(line); s != "" {
			return shorten(s)
		}
	}
	return ""
}

// Plain is a line as it may be shown: without escapes, control characters, and space
// around it; what is no UTF-8 is a question mark.
func Plain(line []byte) string {
	if len(line) > lineLimit {
		line = line[:lineLimit]
	}
	s := escapes.ReplaceAllString(strings.ToValidUTF8(string(line), "?"), "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return -1
	}, s))
}

// shorten cuts at a rune's end.
func shorten(s string) string {
	if len(s) <= lastLimit {
		return s
	}
	n := lastLimit - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// lines cuts a stream into lines; one that is longer than the limit is passed over.
type lines struct {
	part []byte
	over bool
}

// each hands f every line that p completes and that has something in it.
func (l *lines) each(p []byte, f func([]byte)) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.add(p)
			return
		}
		l.add(p[:i])
		line, over := bytes.TrimSpace(l.part), l.over
		l.part, l.over = nil, false
		if !over && len(line) > 0 {
			f(line)
		}
		p = p[i+1:]
	}
}

func (l *lines) add(p []byte) {
	if l.over || len(l.part)+len(p) > lineLimit {
		l.part, l.over = nil, true
		return
	}
	l.part = append(l.part, p...)
}
