package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"torve/internal/carrier"
)

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
	if _, err := io.WriteString(w, p.Print(p.b.String())); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

// line prints one line as it is, without blanks at its end.
func (p *page) line(format string, a ...any) {
	p.b.WriteString(strings.TrimRight(fmt.Sprintf(format, a...), " "))
	p.b.WriteByte('\n')
}

// blank is an empty line, never two together.
func (p *page) blank() {
	if !strings.HasSuffix(p.b.String(), "\n\n") {
		p.b.WriteByte('\n')
	}
}

// ends prints two texts, the second at the right edge, the first cut to fit.
func (p *page) ends(left, right string) {
	right = clean(right)
	left = p.Cut(left, p.Width-Width(right)-2)
	p.line("%s%s%s", left, strings.Repeat(" ", max(2, p.Width-Width(left)-Width(right))), p.Paint(right))
}

// field prints a label of ten columns and a text that is wrapped beside it.
func (p *page) field(label, text string) { p.wrapped(fmt.Sprintf("%-10s", label), text, 10) }

// wrapped prints a text after a lead, its further lines indented.
func (p *page) wrapped(lead, text string, indent int) {
	for _, l := range p.Lines(lead, text, indent) {
		p.line("%s", l)
	}
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
	case f.Empty:
		return "read from this repository's own files: the record is empty (" + named + ")" + f.in()
	case f.Partition == "":
		return "read from this repository's own files: " + named
	}
	return "read from git: there is no record here (" + named + ")"
}

// in is which database was asked; "" for the embedded store.
func (f From) in() string {
	if f.At == "" {
		return ""
	}
	return " in " + f.At
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
