package view

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"torve/internal/carrier"
)

// Style is how an answer is printed.
type Style struct {
	Width int            // columns; 0 is 80
	ASCII bool           // the locale is not UTF-8
	Zone  *time.Location // of times; nil is UTC
}

// page collects the lines of one answer. What comes from files is cleaned of
// control characters, so that no title moves the cursor.
type page struct {
	Style
	b strings.Builder
}

func newPage(s Style) *page {
	if s.Width <= 0 {
		s.Width = 80
	}
	if s.Zone == nil {
		s.Zone = time.UTC
	}
	return &page{Style: s}
}

// to writes the page in one piece.
func (p *page) to(w io.Writer) error {
	text := p.b.String()
	if p.ASCII {
		text = strings.NewReplacer("…", "...", "→", "->", "·", "-").Replace(text)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

// line prints one line as it is, without blanks at its end.
func (p *page) line(format string, a ...any) {
	p.b.WriteString(strings.TrimRight(fmt.Sprintf(format, a...), " "))
	p.b.WriteByte('\n')
}

func (p *page) blank() { p.b.WriteByte('\n') }

// ends prints two texts, the second at the right edge, the first cut to fit.
func (p *page) ends(left, right string) {
	right = clean(right)
	left = p.cut(left, p.Width-width(right)-2)
	p.line("%s%s%s", left, strings.Repeat(" ", max(2, p.Width-width(left)-width(right))), right)
}

// field prints a label of ten columns and a text that is wrapped beside it.
func (p *page) field(label, text string) { p.wrapped(fmt.Sprintf("%-10s", label), text, 10) }

// wrapped prints a text after a lead, its further lines indented.
func (p *page) wrapped(lead, text string, indent int) {
	for i, l := range wrap(clean(text), p.Width-indent) {
		if i > 0 {
			lead = strings.Repeat(" ", indent)
		}
		p.line("%s%s", lead, l)
	}
}

// cut shortens a text to a width, with an ellipsis.
func (p *page) cut(s string, most int) string {
	s = clean(s)
	if width(s) <= most {
		return s
	}
	ellipsis := 1
	if p.ASCII {
		ellipsis = 3
	}
	w := 0
	for i, r := range s {
		if w+runeWidth(r) > most-ellipsis {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		w += runeWidth(r)
	}
	return s
}

// padded cuts or fills a text to a width.
func (p *page) padded(s string, to int) string {
	s = p.cut(s, to)
	shown := width(s)
	if p.ASCII && strings.HasSuffix(s, "…") {
		shown += 2
	}
	return s + strings.Repeat(" ", max(0, to-shown))
}

// clean is a text on one line without control characters.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.TrimSpace(s)
}

// width is how many columns a text takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is 2 for East Asian wide letters and pictures, 0 for combining marks.
func runeWidth(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) || r == 0x200d || r == 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// wrap breaks a text at blanks; a word that is too long stands alone.
func wrap(s string, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) > most:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// when is a time as near as it has to be: 02:31 today, else 2 Dec 02:31, else 14 Mar 2024.
func (p *page) when(t, now time.Time) string {
	t, now = t.In(p.Zone), now.In(p.Zone)
	switch {
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

// full is a time with its day, for what is read later.
func (p *page) full(t, now time.Time) string {
	if t, now := t.In(p.Zone), now.In(p.Zone); t.Year() == now.Year() {
		return t.Format("2 Jan 15:04")
	}
	return t.In(p.Zone).Format("2 Jan 2006 15:04")
}

// zone names the zone once.
func (p *page) zone(now time.Time) string {
	name, _ := now.In(p.Zone).Zone()
	return "times are " + name
}

// today reports whether a time is of the day of now, where the reader is.
func (p *page) today(t, now time.Time) bool {
	a, b := t.In(p.Zone), now.In(p.Zone)
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

// took is a duration as people say it: 0.8 s, 19 s, 5 min 20 s, 1 h 47 min.
func took(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		if s := int(d.Seconds()) % 60; s > 0 {
			return fmt.Sprintf("%d min %d s", int(d.Minutes()), s)
		}
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// clock is a duration beside its limit: 4:12, 1:02:03.
func clock(d time.Duration) string {
	s := int(max(0, d).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// money is a figure, or that it is unknown: unknown is never zero.
func money(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return fmt.Sprintf("$%.2f", *usd)
}

// cost is a figure with where it comes from.
func cost(usd *float64, source string) string {
	if usd == nil {
		return "cost unknown"
	}
	return fmt.Sprintf("$%.2f (%s)", *usd, source)
}

// plural is a number with its noun: 1 attempt, 2 attempts.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// readFrom is the line above the first figure.
func (f From) readFrom(carrier string) string {
	named := "no partition is named"
	switch {
	case f.Partition != "" && f.NamedBy == "config.yaml":
		named = "partition " + f.Partition + ", named in config.yaml"
	case f.Partition != "":
		named = "partition " + f.Partition + ", named by " + f.NamedBy
	}
	switch {
	case carrier == fromRecord:
		return fmt.Sprintf("read from the record: %s (%s)", named, f.Store)
	case f.Why != "":
		return "read from this repository's own files: " + f.Why
	case f.Partition == "":
		return "read from this repository's own files: " + named
	}
	return "read from git: there is no record here (" + named + ")"
}

// writer is who wrote a piece of work.
func writer(a carrier.Agent) string {
	words := []string{}
	for _, w := range []string{a.Adapter, a.Version, a.Model} {
		if w != "" {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return "an agent that is not named"
	}
	return strings.Join(words, " ")
}
