package board

import (
	"slices"
	"time"

	"torve/internal/record"
)

// started opens an attempt: a person's answer is acted on, and accepted work of
// an earlier attempt gives way.
func (b *Board) started(e record.Event, p record.Started) {
	t := b.task(e.Task)
	a := t.attempt(e.Attempt)
	a.Started, a.StartedAt, a.Host = p, e.At, e.Host
	t.NotBefore = time.Time{}
	if t.closed() {
		return
	}
	t.Answer, t.Accepted = nil, nil
	if t.State == Ready && t.Claim == nil { // nothing is accepted any more, and nobody works on it
		t.queue(e.At)
	}
	t.work(Running, e.At)
}

// finished closes an attempt; the first account of its end is the one that holds.
func (b *Board) finished(e record.Event, p record.Finished) {
	t := b.task(e.Task)
	a := t.attempt(e.Attempt)
	if a.Finished != nil {
		return
	}
	a.Finished, a.FinishedAt = &p, e.At
	if Counts(p.End) {
		t.Counted++
	}
	if p.End == "done" {
		t.work(Gated, e.At)
		return
	}
	t.work(Claimed, e.At)
}

// Counts reports whether an attempt that ended so counts against the budget.
func Counts(end string) bool {
	switch end {
	case "done", "halted", "time", "idle", "money":
		return true
	}
	return false
}

// judged keeps the gate's answers and moves by them: accepted work is ready,
// refused work is back with the holder of the claim.
func (b *Board) judged(e record.Event, p record.Judged) {
	t := b.task(e.Task)
	a := t.attempt(e.Attempt)
	p.Row = nil // the ledger's, which nothing decides by
	a.Judged = append(a.Judged, Judging{Judged: p, At: e.At})
	if t.closed() {
		return
	}
	t.Answer = nil
	if p.Verdict != "accepted" {
		t.Accepted = nil
		t.refuse(e.At)
		return
	}
	if p.Moment == "arrival" || t.Accepted == nil {
		t.Accepted = a.accepted(p.Tree)
	}
	t.move(Ready, e.At)
}

// refuse gives work back to whoever holds the claim, else to the queue.
func (t *Task) refuse(at time.Time) {
	if t.Claim == nil {
		t.queue(at)
		return
	}
	t.work(Claimed, at)
}

// accepted names an attempt's work as the one that may land.
func (a *Attempt) accepted(tree string) *Accepted {
	out := &Accepted{Attempt: a.N, Base: a.Started.Base, Tree: tree}
	if f := a.Finished; f != nil {
		out.Base, out.Head, out.Ref = f.Base, f.Head, f.Ref
	}
	return out
}

// attempt finds an attempt by its number, or adds it in its place.
func (t *Task) attempt(n int) *Attempt {
	if a := t.Attempt(n); a != nil {
		return a
	}
	at := slices.IndexFunc(t.Attempts, func(a Attempt) bool { return a.N > n })
	if at < 0 {
		at = len(t.Attempts)
	}
	t.Attempts = slices.Insert(t.Attempts, at, Attempt{N: n})
	return &t.Attempts[at]
}

// divergence keeps what the executor says of a graded decision.
func (b *Board) divergence(e record.Event, p record.Divergence) {
	t := b.task(e.Task)
	t.Log = append(t.Log, Noted{Divergence: p, Attempt: e.Attempt, At: e.At})
}

// reviewed says that a reviewer has the attempt, or found what blocks it.
func (b *Board) reviewed(e record.Event) { b.task(e.Task).work(Reviewed, e.At) }

// spend keeps money that belongs to no attempt.
func (b *Board) spend(e record.Event, p record.Spend) {
	if e.Task == "" {
		b.Spends = append(b.Spends, p)
		return
	}
	t := b.task(e.Task)
	t.Spends = append(t.Spends, p)
}
