package view

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
)

// gateCount counts what the checks were asked and what they said.
type gateCount struct {
	asked, refused map[string]int
	flaky          map[string]*Flaky // by line
	met            []Flaky           // in no order yet
	judged         int
	since          time.Time
}

// task counts every asking of a task that the record holds, on arrival, when due, and again.
func (g *gateCount) task(t *board.Task) {
	for _, a := range t.Attempts {
		for _, j := range a.Judged {
			g.judging(t.ID, j)
		}
	}
}

func (g *gateCount) judging(task string, j board.Judging) {
	if j.At.Before(g.since) {
		return
	}
	g.judged++
	for _, c := range j.Checks {
		g.said(c.Check, c.Said)
	}
	for _, ran := range j.Acceptance {
		if ran.Flaky && !ran.Again {
			g.met = append(g.met, Flaky{Line: ran.Line, Task: task, First: ran.First})
		}
	}
}

// inOrder takes in what was met of tasks in no order.
func (g *gateCount) inOrder() {
	slices.SortStableFunc(g.met, func(a, b Flaky) int { return cmp.Compare(a.Task, b.Task) })
	for _, f := range g.met {
		g.wasFlaky(f.Line, f.Task, f.First)
	}
	g.met = nil
}

func (g *gateCount) said(check, said string) {
	if said == "-" {
		return
	}
	g.asked[check]++
	if said == "no" {
		g.refused[check]++
	}
}

// row counts an attempt of which only the verdict is told: the checks are asked in their
// order, and the first no ends it.
func (g *gateCount) row(e tried) {
	if e.at.Before(g.since) || e.verdict != "accepted" && !slices.Contains(record.Checks, e.check) {
		return
	}
	g.judged++
	for _, check := range record.Checks {
		if e.verdict != "accepted" && check == e.check {
			g.said(check, "no")
			return
		}
		g.said(check, "yes")
	}
}

// landing counts what a landing file tells of the gate.
func (g *gateCount) landing(l carrier.Landing, checks bool) {
	if l.Gate == nil || l.At.Before(g.since) {
		return
	}
	if checks {
		g.judged++
		for _, c := range l.Gate.Checks {
			g.said(c.Check, c.Said)
		}
	}
	for _, ran := range l.Gate.Acceptance {
		if ran.Flaky {
			g.wasFlaky(ran.Line, l.Task, ran.First)
		}
	}
}

func (g *gateCount) wasFlaky(line, task, first string) {
	f := g.flaky[line]
	if f == nil {
		f = &Flaky{Line: line}
		g.flaky[line] = f
	}
	f.Times, f.Task, f.First = f.Times+1, task, first
}

// lines are the flaky ones, the most often first.
func (g *gateCount) lines() []Flaky {
	out := []Flaky{}
	for _, line := range slices.Sorted(maps.Keys(g.flaky)) {
		out = append(out, *g.flaky[line])
	}
	slices.SortStableFunc(out, func(a, b Flaky) int { return cmp.Compare(b.Times, a.Times) })
	return out
}
