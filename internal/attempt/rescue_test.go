package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/process"
	"torve/internal/record"
	"torve/internal/truth"
)

// rows are the rows of telemetry, as "task attempt verdict".
func (w *world) rows() []string {
	w.t.Helper()
	rows, faults, err := carrier.ReadRows(w.s.Settings.Telemetry)
	if err != nil || len(faults) > 0 {
		w.t.Fatal(err, faults)
	}
	var out []string
	for _, r := range rows {
		out = append(out, r.Task+" "+string(rune('0'+r.Attempt))+" "+r.Verdict)
	}
	return out
}

func TestATakeoverBelievesTheRecordAndNotWhatAnAgentCouldWrite(t *testing.T) {
	for name, forge := range map[string]func(w *world, r *run){
		"nothing": func(*world, *run) {},
		"an empty inventory": func(w *world, r *run) {
			if err := os.WriteFile(r.room.ledger(), []byte("{}"), 0o644); err != nil {
				w.t.Fatal(err)
			}
		},
		"no inventory": func(w *world, r *run) {
			if err := os.Remove(r.room.ledger()); err != nil {
				w.t.Fatal(err)
			}
		},
		"an inventory that hides its work": func(w *world, r *run) {
			r.room.Setup, r.room.Base = []string{"new.txt"}, strings.Repeat("1", 40)
			if err := r.room.save(); err != nil {
				w.t.Fatal(err)
			}
		},
		"no folder beside it, and no registration": func(w *world, r *run) {
			if err := os.RemoveAll(r.room.side); err != nil {
				w.t.Fatal(err)
			}
			w.repo.Git("-C", r.room.dir, "rev-parse", "HEAD")
			if err := os.RemoveAll(filepath.Join(w.git.Common, "worktrees")); err != nil {
				w.t.Fatal(err)
			}
		},
		"no state file": func(w *world, _ *run) {
			if err := carrier.RemoveState(w.s.Settings.States, "T-0001"); err != nil {
				w.t.Fatal(err)
			}
		},
		"a state file that does not read": func(w *world, _ *run) {
			if err := os.WriteFile(carrier.StateFile(w.s.Settings.States, "T-0001"), []byte("{"), 0o644); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.crash()
			forge(w, r)
			res, err := w.s.Crashed(t.Context(), *w.task("T-0001"))
			if err != nil {
				t.Fatal(err)
			}
			wantEnd(t, res, "crashed")
			if got := w.show("refs/torve/attempts/T-0001/1", "new.txt"); got != "a person's" {
				t.Errorf("kept %q", got)
			}
			if f := w.finished("T-0001", 1); f.Changes != 1 || f.Base != w.head() {
				t.Errorf("finished says %+v", f)
			}
			if rows := w.rows(); len(rows) != 1 || rows[0] != "T-0001 1 none" {
				t.Errorf("telemetry %v", rows)
			}
		})
	}
}

func TestATakeoverEndsWhatCarriesTheClaimsMarkWithoutAStateFile(t *testing.T) {
	w := newWorld(t)
	r := w.crash()
	began, over := make(chan struct{}), make(chan process.Result, 1)
	go func() {
		over <- process.Run(t.Context(), process.Cmd{
			Argv: []string{"sleep", "600"}, Dir: r.room.dir, Mark: r.about.claim, Begun: func(int, int, string) { close(began) },
		})
	}()
	<-began
	if err := carrier.RemoveState(w.s.Settings.States, "T-0001"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.Crashed(t.Context(), *w.task("T-0001")); err != nil {
		t.Fatal(err)
	}
	select {
	case ended := <-over:
		if ended.Signal == "" {
			t.Errorf("it ended by itself: %+v", ended)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it still runs")
	}
}

func TestADeadAttemptWhoseWorktreeIsGoneKeepsItsCommits(t *testing.T) {
	for name, commits := range map[string]bool{"with commits": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.crash()
			if commits {
				w.repo.Git("-C", r.room.dir, "add", "-A")
				w.repo.Git("-C", r.room.dir, "commit", "-q", "-m", "mine")
			}
			if err := os.RemoveAll(r.room.dir); err != nil {
				t.Fatal(err)
			}
			res, err := w.s.Crashed(t.Context(), *w.task("T-0001"))
			if err != nil {
				t.Fatal(err)
			}
			if got := res.Kept != "" && w.show(res.Kept, "new.txt") == "a person's"; got != commits || !commits && !strings.Contains(res.Why, "its worktree is gone") {
				t.Errorf("kept %q, why %q", res.Kept, res.Why)
			}
			if why := w.s.Stays(t.Context(), w.only(), false); commits && why != "" {
				t.Errorf("what is left of it stays: %s", why)
			}
		})
	}
}

