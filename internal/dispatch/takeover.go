package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/record"
)

// takeOver releases the claims whose holder on this host is gone, and names the
// others. Whether a holder lives is asked of the platform: its lock, and the
// process that the claim names; never of a stored time.
func (r *run) takeOver(ctx context.Context, b *board.Board) (took bool, err error) {
	r.report.HeldBy = nil
	for _, t := range claimed(b) {
		if r.mine[t.Claim.ID] {
			continue
		}
		unlock, dead, err := r.dead(t.Claim)
		if err != nil {
			return took, err
		}
		if !dead {
			r.report.HeldBy = append(r.report.HeldBy, r.heldBy(t))
			continue
		}
		err = r.bury(ctx, t.ID, t.Claim.ID)
		r.drop(&held{task: t.ID, id: t.Claim.ID, unlock: unlock})
		if err != nil {
			return took, fmt.Errorf("taking over %s from a run that died: %w", t.ID, err)
		}
		took = true
	}
	return took, nil
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

// dead asks whether a claim's holder on this host is gone; it holds the claim's lock
// when it says yes, so that two do not take one over.
func (s *Station) dead(c *board.Claim) (unlock func(), dead bool, err error) {
	if c.Host != s.Host {
		return nil, false, nil
	}
	unlock, got, err := s.Repo.TryLock(lockName(c.ID))
	if err != nil {
		return nil, false, fmt.Errorf("asking whether the holder of %s lives: %w", c.ID, err)
	}
	if got {
		return unlock, true, nil
	}
	if s.Alive == nil || s.Alive(c.Claimed) {
		return nil, false, nil
	}
	return func() {}, true, nil // something that it started has inherited the lock
}

// bury ends what the dead holder left running, closes its attempt with the tree kept,
// and releases the claim. The board is folded again first: another may have done it.
func (r *run) bury(ctx context.Context, task, claim string) error {
	t, err := r.holder(ctx, task, claim)
	if err != nil || t == nil {
		return err
	}
	if r.Hands.Crashed != nil {
		if err := r.Hands.Crashed(ctx, *t); err != nil {
			return err
		}
	}
	if t, err = r.holder(ctx, task, claim); err != nil || t == nil {
		return err
	}
	var facts []fact
	if n := len(t.Attempts); n > 0 && t.Attempts[n-1].Finished == nil {
		facts = append(facts, r.fact(task, claim, t.Attempts[n-1].N, crashed(t.Attempts[n-1])))
	}
	facts = append(facts, r.fact(task, claim, 0, record.Released{Why: "died"}))
	err = r.append(ctx, record.Holding(task, claim), facts...)
	if errors.Is(err, record.ErrMoved) {
		return nil
	}
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

// heldBy names a task's holder and the claim's age.
func (s *Station) heldBy(t *board.Task) string {
	age := s.Now().Sub(t.Claim.At).Truncate(time.Second)
	return fmt.Sprintf("%s is held by process %d on %s, for %s", t.ID, t.Claim.PID, t.Claim.Host, age)
}
