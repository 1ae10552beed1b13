package board

import (
	"time"

	"torve/internal/record"
)

// escalation says that the task needs a person. What landed or was given up
// needs none.
func (b *Board) escalation(e record.Event, p record.Escalation) {
	t := b.task(e.Task)
	switch t.State {
	case Landed, Reverted, Abandoned:
		return
	}
	t.Escalation = &Escalation{Escalation: p, At: e.At, Attempt: e.Attempt}
	t.NotBefore = time.Time{}
	t.move(Escalated, e.At)
}

// resolved is a person's answer; it needs no open escalation. A reverted task
// has none: new work takes a new id.
func (b *Board) resolved(e record.Event, p record.Resolved) {
	t := b.task(e.Task)
	if t.State == Reverted {
		return
	}
	switch p.Answer {
	case "requeued":
		t.requeue(e, p)
	case "abandoned":
		t.abandon(e, p)
	case "landed":
		t.settle()
		t.move(Landed, e.At)
	case "accepted":
		t.accept(e, p)
	}
}

// requeue starts the budget's counters again. Asking the kept tree again needs
// the accepted work; going on or starting over does not.
func (t *Task) requeue(e record.Event, p record.Resolved) {
	if p.Mode == "continue" || p.Mode == "fresh" {
		t.Accepted = nil
	}
	t.Asked, t.AskedSpends = len(t.Attempts), len(t.Spends)
	t.Counted, t.Escalation, t.NotBefore, t.Proposed = 0, nil, time.Time{}, nil
	t.Landing, t.LandedAt, t.LandedBy = nil, time.Time{}, ""
	t.Answer = &Answer{Resolved: p, At: e.At, By: e.Actor.ID}
	t.queue(e.At)
}

func (t *Task) abandon(e record.Event, p record.Resolved) {
	if t.State == Landed {
		return
	}
	t.Escalation, t.NotBefore = nil, time.Time{}
	t.Answer = &Answer{Resolved: p, At: e.At, By: e.Actor.ID}
	t.move(Abandoned, e.At)
}

// accept takes the last kept work as accepted by a person; without any there is
// nothing to land and the task is queued.
func (t *Task) accept(e record.Event, p record.Resolved) {
	if t.State == Landed {
		return
	}
	t.Escalation = nil
	t.Answer = &Answer{Resolved: p, At: e.At, By: e.Actor.ID}
	for i := len(t.Attempts) - 1; i >= 0; i-- {
		a := &t.Attempts[i]
		if a.Finished == nil || a.Finished.Head == "" {
			continue
		}
		if t.Accepted == nil || t.Accepted.Attempt != a.N {
			t.Accepted = a.accepted(a.Finished.Tree)
		}
		t.move(Ready, e.At)
		return
	}
	t.queue(e.At)
}