func TestARoomThatWasOnlyCutGoesWithTheDeadRun(t *testing.T) {
	w := newWorld(t)
	w.mint(task("T-0001"))
	by, err := w.job("T-0001").about()
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.s.fresh(t.Context(), by, w.head())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.ledger()); err != nil { // before it was written
		t.Fatal(err)
	}
	if res, err := w.s.Crashed(t.Context(), *w.task("T-0001")); err != nil || res.End != "" || exists(r.dir) || exists(r.side) {
		t.Errorf("Crashed gave %+v, %v", res, err)
	}
}

// tidy reads the carriers and tidies.
func (w *world) tidy() {
	w.t.Helper()
	rd, err := truth.Gather(w.t.Context(), truth.Sources{
		Repo: w.git, Target: "main", Head: w.head(), Log: w.log, Partition: partition, States: w.s.Settings.States,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.s.Tidy(w.t.Context(), rd); err != nil {
		w.t.Fatal(err)
	}
}

// released lets go of the open claim.
func (w *world) released(id string) {
	w.t.Helper()
	w.append(record.Envelope{Task: id, Claim: w.task(id).Claim.ID, Actor: record.Actor{Kind: record.ByDispatch}}, record.Released{Why: "died"})
}

// landed writes a landing file of the task on the target, and the record of it.
func (w *world) landed(id string) {
	w.t.Helper()
	t := w.task(id)
	at := w.clock.now().Truncate(time.Second)
	path := carrier.LandingPath(id, "", 1, at)
	l := truth.LandingOf(t, *t.Attempt(1), truth.Facts{At: at, Target: "main", Onto: w.head(), Work: w.head(), Tree: w.repo.Git("rev-parse", "HEAD^{tree}"), Attested: "A Person <a@example.com>"})
	data, err := carrier.WriteLanding(l)
	if err != nil {
		w.t.Fatal(err)
	}
	w.repo.Write(path, string(data))
	head := w.repo.Commit("Land " + id)
	w.append(record.Envelope{Task: id, Attempt: 1, Actor: record.Actor{Kind: record.ByLanding}}, record.Landed{
		Path: path, Target: "main", Base: l.Base, Onto: l.Onto, Commit: l.Commit, Head: head, Tree: l.Tree, Contract: t.Digest, Observed: true,
	})
}

func TestWhatARunThatDiedAfterItsLandingLeftIsPutAway(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	wantAccepted(t, res)
	if err := os.Remove(w.s.Settings.Telemetry); err != nil { // it died before the row, too
		t.Fatal(err)
	}
	half := filepath.Join(w.s.Settings.States, ".tmp-1")
	if err := os.WriteFile(half, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.tidy() // while it is held it is its holder's
	if !exists(res.Worktree) || exists(w.s.Settings.Telemetry) || !exists(half) {
		t.Fatal("what another run has was taken from it")
	}
	w.landed("T-0001")
	w.released("T-0001")
	old := w.clock.now().Add(-time.Hour)
	if err := os.Chtimes(half, old, old); err != nil {
		t.Fatal(err)
	}
	w.tidy()
	for _, left := range []string{res.Worktree, res.Worktree + ".d", res.Worktree + ".json", carrier.StateFile(w.s.Settings.States, "T-0001"), half} {
		if exists(left) {
			t.Errorf("%s is left: %v", left, w.notes.all)
		}
	}
	w.tidy()
	if rows := w.rows(); len(rows) != 1 || rows[0] != "T-0001 1 accepted" {
		t.Errorf("telemetry %v", rows)
	}
}

func TestTheStateFileOfWhatWasGivenUpGoes(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	w.released("T-0001")
	w.append(record.Envelope{Task: "T-0001", Actor: record.Actor{Kind: record.ByPerson}}, record.Resolved{Answer: "abandoned"})
	if got := w.task("T-0001").State; got != board.Abandoned {
		t.Fatal(got)
	}
	w.tidy()
	if exists(carrier.StateFile(w.s.Settings.States, "T-0001")) || !exists(res.Worktree) {
		t.Error("the state file is there, or the worktree is not")
	}
}

func TestARoomThatARunDiedInWhileAcceptanceRanIsTheHosts(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	w.repo.Write("src/b.txt", "moved on\n")
	w.repo.Commit("Move on")
	r, err := known(res.Worktree)
	if err != nil {
		t.Fatal(err)
	}
	m, err := w.git.Merge(t.Context(), res.Base, w.head(), res.Kept)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.settle(t.Context(), r, m.Tree, "T-0001", 1); err != nil { // and then it dies
		t.Fatal(err)
	}
	if got := w.due(); !got.Verdict.OK || exists(res.Worktree+".2") {
		t.Errorf("due says %v; there is another room: %v", got.Verdict, exists(res.Worktree+".2"))
	}
	if _, err := w.s.settle(t.Context(), r, m.Tree, "T-0001", 1); err != nil {
		t.Fatal(err)
	}
	if err := w.s.Done(t.Context(), "T-0001", 1); err != nil || exists(res.Worktree) {
		t.Errorf("Done gave %v: %v", err, w.notes.all)
	}
}

// toGo is a world with the room of an ended attempt that is marked to go.
func toGo(t *testing.T) (*world, *room) {
	t.Helper()
	w := newWorld(t)
	r, err := known(w.attempt("append:a.txt:four\\n").Worktree)
	if err == nil {
		err = r.going(true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w, r
}

func TestARemovalThatDiedHalfWayIsBroughtToItsEnd(t *testing.T) {
	w, r := toGo(t)
	if err := os.Remove(filepath.Join(r.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if err := w.s.Done(t.Context(), "T-0001", 1); err != nil || exists(r.dir) || exists(r.ledger()) {
		t.Errorf("Done gave %v: %v", err, w.notes.all)
	}
}

func TestTheInventoryOfARoomGoesLast(t *testing.T) {
	w, r := toGo(t)
	if err := w.git.RemoveWorktree(t.Context(), w.s.Settings.Root, r.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.prompt()); err != nil { // the folder beside it is half gone
		t.Fatal(err)
	}
	if err := w.s.Done(t.Context(), "T-0001", 1); err != nil || exists(r.side) || exists(r.ledger()) {
		t.Errorf("Done gave %v: %v", err, w.notes.all)
	}
}

func TestAWorktreeThatCouldNotBeRemovedIsLookedAtAnew(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	w.repo.Git("worktree", "lock", res.Worktree)
	done := func() {
		t.Helper()
		if err := w.s.Done(t.Context(), "T-0001", 1); err != nil {
			t.Fatal(err)
		}
	}
	done()
	gitWrite(w, res.Worktree, "mine.txt")
	w.repo.Git("worktree", "unlock", res.Worktree)
	done()
	if !exists(filepath.Join(res.Worktree, "mine.txt")) || !w.notes.said("warn", "files in it that its ref does not hold") {
		t.Errorf("a person's file is gone: %v", w.notes.all)
	}
}

func TestAnAttemptThatWasInterruptedAtTheGateGetsItsRowWhenItIsJudged(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", accepting("test -f "+filepath.Join(t.TempDir(), "never")+" || sleep 30")))
	j := w.job("T-0001")
	stop := make(chan struct{})
	j.Stop = stop
	go func() {
		for {
			if a := w.task("T-0001").Attempt(1); a != nil && a.Finished != nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		close(stop)
	}()
	wantEnd(t, w.run(j), "stopped")
	w.released("T-0001")
	w.tidy()
	if exists(w.s.Settings.Telemetry) {
		t.Fatalf("there is a row before its verdict: %v", w.rows())
	}
	w.mint(task("T-0001"))
	j = w.job("T-0001")
	again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
	if rows := w.rows(); len(rows) != 1 || rows[0] != "T-0001 1 accepted" {
		t.Errorf("telemetry %v", rows)
	}
}
