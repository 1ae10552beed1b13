package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/truth"
)

// mostBefore landings of other days are shown when none is of today, and at most
// mostToday of today's.
const mostBefore, mostToday = 3, 10

// landed prints what landed today, else the last that did; it counts today's.
func (p statusPage) landed() int {
	rows := p.newest()
	today := slices.IndexFunc(rows, func(t Row) bool { return !p.today(landedAt(t), p.a.now) })
	if today < 0 {
		today = len(rows)
	}
	title, n, show := "landed today", today, rows[:min(mostToday, today)]
	if today == 0 {
		show = rows[:min(mostBefore, len(rows))]
		title, n = "landed last", len(show)
	}
	if today > 0 && (p.a.all || today == mostToday+1) { // one row is no longer than that there is one more
		show = rows[:today]
	}
	p.sectionOf(title, n, show, func(t Row) string {
		return fmt.Sprintf("%s  %-11s %7s", Short(t.Landing.Commit), p.When(t.Landing.At, p.a.now), money(t.USD))
	}, nothing)
	if today > len(show) {
		p.line("  and %d more                                → torve landings", today-len(show))
	}
	return today
}

// newest is what landed, newest first: all of today, and before it as much as is ever shown.
// Rows are wide, and of a long record there are many, so that their places are sorted.
func (p statusPage) newest() []Row {
	var all []*Row
	for i := range p.a.Tasks {
		if t := &p.a.Tasks[i]; t.State == board.Landed && t.Landing != nil {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *Row) int {
		return cmp.Or(landedAt(*b).Compare(landedAt(*a)), cmp.Compare(b.ID, a.ID))
	})
	var rows []Row
	for _, t := range all {
		if len(rows) >= mostBefore && !p.today(landedAt(*t), p.a.now) {
			break
		}
		rows = append(rows, *t)
	}
	return rows
}

func landedAt(t Row) time.Time {
	if t.Landing == nil {
		return time.Time{}
	}
	return t.Landing.At
}

// closing is the day's figures, and the one next command where nothing is open.
func (p statusPage) closing(landed int) {
	busy := slices.ContainsFunc(p.a.Tasks, func(t Row) bool {
		return p.a.needs(t) || !t.State.Over()
	})
	if p.a.bare && !busy && len(p.a.Faults) == 0 {
		p.line("torve is not set up here")
		p.line("next: torve init")
		return
	}
	if !busy && len(p.a.Faults) == 0 {
		p.line("nothing waits on you · %d landed today · next: torve new \"…\"", landed)
		return
	}
	p.wrapped("", p.day(landed), 0)
	p.line("next: %s", p.step())
}

// step is the one next command: what needs a person, else what may start, else what
// is not committed, else what is under way.
func (p statusPage) step() string {
	if p.a.NeedsPerson() {
		return p.first()
	}
	starts := func(t Row) bool {
		return !t.apart && (t.State == board.Queued || t.State == truth.Committed || t.State == board.Ready && !p.landing(t))
	}
	switch coming := len(p.those(starts))+len(p.left()) > 0; {
	case coming && p.a.live: // it takes up what comes, and a second one beside it is seldom meant
		return "torve status --watch"
	case coming:
		return "torve dispatch"
	}
	if drafts := p.drafts(); len(drafts) > 0 {
		return Ask(drafts...)
	}
	for _, t := range p.of(truth.Draft) {
		return t.Next // it is committed elsewhere
	}
	for _, t := range p.of(board.Claimed, board.Running, board.Gated, board.Reviewed, board.Ready, board.Waiting, board.InReview) {
		return "torve why " + t.ID
	}
	for _, t := range p.those(func(t Row) bool { return t.apart && t.Next != "" }) {
		return t.Next
	}
	return "torve status"
}

// first is the command of what has needed a person longest.
func (p statusPage) first() string {
	var first *Row
	for i, t := range p.a.Tasks {
		if p.a.needs(t) && t.Next != "" && (first == nil || t.Since.Before(first.Since)) {
			first = &p.a.Tasks[i]
		}
	}
	if first == nil {
		return "torve mint"
	}
	return first.Next
}

// day is what today came to. Money is added by its source; unknown is counted.
func (p statusPage) day(landed int) string {
	attempts, unknown, usd := 0, 0, map[string]float64{}
	for _, e := range p.a.ended {
		if !p.today(e.at, p.a.now) {
			continue
		}
		attempts++
		if e.usd == nil {
			unknown++
			continue
		}
		usd[e.source] += *e.usd
	}
	parts := []string{Count(attempts, "attempt") + " today", fmt.Sprintf("%d landed", landed)}
	if !p.a.told {
		parts = []string{fmt.Sprintf("%d landed today", landed)} // attempts are not known here, which is not none
	}
	for _, source := range []string{"reported", "estimated", "notional"} {
		if sum, there := usd[source]; there {
			parts = append(parts, fmt.Sprintf("$%.2f %s", sum, source))
		}
	}
	if unknown > 0 {
		parts = append(parts, Count(unknown, "attempt")+" of unknown cost")
	}
	for _, state := range []board.State{board.Reverted, board.Abandoned, board.Withdrawn} {
		if n := p.a.Counts[string(state)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, ", ")
}
