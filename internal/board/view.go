package board

import (
	"cmp"
	"slices"
	"time"

	"torve/internal/contract"
)

// Row is a task as people see it at a time: View alone says waiting or queued.
type Row struct {
	*Task
	State State
	Waits []Wait // why it waits; empty unless waiting
	Order int    // place in the order of starting, from 1; 0 unless queued
}

// What a task can wait for.
const (
	ForDependency = "dependency"
	ForScope      = "scope"
	ForTime       = "time"
)

// Wait is one thing that a task waits for.
type Wait struct {
	For    string // dependency, scope or time
	Task   string // the dependency, or the task whose scope it meets
	Glob   string // the first of the waiting task's own that meets
	Until  time.Time
	Person bool // the thing waited for needs a person
}

// View says of every task, in id order, what each waits for: a dependency that
// landed does not know, a scope in flight, a time. shared paths never make two
// scopes meet. It changes nothing on the board.
func View(b *Board, landed func(task string) bool, shared []string, now time.Time) []Row {
	v := viewer{b: b, landed: landed, shared: shared, now: now}
	return v.see(make([]Row, 0, len(b.Tasks)), func(*Task) bool { return true })
}

// Open is View without the rows of what is over: of a long record nearly all is.
func Open(b *Board, landed func(task string) bool, shared []string, now time.Time) []Row {
	v := viewer{b: b, landed: landed, shared: shared, now: now}
	return v.see(nil, func(t *Task) bool { return !t.State.Over() })
}

// see adds a row for each task that is shown.
func (v *viewer) see(rows []Row, shown func(*Task) bool) []Row {
	v.frees = map[string]bool{}
	for _, t := range v.b.Tasks {
		if shown(t) {
			rows = append(rows, Row{Task: t, State: t.State})
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.ID, b.ID) })
	for _, r := range rows {
		if r.InFlight() || r.State == InReview {
			v.busy = append(v.busy, r.Task)
		}
	}
	for i := range rows {
		v.say(&rows[i])
	}
	order(rows)
	return rows
}

type viewer struct {
	b      *Board
	landed func(string) bool
	shared []string
	now    time.Time
	busy   []*Task         // what holds a scope
	frees  map[string]bool // by task: whether it comes to an end without a person; present and false while asked
}

// say says waiting or queued of a queued task. One that is requeued while its
// last holder has not let go is still claimed.
func (v *viewer) say(r *Row) {
	if r.State != Queued {
		return
	}
	if r.Claim != nil {
		r.State = Claimed
		return
	}
	r.Waits = v.waits(r.Task)
	if len(r.Waits) > 0 {
		r.State = Waiting
	}
}

// waits is what a queued task that nobody holds waits for: it is none of the busy ones.
func (v *viewer) waits(t *Task) []Wait {
	var out []Wait
	for _, id := range t.Contract.DependsOn {
		if !v.landed(id) {
			out = append(out, Wait{For: ForDependency, Task: id, Person: !v.free(id)})
		}
	}
	for _, other := range v.busy {
		if globs := contract.Meet(t.Contract.Scope, other.Contract.Scope, v.shared); len(globs) > 0 {
			out = append(out, Wait{For: ForScope, Task: other.ID, Glob: globs[0]})
		}
	}
	if t.NotBefore.After(v.now) {
		out = append(out, Wait{For: ForTime, Until: t.NotBefore})
	}
	return out
}

// free reports whether a task goes on by itself. One that nobody knows, that a
// person has to answer for, that waits on such a one, or that waits on itself
// over others, does not.
func (v *viewer) free(id string) bool {
	if known, asked := v.frees[id]; asked {
		return known
	}
	v.frees[id] = false
	t := v.b.Tasks[id]
	if t == nil {
		return false
	}
	v.frees[id] = v.goesOn(t)
	return v.frees[id]
}

func (v *viewer) goesOn(t *Task) bool {
	switch t.State {
	case Claimed, Running, Gated, Reviewed, Ready, InReview, Landed:
		return true
	case Queued:
		return !slices.ContainsFunc(t.Contract.DependsOn, func(id string) bool { return !v.landed(id) && !v.free(id) })
	}
	return false
}

// order numbers what may start: higher priority first, then older first.
func order(rows []Row) {
	var queue []*Row
	for i := range rows {
		if rows[i].State == Queued {
			queue = append(queue, &rows[i])
		}
	}
	slices.SortFunc(queue, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(b.Contract.Priority, a.Contract.Priority), cmp.Compare(a.MintSeq, b.MintSeq), cmp.Compare(a.ID, b.ID))
	})
	for i, r := range queue {
		r.Order = i + 1
	}
}
