package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
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

func TestAHolderLivesWhileItsLockIsHeldOrItsProcessRuns(t *testing.T) {
	f := newField(t)
	for _, id := range []string{"T-0001", "T-0002", "T-0003"} {
		f.mint(id)
	}
	release, _, err := f.repo.TryLock("claim-held") // by another container, which counts its processes by itself
	f.must(err)
	defer release()
	f.append("T-0001", "held", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	f.append("T-0002", "swept", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 13, Start: "1", Worker: "1"}) // its lock's file was removed
	f.append("T-0003", "gone", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 14, Start: "1", Worker: "1"})
	s := f.station(Options{})
	s.Alive = func(h record.Claimed) bool { return h.PID == 13 }
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants("attempt T-0003 1 first", "land T-0003")
	if len(r.HeldBy) != 2 {
		t.Errorf("held by %q", r.HeldBy)
	}
	for _, id := range []string{"T-0001", "T-0002"} {
		if f.task(id).Claim == nil {
			t.Errorf("%s was taken from its holder", id)
		}
	}
}

func TestAHostThatIsCalledByAnotherNameNowFreesItsClaims(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	for task, claim := range map[string]string{"T-0001": "before", "T-0002": "away"} {
		e, err := record.New(record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"}, noon, record.Envelope{Task: task, Claim: claim, Host: "old-name", Actor: record.Actor{Kind: record.ByDispatch}})
		f.must(err)
		_, err = f.log.Append(f.ctx, part, record.Always(), e)
		f.must(err)
	}
	release, _, err := f.repo.TryLock("claim-before") // its file stands in this repository
	f.must(err)
	release()
	r := f.run(Options{})
	f.wants("attempt T-0001 1 first", "land T-0001")
	if len(r.HeldBy) != 1 || !strings.Contains(r.HeldBy[0], "T-0002") {
		t.Errorf("held by %q", r.HeldBy)
	}
}

func TestWhatADeadRunLeftAndNobodyCanTakeStopsThatTaskAlone(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.append("T-0001", "dead", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	s := f.station(Options{})
	tries := 0
	s.Hands.Crashed = func(context.Context, board.Task) error { tries++; return errors.New("the disk is full") }
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants("attempt T-0002 1 first", "land T-0002")
	o := f.outcome(r, "T-0001")
	if tries != 1 || o.Outcome != IsWaiting || o.Why != "infrastructure" || !strings.Contains(o.Reason, "the disk is full") || o.Next != "torve dispatch T-0001" {
		t.Errorf("after %d tries: %+v", tries, o)
	}
	s.Hands.Crashed = nil // the next dispatch tries again
	_, err = s.Run(f.ctx)
	f.must(err)
	if got := f.task("T-0001").State; got != board.Landed {
		t.Errorf("T-0001 is %s", got)
	}
}

func TestWhatEarlierRunsLeftIsPutInOrderFirst(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	lock := filepath.Join(f.repo.Common, "torve", "lock", "claim-never.lock")
	release, _, err := f.repo.TryLock("claim-never") // a crash between the lock and the claim
	f.must(err)
	release()
	s := f.station(Options{})
	var order []string
	s.Hands.Tidy = func(_ context.Context, rd *truth.Reading) error {
		order = append(order, fmt.Sprintf("tidy with %d tasks", len(rd.Board.Tasks)))
		return errors.New("a folder that is shut")
	}
	s.Note = func(n Note) {
		if n.Kind == "warn" || n.Kind == "started" {
			order = append(order, n.Kind+" "+n.Text)
		}
	}
	_, err = s.Run(f.ctx)
	f.must(err)
	want := []string{"tidy with 1 tasks", "warn putting in order what earlier runs left: a folder that is shut", "started attempt 1 by command (first)"}
	if !slices.Equal(order, want) {
		t.Errorf("%q", order)
	}
	if _, err := os.Lstat(lock); err == nil {
		t.Error("the lock's file is left")
	}
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
