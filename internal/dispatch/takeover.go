package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/failpoint"
	"torve/internal/record"
)

// takeOver releases the claims whose holder on this host is gone, and names the
// others. Whether a holder lives is asked of the platform: its lock, and the
// process that the claim names; never of a stored time. What one dead run left may be
// beyond taking: that stops that task alone.
func (r *run) takeOver(ctx context.Context, b *board.Board) (took bool, err error) {
	r.report.HeldBy, r.others = nil, nil
	for _, t := range claimed(b) {
		if r.holds(t.Claim.ID) || r.stuck[t.Claim.ID] {
			continue
		}
		h, dead, err := r.dead(t)
		if err != nil {
			return took, err
		}
		if !dead {
			r.report.HeldBy, r.others = append(r.report.HeldBy, r.heldBy(t)), append(r.others, t)
			continue
		}
		err = r.bury(ctx, t.ID, t.Claim.ID)
		var left *leftOver
		switch {
		case errors.As(err, &left) && ctx.Err() == nil:
			h.unlock() // the lock's file stays, for the next who tries
			r.leave(t, left)
			continue
		case err != nil:
			h.unlock()
			return took, fmt.Errorf("taking over %s from a run that died: %w", t.ID, err)
		}
		r.drop(h)
		r.leases.release(h.id)
		took = true
	}
	return took, nil
}

// leftOver is what a dead run left that could not be taken.
type leftOver struct{ err error }

func (l *leftOver) Error() string { return l.err.Error() }
func (l *leftOver) Unwrap() error { return l.err }

// leave goes on without a task whose dead run could not be taken over. Its claim stays
// open, and the next dispatch tries again.
func (r *run) leave(t *board.Task, why *leftOver) {
	r.stuck[t.Claim.ID] = true
	text := "its run died, and what it left could not be taken: " + why.Error()
	r.note(Note{Kind: "warn", Task: t.ID, Text: text})
	r.add(Outcome{
		ID: t.ID, Title: t.Contract.Title, Outcome: IsWaiting, Reason: text, Why: "infrastructure", Next: "torve dispatch " + t.ID,
	})
}

// claimed are the tasks with an open claim, in id order.
func claimed(b *board.Board) []*board.Task {
	var out []*board.Task
	for _, t := range b.Tasks {
		if t.Claim != nil {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *board.Task) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// dead asks whether a claim's holder is gone; it gives the claim's lock when it is, so
// that two do not take one over. A lock that is held says that the holder lives. One that
// is free says that it does not, unless the very process that the claim names runs on
// this host: somebody has then swept the file of its lock away. A host is called by
// another name after a restart, and in another container: where the file of the lock
// stands in this repository, the claim was made over this very record.
func (r *run) dead(t *board.Task) (h *held, dead bool, err error) {
	c := t.Claim
	r.claims.mu.Lock()
	fell := r.claims.fell[c.ID]
	r.claims.mu.Unlock()
	unlock, dead, err := r.orphaned(c, fell)
	return &held{task: t.ID, id: c.ID, unlock: unlock}, dead, err
}

// Lives reports whether the holder of a claim is there still, as far as this host can
// tell. One on another host is taken to be.
func (s *Station) Lives(c *board.Claim) (bool, error) {
	unlock, dead, err := s.orphaned(c, false)
	if dead {
		unlock()
	}
	return !dead, err
}

// orphaned asks for a claim's lock. A claim whose driver fell is dead although its process
// lives.
func (s *Station) orphaned(c *board.Claim, fell bool) (unlock func(), dead bool, err error) {
	if !s.MadeHere(c) {
		return nil, false, nil
	}
	unlock, got, err := s.Repo.TryLock(lockName(c.ID))
	if err != nil {
		return nil, false, fmt.Errorf("asking whether the holder of %s lives: %w", c.ID, err)
	}
	if !got {
		return nil, false, nil
	}
	if c.Host == s.Host && !fell && s.outlives(c) {
		unlock()
		return nil, false, nil
	}
	return unlock, true, nil
}

// MadeHere reports whether whoever holds a claim can be asked for here. In a store that
// several clones share the file of its lock says so, and the host's name alone does not:
// another clone on this host holds what it claimed, and so may another host of the same name.
func (s *Station) MadeHere(c *board.Claim) bool {
	return s.lockedHere(c.ID) || c.Host == s.Host && !record.Shared(s.Log)
}

// outlives reports whether the process of a claim lives on without its lock. One that is
// just ending has let go of its files before it is gone.
func (s *Station) outlives(c *board.Claim) bool {
	if s.Alive == nil {
		return false
	}
	for range 10 {
		if !s.Alive(c.Claimed) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

// bury ends what the dead holder left running, closes its attempt with the tree kept,
// and releases the claim. The board is folded again first: another may have done it.
func (r *run) bury(ctx context.Context, task, claim string) error {
	t, err := r.holder(ctx, task, claim)
	if err != nil || t == nil {
		return err
	}
	if r.Hands.Crashed != nil {
		if err := r.Hands.Crashed(ctx, *t); err != nil && !errors.Is(err, record.ErrMoved) {
			return &leftOver{err}
		}
	}
	failpoint.Hit(failpoint.DispatchTaken)
	if t, err = r.holder(ctx, task, claim); err != nil || t == nil {
		return err
	}
	var facts []fact
	if n := len(t.Attempts); n > 0 && t.Attempts[n-1].Finished == nil {
		facts = append(facts, r.fact(task, claim, t.Attempts[n-1].N, crashed(t.Attempts[n-1])))
	}
	facts = append(facts, r.fact(task, claim, 0, record.Released{Why: "died"}))
	if t.State == board.Landed {
		r.putAway(ctx, t)
	}
	err = r.append(ctx, record.Holding(task, claim), facts...)
	if errors.Is(err, record.ErrMoved) {
		return nil
	}
	failpoint.Hit(failpoint.DispatchBuried)
	r.note(Note{Kind: "warn", Task: task, Text: "its run died; it is taken up again"})
	return err
}

// holder is the task as it stands while that claim is open; nil when it no longer is.
func (r *run) holder(ctx context.Context, task, claim string) (*board.Task, error) {
	rd, err := r.gather(ctx)
	if err != nil {
		return nil, err
	}
	t := rd.Board.Tasks[task]
	if t == nil || t.Claim == nil || t.Claim.ID != claim {
		return nil, nil
	}
	return t, nil
}

// crashed closes an attempt of which nothing but its start is known.
func crashed(a board.Attempt) record.Finished {
	return record.Finished{
		End: "crashed", Exit: -1, Base: a.Started.Base, Agent: a.Started.Agent,
		Usage: record.Usage{Source: "unknown"}, Why: "torve or the machine died, and no tree was left",
	}
}
