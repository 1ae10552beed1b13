package cli

import (
	"cmp"
	"slices"
	"time"

	"torve/internal/dispatch"
	"torve/internal/mint"
)

// closing is the last screen of a run: what landed, what needs a person, what waits,
// whether the target's tree passed, and one next command.
type closing struct {
	a        *app
	s        *session
	rep      dispatch.Report
	runs     []ranLine
	minted   []mint.Result
	dry      bool
	landOnly bool   // torve land: what waits is not this run's
	typed    string // the flags and tasks that were given
	pushable bool   // the repository has a remote
}

type dispatchDocument struct {
	Schema    string             `json:"schema"`
	Partition string             `json:"partition"`
	Tasks     []dispatch.Outcome `json:"tasks"`
	Planned   []planDocument     `json:"planned"` // of --dry-run
	Limit     *limitDocument     `json:"limit"`   // what ended it before its tasks were done; null when nothing did
	Target    targetDocument     `json:"target"`
	Next      string             `json:"next"`
}

type planDocument struct {
	ID    string `json:"id"`
	Does  string `json:"does"` // mint, first, continue, repair, fresh, ask, land
	Then  string `json:"then"` // of mint: first where it would start then, else ""
	Agent string `json:"agent"`
}

type limitDocument struct {
	By    string     `json:"by"` // quota, usd, until, escalations
	Tasks int        `json:"tasks"`
	Until *time.Time `json:"until"` // of quota and until
	USD   *float64   `json:"usd"`   // of usd: the cap
	Spent *float64   `json:"spent"` // and what was spent
}

type targetDocument struct {
	From       string   `json:"from"`
	To         string   `json:"to"`
	Acceptance []string `json:"acceptance"` // the lines that passed on this very tree
	Red        string   `json:"red"`        // the line that fails on it, and why; "" when none is known to
}

// after ends a run whose error is given: where it broke, what it did before is told.
func (c closing) after(err error) error {
	if err == nil {
		return c.print()
	}
	if len(c.rep.Outcomes) > 0 {
		_ = c.print()
		if c.a.json { // the document is the answer, and one is enough
			c.a.warn("dispatch: %v", err)
			return end(Infrastructure)
		}
	}
	return broken("dispatch", "", err)
}

// print ends the run: its document or its screen, and its exit code.
func (c closing) print() error {
	if c.landOnly {
		c.rep.Waits = nil
	}
	if c.a.json {
		if err := writeJSON(c.a.out, c.document()); err != nil {
			return err
		}
		return end(c.outcome())
	}
	c.table()
	c.notes()
	c.target()
	c.nextLines(c.next())
	return end(c.outcome())
}

func (c closing) document() dispatchDocument {
	d := dispatchDocument{
		Schema: "torve/dispatch/v1", Partition: string(c.s.named.partition), Tasks: c.rep.Outcomes,
		Planned: []planDocument{}, Target: targetDocument{c.rep.From, c.rep.To, c.passedLines(), c.rep.Green.Red},
		Limit: limitOf(c.rep.Limit),
	}
	if d.Tasks == nil {
		d.Tasks = []dispatch.Outcome{}
	}
	for _, p := range c.rep.Planned {
		d.Planned = append(d.Planned, planDocument{p.ID, p.Does, p.Then, p.Agent})
	}
	if next := c.next(); len(next) > 0 {
		d.Next = next[0].command
	}
	return d
}

func limitOf(l dispatch.Limit) *limitDocument {
	if l.By == "" {
		return nil
	}
	d := &limitDocument{By: l.By, Tasks: l.Tasks}
	switch l.By {
	case dispatch.ByQuota, dispatch.ByUntil:
		d.Until = new(l.Until.UTC())
	case dispatch.ByUSD:
		d.USD, d.Spent = &l.USD, &l.Spent
	}
	return d
}

// ranks is the order of the closing table.
var ranks = []string{
	dispatch.IsLanded, dispatch.IsReady, dispatch.IsInReview, dispatch.IsRefused, dispatch.IsEscalated, dispatch.IsInterrupted, dispatch.IsWaiting,
}

// outcomes are all that the table shows: what landed first, what waits last.
func (c closing) outcomes() []dispatch.Outcome {
	all := slices.Concat(c.rep.Outcomes, c.rep.Waits)
	slices.SortStableFunc(all, func(a, b dispatch.Outcome) int {
		return cmp.Or(slices.Index(ranks, a.Outcome)-slices.Index(ranks, b.Outcome), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// counted is how many outcomes are so.
func (c closing) counted(is func(dispatch.Outcome) bool) int {
	n := 0
	for _, o := range c.outcomes() {
		if is(o) {
			n++
		}
	}
	return n
}

func landed(o dispatch.Outcome) bool { return o.Outcome == dispatch.IsLanded }

func (c closing) passedLines() []string {
	lines := []string{}
	for _, r := range c.runs {
		if r.why == "" {
			lines = append(lines, r.line)
		}
	}
	return lines
}

// outcome is the first that is true, in the order that the exit codes are documented.
func (c closing) outcome() Outcome {
	r := c.rep
	switch {
	case r.Interrupted:
		return Interrupted
	case r.Limit.By != "":
		return Limit
	case !c.dry && r.Unjudged():
		return Infrastructure
	case !c.dry && r.NeedsPerson():
		return NeedsPerson
	case len(r.Broken) > 0:
		return Usage
	}
	return Done
}
