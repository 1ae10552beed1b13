package dispatch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/failpoint"
	"torve/internal/record"
)

// held is one open claim of this run: its lock lives as long as this process, and
// whoever gets the lock knows that the holder is gone.
type held struct {
	task, id string
	unlock   func()
}

// claimEnd is how long the release of a claim may take once the run is interrupted.
const claimEnd = 30 * time.Second

// claim takes a task as the board was folded. ErrMoved says that another was first.
func (s *Station) claim(ctx context.Context, b *board.Board, t *board.Task, worker int) (*held, error) {
	h := &held{task: t.ID, id: rand.Text()}
	unlock, got, err := s.Repo.TryLock(lockName(h.id))
	if err != nil {
		return nil, fmt.Errorf("taking the lock of a claim: %w", err)
	}
	if !got { // another run sweeps it away, taking it for one that a crash left: there is a next id
		return nil, fmt.Errorf("the lock of the new claim %s is swept away: %w", h.id, record.ErrMoved)
	}
	h.unlock = unlock
	failpoint.Hit(failpoint.DispatchLocked)
	p := s.Self
	p.Worker = fmt.Sprint(worker)
	at := record.ClaimsAt(b.ClaimSeq).And(record.TaskAt(t.ID, t.Last))
	if err := s.append(ctx, at, s.fact(t.ID, h.id, 0, p)); err != nil {
		s.drop(h)
		return nil, err
	}
	failpoint.Hit(failpoint.DispatchClaimed)
	return h, nil
}

// release ends a claim, with an escalation before it where one is due. It is written
// although the run was interrupted. ErrMoved says that the claim was lost before.
func (s *Station) release(ctx context.Context, h *held, p record.Released, raise *record.Escalation, attempt int) error {
	defer s.drop(h)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimEnd)
	defer cancel()
	p.NotBefore = p.NotBefore.UTC().Truncate(time.Second)
	var facts []fact
	if raise != nil {
		facts = append(facts, s.fact(h.task, h.id, attempt, *raise))
	}
	err := s.append(ctx, record.Holding(h.task, h.id), append(facts, s.fact(h.task, h.id, 0, p))...)
	failpoint.Hit(failpoint.DispatchReleased)
	return err
}

// drop gives the claim's lock back. Claim ids are never used again, so that its file
// goes with it.
func (s *Station) drop(h *held) {
	_ = os.Remove(s.lockFile(h.id))
	failpoint.Hit(failpoint.DispatchUnlocked)
	h.unlock()
}

const lockPrefix = "claim-"

func lockName(claim string) string { return lockPrefix + claim }

func (s *Station) lockFolder() string { return filepath.Join(s.Repo.Common, "torve", "lock") }

func (s *Station) lockFile(claim string) string {
	return filepath.Join(s.lockFolder(), lockName(claim)+".lock")
}

// lockedHere reports whether the file of a claim's lock stands in this repository.
func (s *Station) lockedHere(claim string) bool {
	_, err := os.Lstat(s.lockFile(claim))
	return err == nil
}

// sweepLocks takes away the files of locks that no open claim has and nobody holds: a
// crash between the lock and the claim leaves one.
func (s *Station) sweepLocks(b *board.Board) {
	open := map[string]bool{}
	for _, t := range claimed(b) {
		open[t.Claim.ID] = true
	}
	entries, err := os.ReadDir(s.lockFolder())
	if err != nil {
		return // there are none, or the next who takes a lock says what is wrong
	}
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), ".lock")
		id, isClaim := strings.CutPrefix(name, lockPrefix)
		if !isLock || !isClaim || open[id] {
			continue
		}
		if unlock, got, err := s.Repo.TryLock(lockName(id)); err == nil && got {
			s.drop(&held{id: id, unlock: unlock})
		}
	}
}

// fact is an event in the making; its error comes with the append.
type fact struct {
	event record.Event
	err   error
}

func (s *Station) fact(task, claim string, attempt int, p record.Payload) fact {
	if e, raised := p.(record.Escalation); raised && s.Mask != nil {
		e.Detail = s.Mask(e.Detail)
		p = e
	}
	e, err := record.New(p, s.Now(), record.Envelope{
		Task: task, Attempt: attempt, Claim: claim, Host: s.Host,
		Actor: record.Actor{Kind: record.ByDispatch, ID: s.By},
	})
	return fact{e, err}
}

func (s *Station) append(ctx context.Context, cond record.Cond, facts ...fact) error {
	events := make([]record.Event, len(facts))
	for i, f := range facts {
		if f.err != nil {
			return f.err
		}
		events[i] = f.event
	}
	if _, err := s.Log.Append(ctx, s.Partition, cond, events...); err != nil {
		if errors.Is(err, record.ErrMoved) {
			return err
		}
		return fmt.Errorf("recording %s of %s: %w", events[0].Kind, events[0].Task, err)
	}
	return nil
}
