package board

import (
	"time"

	"torve/internal/record"
)

// proposed says that the accepted work is a pull request now: not in flight, but
// what meets its scope waits.
func (b *Board) proposed(e record.Event, p record.Proposed) {
	t := b.task(e.Task)
	t.Proposed = &p
	if !t.closed() {
		t.move(InReview, e.At)
	}
}

// landed says that a landing file is in the target's tree. It outranks every
// state but reverted, which ranks as the landing did, whichever was seen first.
func (b *Board) landed(e record.Event, p record.Landed) {
	t := b.task(e.Task)
	if t.Landing == nil || t.Landing.Path != p.Path {
		t.Landing, t.LandedAt, t.LandedBy = &p, e.At, e.Actor.ID
	}
	t.settle()
	if t.State != Reverted {
		t.move(Landed, e.At)
	}
	for _, id := range p.Reverts {
		r := b.task(id)
		r.settle()
		r.move(Reverted, e.At)
	}
}

// settle drops what only unlanded work has.
func (t *Task) settle() {
	t.Accepted, t.Escalation, t.Answer, t.NotBefore = nil, nil, nil, time.Time{}
}
