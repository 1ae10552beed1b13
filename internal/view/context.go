package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/spec"
	"torve/internal/strictyaml"
	"torve/internal/truth"
)

// ContextAnswer is what a planner should know before writing the next contracts.
type ContextAnswer struct {
	Schema      string            `json:"schema"`
	Sources     Sources           `json:"sources"`
	Target      Target            `json:"target"`
	Since       time.Time         `json:"since,omitzero"`
	Tasks       OpenTasks         `json:"tasks"`
	Escalations []Raised          `json:"escalations"`
	Divergences []Diverged        `json:"divergences"`
	Findings    []carrier.Finding `json:"findings"` // open, the gravest first
	Gates       []Asked           `json:"gates"`
	Flaky       []Flaky           `json:"flaky"`
	Spend       []RegimeSpend     `json:"spend"`
	Telemetry   Telemetry         `json:"telemetry"`
	Decisions   []InForce         `json:"decisions"`
	Landings    []LandedLately    `json:"landings"`
	Feedback    Feedback          `json:"feedback"`
	Faults      []Fault           `json:"faults"`

	status StatusAnswer
	told   told
	gate   gateCount
	total  Spend
	all    bool
	now    time.Time
}

// OpenTasks counts the tasks by their state and lists those that are not over.
type OpenTasks struct {
	Counts map[string]int `json:"counts"`
	Open   []Row          `json:"open"`
}

// Raised is a task that needs a person, why, and the first answer.
type Raised struct {
	Task   string    `json:"task"`
	Title  string    `json:"title"`
	Reason string    `json:"reason"`
	Check  string    `json:"check"`
	Detail string    `json:"detail"`
	At     time.Time `json:"at,omitzero"`
	Next   string    `json:"next"`
}

// Diverged is an entry of a task's log that is more than an upheld decision.
type Diverged struct {
	Task string `json:"task"`
	carrier.Entry
}

// Asked is how often a check was asked, and how often it said no.
type Asked struct {
	Check   string `json:"check"`
	Asked   int    `json:"asked"`
	Refused int    `json:"refused"`
}

// Flaky is an acceptance line that was red, and green on the same tree.
type Flaky struct {
	Line  string `json:"line"`
	Times int    `json:"times"`
	Task  string `json:"task"` // where it was so last
	First string `json:"first"`
}

// RegimeSpend is what the attempts of one regime cost; usd is null where any of it is
// unknown.
type RegimeSpend struct {
	Regime    string   `json:"regime"` // "" where the carrier does not tell it
	USD       *float64 `json:"usd"`
	USDSource string   `json:"usd_source"`
	Tokens    *int64   `json:"tokens"` // in and out; null where any are unknown
	Figures
	Agents    []string `json:"agents"`
	Tasks     []string `json:"tasks"`
	Contracts []string `json:"contracts"`
}

// InForce is a decision of an accepted specification on the target.
type InForce struct {
	ID    string   `json:"id"`
	Grade string   `json:"grade"`
	Text  string   `json:"text"`
	Paths []string `json:"paths"`
	File  string   `json:"file"`
	Line  int      `json:"line"`
}

// LandedLately is one of the last landings.
type LandedLately struct {
	Task   string    `json:"task"`
	Title  string    `json:"title"`
	Commit string    `json:"commit"`
	At     time.Time `json:"at"`
	Path   string    `json:"path"`
}

// lately is how many landings are told.
const lately = 10

// Context answers what a planner should know.
func Context(ctx context.Context, r *truth.Reading, o Options) (ContextAnswer, error) {
	o.Brief, o.Mine, o.Only = true, "", ""
	a := ContextAnswer{Schema: "torve/context/v1", Since: o.Since, Sources: Sources{}, Escalations: []Raised{}, Divergences: []Diverged{},
		Findings: []carrier.Finding{}, Gates: []Asked{}, Flaky: []Flaky{}, Spend: []RegimeSpend{}, Decisions: []InForce{}, Landings: []LandedLately{}, all: o.All, now: o.Now}
	for _, part := range []func(context.Context, *truth.Reading, Options) error{a.tasks, a.spent, a.raised, a.diverged, a.gates, a.ledgers, a.decided, a.landedLately} {
		if err := part(ctx, r, o); err != nil {
			return ContextAnswer{}, err
		}
	}
	a.Faults = append(a.Faults, a.told.faults...)
	slices.SortStableFunc(a.Faults, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Error, b.Error)) })
	a.Faults = slices.CompactFunc(a.Faults, func(a, b Fault) bool { return a.Error == b.Error })
	return a, nil
}

