package view

import (
	"maps"
	"slices"
	"strings"

	"torve/internal/board"
)

// apart are the tasks that wait for another clone, and what landed from one.
func (p statusPage) apart() {
	there := p.those(func(t Row) bool { return t.apart && t.State != board.Landed })
	p.section("in another clone", there, p.since, func(t Row) {
		p.wrapped("          ", t.Why, 10)
		p.command(t.Next)
	})
	landed := p.those(func(t Row) bool { return t.apart && t.State == board.Landed })
	p.section("landed, and not on "+p.a.Target.Name+" here yet", landed, p.since, nothing)
	from := map[string][]string{}
	for _, t := range landed {
		from[t.Why] = append(from[t.Why], t.ID)
	}
	for _, why := range slices.Sorted(maps.Keys(from)) {
		lead := ""
		if len(from) > 1 {
			lead = strings.Join(from[why], ", ") + ": "
		}
		if why != "" {
			p.wrapped("          ", lead+why, 10)
		}
	}
	if len(landed) > 0 {
		p.command(landed[0].Next)
	}
}
