package view

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/strictyaml"
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
	told   bool    // something here tells of attempts
	all    bool    // no section is cut
	live   bool    // a run is under way on this host
	mine   bool    // only one owner's tasks
	ended  []tried // every attempt that ended, for the day's figures
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
	Lease     *Lease        `json:"lease,omitempty"` // of a claim that another clone made, where its holder keeps one
	Flaky     []string      `json:"flaky"`           // acceptance lines of its newest attempt that passed only when they were run once more

	budget  budget
	away    bool      // a draft that is committed, and not on the target
	apart   bool      // what its next step needs is in another clone alone, or what landed is
	holder  string    // who holds it in another clone, and whether he was heard of
	held    bool      // a run holds it, as far as anybody can say
	died    bool      // the run that was at it is gone
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
	counted  int // attempts that count since the last requeue
	attempts int
	minutes  float64
	usd      float64
	since    Figures // of what ended since the last requeue
}

// budgetOf is a task's budget and what of its attempts counts, the running one too.
func budgetOf(t *board.Task) budget {
	b := t.Contract.Budget
	n := t.Counted
	if last := len(t.Attempts); last > 0 && t.Attempts[last-1].Finished == nil {
		n++
	}
	out := budget{counted: n, attempts: b.Attempts, minutes: b.Minutes, usd: b.USD}
	for _, a := range t.Attempts[min(t.Asked, len(t.Attempts)):] {
		if row, ended := truth.RowOf(t.ID, a); ended {
			out.since.add(ofRow(row, nil))
		}
	}
	return out
}

// Status answers how every task stands that any carrier knows.
func Status(ctx context.Context, r *truth.Reading, o Options) (StatusAnswer, error) {
	a := StatusAnswer{
		Schema: "torve/status/v1", Counts: map[string]int{}, Tasks: []Row{},
		Faults: faults(r, func(f truth.Fault) bool { return o.Only == "" || f.Task == o.Only }),
		from:   o.Source, name: o.Name, manual: o.Manual, bare: o.Bare, now: o.Now, all: o.All, mine: o.Mine != "",
	}
	var err error
	if a.Target, err = target(ctx, r, o); err != nil {
		return StatusAnswer{}, err
	}
	ids := a.listed(r, o)
	if err := o.read(ctx, r, ids); err != nil {
		return StatusAnswer{}, err
	}
	rows := o.rows(r)
	elsewhere, err := o.away(ctx, r)
	if err != nil {
		return StatusAnswer{}, err
	}
	a.Tasks = make([]Row, 0, len(ids))
	holders := holders{o: o}
	for _, id := range ids {
		s := r.Settled(id)
		if err := s.Err(); err != nil {
			return StatusAnswer{}, err
		}
		var of *board.Row
		if at, there := slices.BinarySearchFunc(rows, id, func(r board.Row, id string) int { return cmp.Compare(r.ID, id) }); there {
			of = &rows[at]
		}
		f, err := a.facts(ctx, s)
		if err != nil {
			return StatusAnswer{}, err
		}
		row := taskRow(r, s, f, of)
		row.claimed(s.Board(), o.Died)
		if row.holder, row.Lease, err = holders.of(ctx, s.Board()); err != nil {
			return StatusAnswer{}, err
		}
		a.live = a.live || row.held && o.Runs != nil && o.Runs(s.Board().Claim)
		if why, next := elsewhere.of(r, id); row.State == truth.Draft && why != "" {
			row.Why, row.Next, row.away = why, next, true
		}
		if err := row.elsewhere(ctx, r, o, s); err != nil {
			return StatusAnswer{}, err
		}
		if o.Mine != "" && !strings.EqualFold(row.Owner, o.Mine) {
			continue
		}
		a.Counts[string(row.State)]++
		a.Tasks = append(a.Tasks, row)
	}
	if err := a.account(ctx, r, o); err != nil {
		return StatusAnswer{}, err
	}
	return a, nil
}

// glances reports whether what is over is counted and not listed, as on the board as
// people read it: of ten thousand tasks it shows some thirty.
func (o Options) glances() bool { return o.Brief && o.Mine == "" && o.Only == "" }

// rows are the board's, of what is not over where the rest is only counted.
func (o Options) rows(r *truth.Reading) []board.Row {
	if o.glances() {
		return r.Open(o.Now, o.Shared)
	}
	return r.Rows(o.Now, o.Shared)
}

