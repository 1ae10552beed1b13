package view

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/truth"
)

// StatusAnswer is the board as people read it.
type StatusAnswer struct {
	Schema  string         `json:"schema"`
	Sources Sources        `json:"sources"`
	Target  Target         `json:"target"`
	Counts  map[string]int `json:"counts"`
	Tasks   []Row          `json:"tasks"`
	Faults  []Fault        `json:"faults"`

	from   From
	name   string
	manual bool
	bare   bool
	now    time.Time
	events int
	ended  []ended // every attempt that ended, for the day's figures
}

// Target is where landings go, and how far it is from what others can see.
type Target struct {
	Name     string `json:"name"`
	Head     string `json:"head"`
	Upstream string `json:"upstream"` // "" when it has none
	Ahead    int    `json:"ahead"`    // commits that the upstream does not have
}

// Row is one task on the board.
type Row struct {
	ID        string        `json:"id"`
	Title     string        `json:"title"`
	Owner     string        `json:"owner"`
	State     board.State   `json:"state"`
	Carrier   truth.Carrier `json:"carrier"`
	Attempts  int           `json:"attempts"`
	Why       string        `json:"why"`
	WaitsOn   []string      `json:"waits_on"`
	Agent     string        `json:"agent"`
	Host      string        `json:"host"`
	Worktree  string        `json:"worktree"`
	Since     time.Time     `json:"since,omitzero"`
	Landing   *Landed       `json:"landing"` // null when it has not landed
	Next      string        `json:"next"`    // a command to paste; "" where there is none
	Reason    string        `json:"reason"`  // why it needs a person, of the closed list
	Check     string        `json:"check"`   // the check that refused it
	USD       *float64      `json:"usd"`
	USDSource string        `json:"usd_source"`
	Waits     []Wait        `json:"waits"`

	budget  budget
	started time.Time // of the attempt that runs
	order   int
}

// Wait is one thing that a task waits for.
type Wait struct {
	For    string    `json:"for"` // dependency, scope or time
	Task   string    `json:"task"`
	Glob   string    `json:"glob"`
	Until  time.Time `json:"until,omitzero"`
	Person bool      `json:"person"` // it is a person who can free it
}

// Landed is where a task's landing is.
type Landed struct {
	Commit string    `json:"commit"`
	At     time.Time `json:"at"`
	Path   string    `json:"path"`
}

type budget struct {
	attempts int
	minutes  float64
	usd      float64
}

type ended struct {
	at     time.Time
	usd    *float64
	source string
}

// Status answers how every task stands that any carrier knows.
func Status(ctx context.Context, r *truth.Reading, o Options) (StatusAnswer, error) {
	a := StatusAnswer{
		Schema: "torve/status/v1", Counts: map[string]int{}, Tasks: []Row{},
		Faults: faults(r, func(f truth.Fault) bool { return o.Only == "" || f.Task == o.Only }),
		Target: target(ctx, r, o), from: o.Source, name: o.Name, manual: o.Manual, bare: o.Bare, now: o.Now,
	}
	rows := map[string]board.Row{}
	for _, row := range r.Rows(o.Now, o.Shared) {
		rows[row.ID] = row
	}
	for _, id := range r.Tasks() {
		if o.Only != "" && id != o.Only {
			continue
		}
		s := r.Settled(id)
		if err := s.Err(); err != nil {
			return StatusAnswer{}, err
		}
		var of *board.Row
		if row, there := rows[id]; there {
			of = &row
		}
		row := taskRow(ctx, r, s, of)
		if o.Mine != "" && row.Owner != o.Mine {
			continue
		}
		a.Counts[string(row.State)]++
		a.Tasks = append(a.Tasks, row)
	}
	a.account(r, o)
	return a, nil
}

// account names the carriers and gathers what the day's figures are made of.
func (a *StatusAnswer) account(r *truth.Reading, o Options) {
	attempts := 0
	if r.Board != nil {
		a.events = r.Board.Events
		for _, t := range r.Board.Tasks {
			attempts += len(t.Attempts)
			for _, at := range t.Attempts {
				if at.Finished != nil {
					a.ended = append(a.ended, ended{at.FinishedAt, at.Finished.Usage.USD, at.Finished.Usage.Source})
				}
			}
		}
	}
	a.Sources = Sources{
		"tasks":    o.source(carrierOf(r), len(a.Tasks)),
		"attempts": o.source(carrierOf(r), attempts),
		"landings": o.source(fromGit, len(r.Landings)),
	}
}

