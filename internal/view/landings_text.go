package view

import (
	"fmt"
	"io"
)

// Text prints what landed, newest first, one line each.
func (a LandingsAnswer) Text(w io.Writer, s Style) error {
	p := newPage(s)
	p.ends(fmt.Sprintf("read from git: %s on %s", plural(len(a.Landings), "landing file"), a.target), p.zone(a.now))
	for _, f := range a.Faults {
		p.wrapped("broken  ", f.Error, 8)
	}
	if len(a.Landings) == 0 {
		p.blank()
		p.line("nothing has landed on %s yet", a.target)
		p.line("next: torve status")
		return p.to(w)
	}
	p.blank()
	ids := 6
	for _, l := range a.Landings {
		ids = max(ids, width(l.Task))
	}
	for _, l := range a.Landings {
		mark := ""
		if l.Reverted != "" {
			mark = "  reverted"
		}
		right := fmt.Sprintf("%s  %-11s %7s%s", short(l.Commit), p.when(l.At, a.now), money(l.Spent.USD), mark)
		p.line("  %s  %s %s", p.padded(l.Task, ids), p.padded(l.Title, max(12, min(37, p.Width-2-ids-3-width(right)))), right)
	}
	p.blank()
	p.line("next: torve why %s", a.Landings[0].Task)
	return p.to(w)
}
