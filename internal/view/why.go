package view

import (
	"context"
	"errors"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/truth"
)

// WhyAnswer is who asked for a task, a line, a path, a commit or a decision, what
// bound it, what was said of each attempt, and where it landed.
type WhyAnswer struct {
	Schema      string            `json:"schema"`
	Sources     Sources           `json:"sources"`
	Subject     string            `json:"subject"`
	Kind        string            `json:"kind"` // task, path, line, commit or decision
	Line        *Line             `json:"line"` // of a line, path or commit; else null
	Task        string            `json:"task"` // "" when no task is behind it
	Title       string            `json:"title"`
	Owner       string            `json:"owner"`
	Intent      string            `json:"intent"`
	Scope       carrier.Scope     `json:"scope"`
	Settled     *Settled          `json:"settled"` // null when no task is behind it
	Contract    *Contract         `json:"contract"`
	Decisions   []Decision        `json:"decisions"`
	Attempts    []Attempt         `json:"attempts"` // empty where only the landing is known
	Divergences []carrier.Entry   `json:"divergences"`
	Landing     *LandingDetail    `json:"landing"`
	Spent       *carrier.Spent    `json:"spent"` // null when nothing is known
	Kept        *Work             `json:"kept"`  // what is kept and has not landed
	Escalation  *Escalation       `json:"escalation"`
	Waits       []Wait            `json:"waits"`
	Findings    []carrier.Finding `json:"findings"` // as they stand now
	Feedback    Feedback          `json:"feedback"`
	Tasks       []string          `json:"tasks"` // every task whose landing touched it, newest first
	Chain       []Link            `json:"chain"`
	Next        []Step            `json:"next"`
	Faults      []Fault           `json:"faults"`          // of the ledgers
	Lease       *Lease            `json:"lease,omitempty"` // of a claim that another clone made, where its holder keeps one

	from     From
	now      time.Time
	events   int
	target   string
	budget   budget
	away     bool   // it is committed, and not on the target
	holder   string // who holds it in another clone, and whether he was heard of
	apart    string // what its next step needs that another clone alone has
	died     bool   // the run that was at it is gone
	unpulled bool   // its contract was minted in another clone and is not here
	hint     string // what mends a file that does not read
}

// Settled is what the carriers came to.
type Settled struct {
	State     board.State       `json:"state"`
	Carrier   truth.Carrier     `json:"carrier"`
	Because   string            `json:"because"`
	Overruled []truth.Overruled `json:"overruled"`
}

// Contract is the contract as it bound the task, and its file today.
type Contract struct {
	Digest   string    `json:"digest"`
	MintedAt time.Time `json:"minted_at,omitzero"`
	File     string    `json:"file"` // same, edited or missing
	Path     string    `json:"path"`
}

// Escalation is why a person is needed.
type Escalation struct {
	Reason string    `json:"reason"`
	Check  string    `json:"check"`
	Detail string    `json:"detail"`
	Paths  []string  `json:"paths"`
	At     time.Time `json:"at"`
}

// LandingDetail is a landing with what the gate said of it and its work.
type LandingDetail struct {
	Landing
	Gate *carrier.Gate `json:"gate"` // null when a person attested it
	Work Work          `json:"work"`
}

// Link is one step of the chain from what was asked about to who asked for it.
type Link struct {
	Is   string `json:"is"` // line, commit, landing, task, decision
	ID   string `json:"id"`
	Text string `json:"text"`
}

// The kinds of a subject.
const (
	ofTask     = "task"
	ofPath     = "path"
	ofLine     = "line"
	ofCommit   = "commit"
	ofDecision = "decision"
)

func newWhy(r *truth.Reading, o Options, subject, kind string) *WhyAnswer {
	a := &WhyAnswer{
		Schema: "torve/why/v1", Sources: Sources{}, Subject: subject, Kind: kind,
		Scope: carrier.Scope{Allow: []string{}, Deny: []string{}}, Decisions: []Decision{}, Attempts: []Attempt{},
		Divergences: []carrier.Entry{}, Waits: []Wait{}, Tasks: []string{}, Chain: []Link{}, Next: []Step{},
		Findings: []carrier.Finding{}, Feedback: Feedback{Notes: []Note{}}, Faults: []Fault{},
		from: o.Source, now: o.Now, target: r.Target,
	}
	if r.Board != nil {
		a.events = r.Board.Events
	}
	return a
}