func (a *ContextAnswer) tasks(ctx context.Context, r *truth.Reading, o Options) (err error) {
	if a.status, err = Status(ctx, r, o); err != nil {
		return err
	}
	a.Target, a.Faults = a.status.Target, a.status.Faults
	a.Tasks = OpenTasks{Counts: a.status.Counts, Open: []Row{}}
	for _, row := range a.status.Tasks {
		if !row.State.Over() {
			a.Tasks.Open = append(a.Tasks.Open, row)
		}
	}
	a.Sources["tasks"] = a.status.Sources["tasks"]
	return nil
}

// spent tells a regime a row: figures of different regimes are never added silently.
func (a *ContextAnswer) spent(ctx context.Context, r *truth.Reading, o Options) (err error) {
	a.gate = gateCount{asked: map[string]int{}, refused: map[string]int{}, flaky: map[string]*Flaky{}, since: o.Since}
	a.told, err = o.spent(ctx, r, func(t *board.Task) {
		a.gate.task(t)
		a.departed(t.ID, truth.EntriesOf(t), o.Since)
	})
	if err != nil {
		return err
	}
	a.Telemetry = a.told.ledger
	rows, _ := a.told.since(o.Since)
	spends, err := grouped(rows, func(e tried) (string, error) { return e.regime, nil })
	if err != nil {
		return err
	}
	for _, s := range spends {
		row := RegimeSpend{Regime: s.Key, Figures: s.Figures, Agents: s.Agents, Tasks: s.Tasks, Contracts: s.Contracts}
		row.USD, row.USDSource = s.usd()
		if s.TokensUnknown == 0 {
			row.Tokens = s.tokens()
		}
		a.Spend = append(a.Spend, row)
	}
	for _, e := range rows {
		a.total.add(e)
	}
	a.Sources["attempts"], a.Sources["spend"] = o.source(a.told.carrier, len(a.told.rows)), o.source(a.told.carrier, len(rows))
	a.Sources["telemetry"] = o.source(fromFiles, a.told.ledger.Rows)
	a.Sources.beside(a.told)
	return nil
}

// raised lists what needs a person, the oldest first: from the record, else from what this
// host noted of its runs.
func (a *ContextAnswer) raised(_ context.Context, r *truth.Reading, o Options) error {
	from := fromNone
	if r.Board != nil {
		from = fromRecord
	}
	for _, row := range a.Tasks.Open {
		switch h := r.States[row.ID]; {
		case row.State == board.Escalated:
			a.Escalations = append(a.Escalations, Raised{row.ID, row.Title, row.Reason, row.Check, row.Why, row.Since, row.Next})
		case r.Board == nil && h.Escalation != nil:
			from = fromFiles
			a.Escalations = append(a.Escalations, Raised{row.ID, row.Title, h.Escalation.Reason, "", h.Escalation.Detail, h.Updated, row.Next})
		}
	}
	slices.SortStableFunc(a.Escalations, func(a, b Raised) int { return a.At.Compare(b.At) })
	a.Sources["escalations"] = o.source(from, len(a.Escalations))
	return nil
}

// diverged lists where an executor departed from a decision, decided one, or met one that
// no specification has: from the record, else from the landing files. Proposals first,
// then the newest.
func (a *ContextAnswer) diverged(ctx context.Context, r *truth.Reading, o Options) error {
	from := fromRecord
	if r.Board != nil {
		slices.SortStableFunc(a.Divergences, func(a, b Diverged) int { return cmp.Compare(a.Task, b.Task) })
	} else if from = fromNone; len(r.Landings) > 0 {
		from = fromGit
		if err := a.told.load(ctx, r); err != nil {
			return err
		}
		for _, l := range a.told.files {
			a.departed(l.Task, l.Entries, o.Since)
		}
	}
	slices.SortStableFunc(a.Divergences, func(a, b Diverged) int {
		return cmp.Or(cmp.Compare(absent(a.Proposal), absent(b.Proposal)), b.At.Compare(a.At))
	})
	a.Sources["divergences"] = o.source(from, len(a.Divergences))
	return nil
}

