package view

import (
	"strings"
	"time"
	"unicode"
)

// Style is how text for people is printed.
type Style struct {
	Width int            // columns; 0 is 80
	ASCII bool           // the locale is not UTF-8
	Color bool           // on a terminal that wants it
	Zone  *time.Location // of times; nil is UTC
	Below bool           // the command runs below the work tree's top
}

// plainly downgrades what torve itself prints beyond ASCII; a title stays what it is.
var plainly = strings.NewReplacer("…", "...", "→", "->", "·", "-")

// fromTop lets git find torve's folder from wherever in the work tree a command is pasted.
var fromTop = strings.NewReplacer("git add .torve ", "git add :/.torve ", " -- .torve/", " -- :/.torve/", "git rm -r .torve/", "git rm -r :/.torve/")

// Print gives a finished text as the locale can show it, its commands as they work here.
func (s Style) Print(text string) string {
	if s.Below {
		text = fromTop.Replace(text)
	}
	if s.ASCII {
		return plainly.Replace(text)
	}
	return text
}

// tones colours words by what they say, in the order in which they are looked for.
var tones = []struct{ word, code string }{
	{"landed", "32"}, {"accepted", "32"}, {"yes", "32"}, {"holds", "32"},
	{"needs you", "33"}, {"refused, needs you", "31"}, {"refused", "31"}, {"no", "31"}, {"broken", "31"}, {"red", "31"}, {"FAILS", "31"},
	{"blocked", "33"}, {"ended", "33"}, {"retry", "33"}, {"limit", "33"}, {"held", "33"}, {"stopped", "33"},
	{"running", "36"}, {"waits", "2"}, {"base", "2"},
}

// Paint colours a state word, which may have blanks around it or more behind it.
func (s Style) Paint(text string) string {
	if !s.Color {
		return text
	}
	word := strings.TrimLeft(text, " ")
	for _, t := range tones {
		if rest, ok := strings.CutPrefix(word, t.word); ok && (rest == "" || !unicode.IsLetter(rune(rest[0]))) {
			return "\x1b[" + t.code + "m" + text + "\x1b[0m"
		}
	}
	return text
}

// Bold is a heading.
func (s Style) Bold(text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// Cut shortens a text to a width, with an ellipsis; it is on one line and clean.
func (s Style) Cut(text string, most int) string {
	text = clean(text)
	if Width(text) <= most {
		return text
	}
	ellipsis := 1
	if s.ASCII {
		ellipsis = 3
	}
	w := 0
	for i, r := range text {
		if w+runeWidth(r) > most-ellipsis {
			return strings.TrimRight(text[:i], " ") + "…"
		}
		w += runeWidth(r)
	}
	return text
}

// Pad cuts or fills a text to a width.
func (s Style) Pad(text string, to int) string {
	text = s.Cut(text, to)
	shown := Width(text)
	if s.ASCII && strings.HasSuffix(text, "…") {
		shown += 2
	}
	return text + strings.Repeat(" ", max(0, to-shown))
}

// Lines wraps a text behind a lead; what follows the first line is indented. A word that
// is wider than the line stands alone.
func (s Style) Lines(lead, text string, indent int) []string {
	var out []string
	line := lead
	start := true // nothing of the text is on the line yet
	at := max(Width(lead), indent)
	for _, word := range strings.Fields(clean(text)) {
		if !start && at+1+Width(word) > s.Width {
			out = append(out, line)
			line, at, start = strings.Repeat(" ", indent), indent, true
		}
		if !start {
			line, at = line+" ", at+1
		}
		line, at, start = line+word, at+Width(word), false
	}
	return append(out, strings.TrimRight(line, " "))
}

// When is a time as near as it has to be: 02:31 today, else 2 Dec 02:31, else 14 Mar 2024.
func (s Style) When(t, now time.Time) string {
	t, now = t.In(s.Zone), now.In(s.Zone)
	switch {
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

// soon says times as When does, seen from now.
func (s Style) soon(now time.Time) func(time.Time) string {
	return func(t time.Time) string { return s.When(t, now) }
}

// Until is a time to come, with the zone: 05:10 CET, else 2 Dec 05:10 CET.
func (s Style) Until(t, now time.Time) string {
	zone, _ := t.In(s.Zone).Zone()
	return s.When(t, now) + " " + zone
}