// task fills an answer with all that the carriers say of one task.
func (a *WhyAnswer) task(ctx context.Context, r *truth.Reading, o Options, id string) error {
	if err := errors.Join(r.Read(ctx, id), r.ReadFiles(ctx, id)); err != nil {
		return err
	}
	s := r.Settled(id)
	if err := s.Err(); err != nil {
		return err
	}
	f, err := factsOf(ctx, s, true)
	if err != nil {
		return err
	}
	a.Task, a.Title, a.Owner, a.Intent = id, f.title, f.owner, f.intent
	a.Scope = carrier.Scope{Allow: orEmpty(f.allow), Deny: orEmpty(f.deny)}
	a.Settled = &Settled{State: s.State(), Carrier: s.Carrier(), Because: s.Because(), Overruled: s.Overruled()}
	if fault := s.Fault(); fault != nil {
		a.hint = fault.Err.Hint
	}
	a.Contract = contractOf(r, s, f)
	if f.known {
		a.Spent = &f.spent
	}
	a.attempted(s, f)
	if err := a.landed(ctx, r, o, s, f); err != nil {
		return err
	}
	if err := a.decided(ctx, r, o, s, f); err != nil {
		return err
	}
	if err := a.pending(ctx, r, o, s); err != nil {
		return err
	}
	if err := a.ledgers(o); err != nil {
		return err
	}
	a.accounted(r, o, s)
	a.links(f)
	return nil
}

// ledgers fills what reviews found and what people said of the task.
func (a *WhyAnswer) ledgers(o Options) error {
	o.Only, o.Since = a.Task, time.Time{}
	found, err := Findings(o)
	if err != nil {
		return err
	}
	for _, f := range found.Found {
		a.Findings = append(a.Findings, f.Finding)
	}
	if a.Feedback, err = o.feedback(); err != nil {
		return err
	}
	a.Faults = append(append(a.Faults, found.Faults...), a.Feedback.faults...)
	a.Sources["findings"], a.Sources["feedback"] = o.source(fromFiles, found.Rows), o.source(fromFiles, a.Feedback.Rows)
	return nil
}

// elsewhere says what of a task is in another clone of the record alone, and what can be done
// about that here.
func (a *WhyAnswer) elsewhere(ctx context.Context, r *truth.Reading, o Options, s truth.Settled, state board.State) (err error) {
	t := s.Board()
	if t == nil {
		return nil
	}
	if a.Contract != nil && a.Contract.File != "same" {
		here, err := truth.Here{Repo: o.Repo, Log: o.Log, Target: r.Target, Head: r.Head}.Contract(ctx, t)
		if err != nil {
			return err
		}
		if a.unpulled = !here; a.unpulled && !state.Over() && t.Claim == nil {
			a.Next = []Step{{o.brings(), ""}}
			return nil
		}
	}
	if o.Apart == nil || t.Claim != nil || state != board.Queued && state != board.Ready {
		return nil
	}
	if a.apart, _, err = o.Apart(ctx, r, t); a.apart != "" {
		a.Next = []Step{{"torve requeue " + a.Task + " --fresh", "start over, in any clone"}, {"torve abandon " + a.Task, "not wanted any more"}}
	}
	return err
}

// contractOf is what was minted, and how its file stands to it today.
func contractOf(r *truth.Reading, s truth.Settled, f facts) *Contract {
	if f.digest == "" {
		return nil
	}
	c := &Contract{Digest: f.digest, MintedAt: f.mintedAt}
	if c.File, c.Path = r.FileToday(s.Task(), f.digest); c.Path == "" && s.Board() != nil {
		c.Path = s.Board().Path
	}
	return c
}

