package attempt

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"torve/internal/carrier"
	"torve/internal/process"
	"torve/internal/record"
)

// crash leaves an attempt as a torve that died in the middle of it would: started in
// the record, its files in the worktree, a process that still runs.
func (w *world) crash() *run {
	w.t.Helper()
	ctx := w.t.Context()
	w.agent("exit:0")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	r, missing, err := w.s.prepare(ctx, j)
	if err != nil || missing != "" {
		w.t.Fatal(err, missing)
	}
	if red, err := r.cutAndAsk(ctx); err != nil || red != nil {
		w.t.Fatal(err, red)
	}
	if _, err := r.ready(ctx, []byte("prompt")); err != nil {
		w.t.Fatal(err)
	}
	if err := w.s.append(ctx, r.about, station(), r.started([]byte("prompt"))); err != nil {
		w.t.Fatal(err)
	}
	gitWrite(w, r.room.dir, "new.txt")
	return r
}

// running starts a process as the agent of a run, and gives what tells its end.
func (r *run) running(t *testing.T) <-chan process.Result {
	t.Helper()
	began, over := make(chan struct{}), make(chan process.Result, 1)
	go func() {
		over <- process.Run(t.Context(), process.Cmd{
			Argv: []string{"sleep", "600"}, Dir: r.room.dir,
			Begun: func(pid, pgid int, start string) { r.began(pid, pgid, start); close(began) },
		})
	}()
	<-began
	return over
}

func TestACrashBeforeTheAgentStartedLeavesItsNumberFree(t *testing.T) {
	w := newWorld(t)
	w.agent("exit:0")
	w.mint(task("T-0001"))
	for _, before := range []int{0, 1} {
		j := w.job("T-0001")
		r, _, err := w.s.prepare(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.cutAndAsk(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.take("T-0001")
		if res, err := w.s.Crashed(t.Context(), *w.task("T-0001")); err != nil || res.End != "" {
			t.Fatal(res, err)
		}
		st, there, err := w.s.read("T-0001")
		if err != nil || there != (before > 0) || st.Attempt != before || exists(r.room.dir) {
			t.Errorf("the state file says %+v, %v", st, err)
		}
		w.run(w.job("T-0001"))
	}
}

func TestATakeoverEndsWhatIsLeftAndKeepsTheTree(t *testing.T) {
	w := newWorld(t)
	r := w.crash()
	over := r.running(t)
	w.take("T-0001") // the dead claim is released, a new one taken
	res, err := w.s.Crashed(t.Context(), *w.task("T-0001"))
	if err != nil {
		t.Fatal(err)
	}
	wantEnd(t, res, "crashed")
	if got := w.show("refs/torve/attempts/T-0001/1", "new.txt"); got != "a person's" || res.Counts {
		t.Errorf("kept %q, counts %v", got, res.Counts)
	}
	f := w.finished("T-0001", 1)
	if f.End != "crashed" || f.Head != res.Kept || f.Changes != 1 || f.Usage.Source != "unknown" || f.Seconds != nil || w.task("T-0001").Counted != 0 {
		t.Errorf("finished says %+v", f)
	}
	select {
	case ended := <-over:
		if ended.Signal == "" {
			t.Errorf("the agent ended by itself: %+v", ended)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the agent still runs")
	}
	w.agent("append:new.txt:more\\n")
	j := w.job("T-0001")
	j.Mode, j.From = "continue", res.Kept
	on := w.run(j)
	wantAccepted(t, on)
	if got := w.show(on.Kept, "new.txt"); got != "a person's\nmore" || on.Worktree == r.room.dir {
		t.Errorf("it went on from %q in %s", got, on.Worktree)
	}
}

func TestATreeThatIsOnItsRefAlreadyIsNotTakenAgain(t *testing.T) {
	w := newWorld(t)
	r := w.crash()
	tree, err := w.s.files(t.Context(), r.room)
	if err != nil {
		t.Fatal(err)
	}
	k, err := w.s.keep(t.Context(), r.room, tree, r.person, r.about, r.epitaph(ending{end: "done"}))
	if err != nil {
		t.Fatal(err)
	}
	gitWrite(w, r.room.dir, "later.txt")
	w.take("T-0001")
	res, err := w.s.Crashed(t.Context(), *w.task("T-0001"))
	if err != nil || res.Kept != k.commit {
		t.Errorf("Crashed gave %+v, %v, want %s", res, err, k.commit)
	}
}

func TestATakeoverWithoutTheDeadClaimsEndWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.crash()
	before := *w.task("T-0001")
	w.take("T-0001")
	if _, err := w.s.Crashed(t.Context(), before); !errors.Is(err, record.ErrMoved) {
		t.Errorf("Crashed gave %v", err)
	}
}

func TestACrashWhileTheBaseWasAskedLeavesNothingBehind(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	r, _, err := w.s.prepare(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if red, err := r.cutAndAsk(t.Context()); err != nil || red != nil {
		t.Fatal(red, err)
	}
	w.take("T-0001")
	res, err := w.s.Crashed(t.Context(), *w.task("T-0001"))
	if err != nil || res.End != "" || exists(r.room.dir) {
		t.Errorf("Crashed gave %+v, %v; the worktree is there: %v", res, err, exists(r.room.dir))
	}
	if got := w.run(w.job("T-0001")); got.N != 1 || filepath.Base(got.Worktree) != "T-0001-1" {
		t.Errorf("the next is %d in %s", got.N, got.Worktree)
	}
}

func TestACrashOnAnotherHostIsRecordedWithNothingKept(t *testing.T) {
	w := newWorld(t)
	r := w.crash()
	w.s.Settings.States = t.TempDir()
	if err := w.s.clear(t.Context(), r.room); err != nil {
		t.Fatal(err)
	}
	w.take("T-0001")
	res, err := w.s.Crashed(t.Context(), *w.task("T-0001"))
	if err != nil {
		t.Fatal(err)
	}
	if f := w.finished("T-0001", 1); res.Kept != "" || f.Head != "" || f.End != "crashed" || f.Why != crashedWhy+"; its worktree is not on this host" {
		t.Errorf("finished says %+v", f)
	}
}

func TestATaskWithNothingUnfinishedHasNothingToTakeOver(t *testing.T) {
	w := newWorld(t)
	wantAccepted(t, w.attempt("append:a.txt:four\\n"))
	w.take("T-0001")
	before := len(w.kinds("T-0001"))
	if res, err := w.s.Crashed(t.Context(), *w.task("T-0001")); err != nil || res.End != "" || len(w.kinds("T-0001")) != before {
		t.Errorf("Crashed gave %+v, %v", res, err)
	}
}

func TestTheStateFileOfARunThatDiedAfterItsAttemptCatchesUpWithTheRecord(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	wantAccepted(t, res)
	st, _, err := w.s.read("T-0001")
	if err != nil || st.State != "ready" {
		t.Fatalf("the state file says %s, %v", st.State, err)
	}
	st.State, st.PID, st.PGID, st.StartedAt = "running", 4_000_000, 4_000_000, "1" // as before the end was noted
	if err := carrier.WriteState(w.s.Settings.States, st); err != nil {
		t.Fatal(err)
	}
	w.take("T-0001")
	if res, err := w.s.Crashed(t.Context(), *w.task("T-0001")); err != nil || res.End != "" {
		t.Fatalf("%+v, %v", res, err)
	}
	if st, _, err := w.s.read("T-0001"); err != nil || st.State != "ready" || st.PID != 0 {
		t.Errorf("the state file says %s, process %d, %v", st.State, st.PID, err)
	}
}