// departed adds what a task's log says beyond upheld decisions.
func (a *ContextAnswer) departed(task string, entries []carrier.Entry, since time.Time) {
	for _, e := range entries {
		if e.Action != "upheld" && !e.At.Before(since) {
			a.Divergences = append(a.Divergences, Diverged{task, e})
		}
	}
}

func absent(text string) int {
	if text == "" {
		return 1
	}
	return 0
}

// gates counts each check's answers and finds the lines that are flaky.
func (a *ContextAnswer) gates(ctx context.Context, r *truth.Reading, o Options) error {
	g, from := &a.gate, a.told.carrier
	switch {
	case from == fromRecord:
		g.inOrder()
	case from == fromFiles:
		*g = gateCount{asked: map[string]int{}, refused: map[string]int{}, flaky: map[string]*Flaky{}, since: o.Since}
		for _, e := range a.told.rows {
			g.row(e)
		}
	}
	lines := from
	if from != fromRecord && len(r.Landings) > 0 {
		lines = fromGit
		if err := a.told.load(ctx, r); err != nil {
			return err
		}
		for _, l := range a.told.files {
			g.landing(l, from == fromGit)
		}
	}
	if g.judged > 0 {
		for _, check := range record.Checks {
			a.Gates = append(a.Gates, Asked{check, g.asked[check], g.refused[check]})
		}
	}
	a.Flaky = g.lines()
	a.Sources["gates"], a.Sources["flaky"] = o.source(from, g.judged), o.source(lines, len(a.Flaky))
	return nil
}

func (a *ContextAnswer) ledgers(_ context.Context, _ *truth.Reading, o Options) (err error) {
	found, err := Findings(o)
	if err != nil {
		return err
	}
	for _, f := range found.open() {
		a.Findings = append(a.Findings, f.Finding)
	}
	if a.Feedback, err = o.feedback(); err != nil {
		return err
	}
	a.Faults = append(append(a.Faults, found.Faults...), a.Feedback.faults...)
	a.Sources["findings"], a.Sources["feedback"] = o.source(fromFiles, found.Rows), o.source(fromFiles, a.Feedback.Rows)
	return nil
}

// decided lists the decisions of the accepted specifications on the target.
func (a *ContextAnswer) decided(ctx context.Context, r *truth.Reading, o Options) error {
	c := corpus{repo: o.Repo, head: r.Head, specs: map[string]*spec.Spec{}}
	err := c.each(ctx, func(path string, s spec.Spec, fault *strictyaml.Error) {
		switch {
		case fault != nil:
			a.Faults = append(a.Faults, Fault{Path: path, Error: fault.Error(), Hint: fault.Hint})
		case s.Status == spec.Accepted:
			for _, d := range s.Decisions {
				a.Decisions = append(a.Decisions, InForce{s.ID + "/" + d.ID, d.Grade, d.Text, orEmpty(d.Paths), path, d.Line})
			}
		}
	})
	a.Sources["decisions"] = o.source(fromGit, len(a.Decisions))
	return err
}

// landedLately lists the last landings.
func (a *ContextAnswer) landedLately(ctx context.Context, r *truth.Reading, o Options) error {
	newest := r.Landings[:min(lately, len(r.Landings))]
	for _, f := range newest {
		if err := r.Read(ctx, f.Task); err != nil {
			return err
		}
		if f.At.Before(o.Since) {
			continue
		}
		s := r.Settled(f.Task)
		facts, err := a.status.facts(ctx, s)
		if err != nil {
			return fmt.Errorf("reading the landing %s: %w", f.Path, err)
		}
		row := LandedLately{Task: f.Task, Title: facts.title, At: f.At, Path: f.Path}
		if facts.landed != nil && facts.landed.Path == f.Path {
			row.Commit = facts.landed.Commit
		}
		a.Landings = append(a.Landings, row)
	}
	a.Sources["landings"] = o.source(fromGit, len(r.Landings))
	return nil
}