// landed fills the landing and finds its work.
func (a *WhyAnswer) landed(ctx context.Context, r *truth.Reading, o Options, s truth.Settled, f facts) error {
	if f.landing == nil {
		return nil
	}
	l := *f.landing
	work, err := landedWork(ctx, o.Repo, r.Head, *f.landed, a.Task, l.Attempt)
	if err != nil {
		return err
	}
	d := &LandingDetail{Landing: landingOf(f.landed.Path, l), Gate: l.Gate, Work: work}
	d.Reverted = s.RevertedBy()
	a.Landing = d
	if s.Board() == nil {
		a.Divergences = append(a.Divergences, l.Entries...)
	}
	return nil
}

// pending fills what is not over: the escalation, what it waits for, what is kept,
// and what a person may do.
func (a *WhyAnswer) pending(ctx context.Context, r *truth.Reading, o Options, s truth.Settled) error {
	state := s.State()
	if t := s.Board(); t != nil {
		a.budget = budgetOf(t)
		if e := t.Escalation; e != nil && state == board.Escalated {
			a.Escalation = &Escalation{Reason: e.Reason, Check: e.Check, Detail: e.Detail, Paths: orEmpty(e.Paths), At: e.At}
		}
	}
	if s.Carrier() == truth.Board {
		for _, row := range r.Open(o.Now, o.Shared) { // what is over waits for nothing
			if row.ID != a.Task {
				continue
			}
			a.Settled.State, state = row.State, row.State
			for _, w := range row.Waits {
				a.Waits = append(a.Waits, Wait{w.For, w.Task, w.Glob, w.Until, w.Person})
			}
		}
	}
	work := a.Kept
	if a.Landing != nil {
		work = &a.Landing.Work
	} else {
		w, err := o.kept(ctx, s)
		var none *Unknown
		switch {
		case err == nil:
			a.Kept, work = &w, &w
		case !errors.As(err, &none):
			return err
		}
	}
	a.Next = steps(s, state, work)
	if state == board.Landed && s.Landing() == nil && work == nil { // from another clone
		a.apart, a.Next = o.comes(s.Board()), []Step{{o.brings(), ""}}
	}
	if err := a.elsewhere(ctx, r, o, s, state); err != nil {
		return err
	}
	var err error
	if a.holder, a.Lease, err = (&holders{o: o}).of(ctx, s.Board()); err != nil {
		return err
	}
	as := Row{State: state}
	if as.claimed(s.Board(), o.Died); as.died {
		a.Settled.Because, a.Next, a.died = as.Why, []Step{{"torve dispatch " + a.Task, ""}}, true
	}
	if state == truth.Draft {
		elsewhere, err := o.away(ctx, r)
		if err != nil {
			return err
		}
		if why, next := elsewhere.of(r, a.Task); why != "" {
			a.Settled.Because, a.Next, a.away = why, []Step{{next, ""}}, true
		}
	}
	if len(a.Waits) > 0 && a.Waits[0].Task != "" {
		a.Next = []Step{{"torve why " + a.Waits[0].Task, ""}}
	}
	return nil
}

// accounted names the carrier of every block.
func (a *WhyAnswer) accounted(r *truth.Reading, o Options, s truth.Settled) {
	carrier := fromFiles
	switch {
	case s.Board() != nil:
		carrier = fromRecord
	case a.Landing != nil:
		carrier = fromGit
	}
	rows := map[string]int{"tasks": 1, "attempts": len(a.Attempts), "divergences": len(a.Divergences), "decisions": len(a.Decisions)}
	for block, n := range rows {
		a.Sources[block] = o.source(carrier, n)
	}
	a.Sources["landings"] = o.source(fromGit, len(r.Landings))
}

// links lay out the chain from the subject to who asked for it.
func (a *WhyAnswer) links(f facts) {
	if l := a.Landing; l != nil {
		a.Chain = append(a.Chain, Link{"landing", l.Path, "landed " + l.At.UTC().Format(time.RFC3339)})
	}
	a.Chain = append(a.Chain, Link{"task", a.Task, f.title})
	for _, d := range a.Decisions {
		a.Chain = append(a.Chain, Link{"decision", d.ID, d.Text})
	}
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
