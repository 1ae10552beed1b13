package view

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"torve/internal/carrier"
	"torve/internal/truth"
)

// LandingsAnswer is what landed, newest first, from git alone.
type LandingsAnswer struct {
	Schema   string    `json:"schema"`
	Sources  Sources   `json:"sources"`
	Landings []Landing `json:"landings"`
	Faults   []Fault   `json:"faults"`

	now    time.Time
	target string
}

// Landing is one landing file.
type Landing struct {
	Task      string             `json:"task"`
	Title     string             `json:"title"`
	Owner     string             `json:"owner"`
	Attempt   int                `json:"attempt"`
	At        time.Time          `json:"at"`
	Target    string             `json:"target"`
	Base      string             `json:"base"`
	Onto      string             `json:"onto"`
	Commit    string             `json:"commit"`
	Tree      string             `json:"tree"`
	Contract  string             `json:"contract"`
	Agent     carrier.Agent      `json:"agent"`
	Path      string             `json:"path"`
	Decisions []carrier.Decision `json:"decisions"`
	Spent     carrier.Spent      `json:"spent"`
	Attested  string             `json:"attested_by"`
	Reverts   []string           `json:"reverts"`
	Reverted  string             `json:"reverted_by"` // the landing that reverts this one; "" when none does
	Flaky     []string           `json:"flaky"`       // acceptance lines that were red first, and green on the same tree
}

// Landings lists the landing files in the target's tree; it needs nothing but
// git. A file that does not read is a fault and no gap.
func Landings(ctx context.Context, r *truth.Reading, o Options) (LandingsAnswer, error) {
	a := LandingsAnswer{
		Schema: "torve/landings/v1", Landings: []Landing{}, now: o.Now, target: r.Target,
		Faults: faults(r, func(f truth.Fault) bool { _, _, in := carrier.LandingPlace(f.Path); return in }),
	}
	for _, f := range r.Landings {
		l, err := f.Load(ctx)
		if err != nil {
			a.Faults = append(a.Faults, Fault{Path: f.Path, Task: f.Task, Error: err.Error()})
			continue
		}
		if o.Mine != "" && !strings.EqualFold(l.Owner, o.Mine) {
			continue
		}
		row := landingOf(f.Path, l)
		if s := r.Settled(f.Task); s.Landing() != nil && s.Landing().Path == f.Path {
			row.Reverted = s.RevertedBy()
		}
		a.Landings = append(a.Landings, row)
	}
	a.Sources = Sources{"landings": o.source(fromGit, len(a.Landings))}
	return a, nil
}

func landingOf(path string, l carrier.Landing) Landing {
	out := Landing{
		Task: l.Task, Title: l.Title, Owner: l.Owner, Attempt: l.Attempt, At: l.At, Target: l.Target, Base: l.Base, Onto: l.Onto,
		Commit: l.Commit, Tree: l.Tree, Contract: l.Contract, Agent: l.Agent, Path: path, Decisions: l.Decisions,
		Spent: l.Spent, Attested: l.Attested, Reverts: l.Reverts, Flaky: flakyIn(l),
	}
	if out.Decisions == nil {
		out.Decisions = []carrier.Decision{}
	}
	if out.Reverts == nil {
		out.Reverts = []string{}
	}
	return out
}

// flakyIn are the acceptance lines of a landing that were red first.
func flakyIn(l carrier.Landing) []string {
	if l.Gate == nil {
		return []string{}
	}
	return lines(flakyOf(nil, l.Gate.Acceptance, landedFlaky))
}

// Text prints what landed, newest first, one line each.
func (a LandingsAnswer) Text(w io.Writer, s Style) error {
	p := newPage(s)
	p.ends(fmt.Sprintf("read from git: %s on %s", Count(len(a.Landings), "landing file"), a.target), p.zone(a.now))
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
		ids = max(ids, Width(l.Task))
	}
	for _, l := range a.Landings {
		mark := ""
		if l.Reverted != "" {
			mark = "  reverted"
		} else if len(l.Flaky) > 0 {
			mark = "  flaky"
		}
		right := fmt.Sprintf("%s  %-11s %7s%s", Short(l.Commit), p.When(l.At, a.now), money(l.Spent.USD), mark)
		p.line("  %s  %s %s", p.Pad(l.Task, ids), p.Pad(l.Title, max(12, min(37, p.Width-2-ids-3-Width(right)))), right)
	}
	p.blank()
	p.line("next: torve why %s", a.Landings[0].Task)
	return p.to(w)
}