// read reads what the record has of the tasks that have a row.
func (o Options) read(ctx context.Context, r *truth.Reading, ids []string) error {
	if o.glances() || o.Only != "" {
		return r.Read(ctx, ids...)
	}
	return r.ReadAll(ctx)
}

// listed are the tasks that have a row, in id order; what else is over is counted here.
func (a *StatusAnswer) listed(r *truth.Reading, o Options) []string {
	switch {
	case o.Only != "" && !r.Settled(o.Only).Known():
		return nil
	case o.Only != "":
		return []string{o.Only}
	case !o.glances():
		return r.Tasks()
	}
	var ids []string
	shown := newest(r, o.Now)
	for id, s := range r.All() {
		if state := s.State(); state.Over() && !shown[id] && !unpulled(s) {
			a.Counts[string(state)]++
			continue
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// newest are the tasks that landed last: all of the last two days, and at least as many as
// the board shows of other days.
func newest(r *truth.Reading, now time.Time) map[string]bool {
	shown := map[string]bool{}
	for _, f := range r.Landings {
		if len(shown) >= mostBefore && now.Sub(f.At) > twoDays {
			break
		}
		if s := r.Settled(f.Task); s.State() == board.Landed && s.Landing().Path == f.Path {
			shown[f.Task] = true
		}
	}
	return shown
}

// twoDays hold all of a reader's today, wherever they are.
const twoDays = 48 * time.Hour

// facts are what is known of a task. A landing that does not read further than its head
// has landed all the same; it is named among the faults.
func (a *StatusAnswer) facts(ctx context.Context, s truth.Settled) (facts, error) {
	f, err := factsOf(ctx, s, false)
	var broken *strictyaml.Error
	if errors.As(err, &broken) {
		a.Faults = append(a.Faults, Fault{Path: broken.File, Task: s.Task(), Error: broken.Error(), Hint: broken.Hint})
		file := s.Landing()
		return facts{landed: &Landed{At: file.At, Path: file.Path}}, nil
	}
	return f, err
}

// account names the carriers and gathers what the day's figures are made of.
func (a *StatusAnswer) account(ctx context.Context, r *truth.Reading, o Options) error {
	var since time.Time
	if o.glances() {
		since = o.Now.Add(-twoDays)
	}
	t, err := o.attempts(ctx, r, since, nil)
	if err != nil {
		return err
	}
	tasks := 0
	for _, n := range a.Counts {
		tasks += n
	}
	a.told = r.Board != nil || t.any || len(t.rows) > 0
	a.ended = t.rows
	if o.Mine != "" {
		shown := map[string]bool{}
		for _, row := range a.Tasks {
			shown[row.ID] = true
		}
		a.ended = slices.DeleteFunc(slices.Clone(t.rows), func(e tried) bool { return !shown[e.task] })
	}
	a.Faults = append(a.Faults, t.faults...)
	a.Sources = Sources{
		"tasks":    o.source(carrierOf(r), tasks),
		"attempts": o.source(t.carrier, len(a.ended)),
		"landings": o.source(fromGit, len(r.Landings)),
	}
	return nil
}

// At is the same board seen at another time: what runs has run longer.
func (a StatusAnswer) At(now time.Time) StatusAnswer {
	a.now = now
	return a
}

// NeedsPerson reports whether anything waits on a person: of one owner's tasks alone,
// where the board is theirs. A file that does not read names no owner.
func (a StatusAnswer) NeedsPerson() bool {
	return len(a.Faults) > 0 && !a.mine || slices.ContainsFunc(a.Tasks, a.needs)
}

// needs reports whether one task waits on a person.
func (a StatusAnswer) needs(t Row) bool {
	switch t.State {
	case board.Escalated, truth.RanHere, truth.Broken, truth.Removed:
		return true
	case board.Ready:
		return a.manual && !t.apart
	}
	return false
}

func target(ctx context.Context, r *truth.Reading, o Options) (t Target, err error) {
	t.Name, t.Head = r.Target, r.Head
	switch {
	case r.Follows != nil:
		t.Upstream, t.Ahead = r.Follows.Name, r.Follows.Ahead
	case r.Head != "":
		t.Upstream, t.Ahead, err = o.Repo.Upstream(ctx, r.Target, r.Head)
	}
	return t, err
}
