package board

import "torve/internal/record"

// claimed opens a claim. While one is open a second takes nothing. Accepted work
// that is claimed to be landed stays accepted, and a closed task stays closed.
func (b *Board) claimed(e record.Event, p record.Claimed) {
	b.ClaimSeq = e.Seq
	t := b.task(e.Task)
	if t.Claim != nil {
		return
	}
	t.Claim = &Claim{ID: e.Claim, Host: e.Host, Claimed: p, At: e.At}
	if t.State == Queued {
		t.move(Claimed, e.At)
	}
}

// released ends the claim that it names. What was in flight is queued, not
// before a quota's time; every other state stays as it is.
func (b *Board) released(e record.Event, p record.Released) {
	b.ClaimSeq = e.Seq
	t := b.task(e.Task)
	if t.Claim == nil || t.Claim.ID != e.Claim {
		return
	}
	t.Claim = nil
	switch t.State {
	case Claimed, Running, Gated, Reviewed:
		t.queue(e.At)
	}
	if t.State == Queued {
		t.NotBefore = p.NotBefore
	}
}