// NeedsPerson reports whether anything waits on a person.
func (a StatusAnswer) NeedsPerson() bool {
	return len(a.Faults) > 0 || slices.ContainsFunc(a.Tasks, a.needs)
}

// needs reports whether one task waits on a person.
func (a StatusAnswer) needs(t Row) bool {
	switch t.State {
	case board.Escalated, truth.RanHere, truth.Broken, truth.Removed:
		return true
	case board.Ready:
		return a.manual
	}
	return false
}

func target(ctx context.Context, r *truth.Reading, o Options) Target {
	t := Target{Name: r.Target, Head: r.Head}
	if r.Head == "" {
		return t
	}
	out, err := o.Repo.Run(ctx, "rev-parse", "--abbrev-ref", "--symbolic-full-name", r.Target+"@{upstream}")
	if err != nil {
		return t // it follows no other branch
	}
	upstream := strings.TrimSpace(out)
	if n, err := o.Repo.Ahead(ctx, r.Head, upstream); err == nil {
		t.Upstream, t.Ahead = upstream, n
	}
	return t
}

// taskRow is one task as its settled state and, where the record holds it, its
// board row say.
func taskRow(ctx context.Context, r *truth.Reading, s truth.Settled, row *board.Row) Row {
	out := Row{ID: s.Task(), State: s.State(), Carrier: s.Carrier(), WaitsOn: []string{}, Waits: []Wait{}, Why: s.Because()}
	f, err := factsOf(ctx, s, false)
	if err != nil {
		out.State, out.Why = truth.Broken, err.Error()
	}
	out.Title, out.Owner, out.Attempts, out.Landing = f.title, f.owner, f.attempts, f.landed
	out.USD, out.USDSource = f.usd, f.source
	if t := s.Board(); t != nil {
		out.fromBoard(t)
	} else if h := s.Host(); h != nil {
		out.Agent, out.Host, out.Worktree, out.Since = h.Agent, h.Host, h.Worktree, h.Updated
	}
	if row != nil && s.Carrier() == truth.Board {
		out.State, out.order = row.State, row.Order
		out.wait(row.Waits)
	}
	out.Next = next(r, s, out)
	return out
}

// fromBoard fills what the record alone knows.
func (r *Row) fromBoard(t *board.Task) {
	b := t.Contract.Budget
	r.Since, r.budget = t.Since, budget{b.Attempts, b.Minutes, b.USD}
	if n := len(t.Attempts); n > 0 {
		a := t.Attempts[n-1]
		r.Agent, r.Worktree = agentName(a.Started.Agent.Adapter, a.Started.Agent.Model), a.Started.Worktree
		if a.Finished == nil {
			r.started = a.StartedAt
		}
	}
	if t.Claim != nil {
		r.Host = t.Claim.Host
	}
	if e := t.Escalation; e != nil && t.State == board.Escalated {
		r.Reason, r.Check, r.Why, r.Since = e.Reason, e.Check, e.Detail, e.At
	}
}

// wait says what a waiting task waits for, in words without a time of day.
func (r *Row) wait(waits []board.Wait) {
	var words []string
	for _, w := range waits {
		r.Waits = append(r.Waits, Wait{w.For, w.Task, w.Glob, w.Until, w.Person})
		if w.Task != "" && !slices.Contains(r.WaitsOn, w.Task) {
			r.WaitsOn = append(r.WaitsOn, w.Task)
		}
		words = append(words, waitWords(Wait{w.For, w.Task, w.Glob, w.Until, w.Person}, r.Agent, time.UTC))
	}
	if len(words) > 0 {
		r.Why = strings.Join(words, "; ")
	}
}

func waitWords(w Wait, agent string, zone *time.Location) string {
	switch w.For {
	case board.ForDependency:
		return "after " + w.Task + " lands"
	case board.ForScope:
		return "scope meets " + w.Task + ": " + w.Glob
	}
	until := w.Until.In(zone).Format("15:04")
	if zone == time.UTC {
		until = w.Until.UTC().Format(time.RFC3339)
	}
	adapter, _, _ := strings.Cut(agent, "@")
	return cmp.Or(adapter, "the agent") + "'s limit, until " + until
}

func agentName(adapter, model string) string {
	if model == "" {
		return adapter
	}
	return adapter + "@" + model
}
