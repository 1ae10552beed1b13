package dispatch

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/record"
)

func TestADeadHoldersClaimIsTakenOverAndItsTaskGoesOn(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.append("T-0001", "dead", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	f.append("T-0001", "dead", 1, record.ByAttempt, record.Started{Mode: "first", Agent: record.Agent{Adapter: "command"},
		Base: f.head(), Worktree: "/w", Walls: "none", Contract: f.task("T-0001").Digest, Prompt: f.task("T-0001").Digest})
	var saved []string
	s := f.station(Options{})
	s.Hands.Crashed = func(_ context.Context, t board.Task) error {
		saved = append(saved, t.ID+" of "+t.Claim.ID)
		return nil
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	if len(saved) != 1 || saved[0] != "T-0001 of dead" {
		t.Errorf("saved %v", saved)
	}
	f.wants("attempt T-0001 2 first", "land T-0001")
	task := f.task("T-0001")
	if fin := task.Attempts[0].Finished; fin == nil || fin.End != "crashed" || task.Counted != 1 || f.outcome(r, "T-0001").Outcome != IsLanded {
		t.Errorf("the dead attempt is %+v, %d counted", fin, task.Counted)
	}
}

func TestALivingHolderIsNamedAndLeftAlone(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	release, got, err := f.repo.TryLock("claim-alive")
	f.must(err)
	if !got {
		t.Fatal("the lock is held")
	}
	defer release()
	f.append("T-0001", "alive", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	e, err := record.New(record.Claimed{Boot: "b", PID: 13, Start: "1", Worker: "1"}, noon, record.Envelope{Task: "T-0002", Claim: "away", Host: "other-host", Actor: record.Actor{Kind: record.ByDispatch}})
	f.must(err)
	_, err = f.log.Append(f.ctx, part, record.Always(), e)
	f.must(err)
	r := f.run(Options{Tasks: []string{"T-0001", "T-0002"}})
	f.wants()
	if len(r.HeldBy) != 2 || !strings.Contains(r.HeldBy[0], "process 12 on build-7") || !strings.Contains(r.HeldBy[1], "other-host") {
		t.Errorf("held by %q", r.HeldBy)
	}
	if o := f.outcome(r, "T-0001"); o.Outcome != IsWaiting || !strings.Contains(o.Reason, "process 12") {
		t.Errorf("%+v", o)
	}
	if r.NeedsPerson() {
		t.Error("what another holds needs no person")
	}
}

func TestAHolderWhoseLockWasInheritedIsDeadWhenItsProcessIs(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	release, _, err := f.repo.TryLock("claim-old")
	f.must(err)
	defer release()
	f.append("T-0001", "old", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	s := f.station(Options{})
	s.Alive = func(h record.Claimed) bool { return h.PID != 12 }
	_, err = s.Run(f.ctx)
	f.must(err)
	f.wants("attempt T-0001 1 first", "land T-0001")
}

func TestNoLockOfAClaimIsLeftBehind(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.append("T-0002", "dead", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	held := func() []string {
		files, err := filepath.Glob(filepath.Join(f.repo.Common, "torve", "lock", "claim-*"))
		f.must(err)
		return files
	}
	f.script["T-0001"] = []turn{{do: func() {
		if len(held()) != 1 {
			t.Errorf("while it runs its claim is held by %v", held())
		}
	}}}
	f.run(Options{Workers: 1})
	if left := held(); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
