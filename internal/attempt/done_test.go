package attempt

import (
	"os"
	"path/filepath"
	"testing"

	"torve/internal/contract"
)

func TestDonePutsAwayWhatIsHeld(t *testing.T) {
	w := newWorld(t)
	w.repo.Write(".env", "KEY=1\n")
	w.s.Settings.Copy = []string{".env"}
	w.s.Settings.Setup = []string{"mkdir -p deps && echo lib >deps/lib"}
	down := filepath.Join(t.TempDir(), "down")
	w.s.Settings.Teardown = []string{"pwd >" + down}
	w.agent("append:a.txt:four\\n", "git:commit -qam mine")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"echo ran >>run.log; echo cover >cover.out"} }))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	if err := w.s.Done(t.Context(), "T-0001", 1); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{res.Worktree, res.Worktree + ".d", res.Worktree + ".json", filepath.Join(w.repo.Dir, ".wt", "T-0001.state.json")} {
		if exists(left) {
			t.Errorf("%s is left: %v", left, w.notes.all)
		}
	}
	if data, err := os.ReadFile(down); err != nil || string(data) != res.Worktree+"\n" {
		t.Errorf("teardown ran in %q, %v", data, err)
	}
	if out := w.repo.Git("worktree", "list"); len(out) == 0 || exists(res.Worktree) || w.repo.Git("rev-parse", res.Ref) != res.Kept {
		t.Errorf("the worktrees are %s", out)
	}
}

func TestAWorktreeStaysWhileItHoldsWhatNobodyElseHolds(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	stays := func(what, part string) {
		t.Helper()
		if err := w.s.Done(t.Context(), "T-0001", 1); err != nil {
			t.Fatal(err)
		}
		if !exists(res.Worktree) || !w.notes.said("warn", part) {
			t.Fatalf("%s: it is there: %v; people were told %v", what, exists(res.Worktree), w.notes.all)
		}
		w.notes.all = nil
	}
	at := func(name string) string { return filepath.Join(res.Worktree, name) }
	undo := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	gitWrite(w, res.Worktree, "new.txt")
	stays("a file that a person added", "files in it that its ref does not hold")
	undo(os.Remove(at("new.txt")))
	gitWrite(w, res.Worktree, "a.txt")
	stays("a file that a person edited", "files in it that its ref does not hold")
	undo(os.WriteFile(at("a.txt"), []byte("one\ntwo\nthree\nfour\n"), 0o644))
	gitWrite(w, res.Worktree, "notes.log")
	stays("an ignored file", "git ignores files in it that nobody holds: notes.log")
	undo(os.Remove(at("notes.log")))
	w.repo.Git("update-ref", "-d", res.Ref)
	stays("its ref is gone", "no ref holds its tree")
	w.repo.Git("update-ref", res.Ref, res.Kept)
	undo(os.Mkdir(res.Worktree+".d/set-aside", 0o755))
	stays("a repository that the agent made", "was set aside")
	undo(os.Remove(res.Worktree + ".d/set-aside"))
	w.repo.Git("-C", res.Worktree, "commit", "-q", "--allow-empty", "-m", "theirs")
	stays("a commit that a person made", "is on no ref of the attempt")
}

func gitWrite(w *world, dir, name string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("a person's\n"), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func TestDonePutsAwayEarlierAttemptsAndNoOtherTasks(t *testing.T) {
	w := newWorld(t)
	first := w.attempt("append:a.txt:four\\n")
	j := w.job("T-0001")
	j.Mode, j.From = "continue", first.Kept
	second := w.run(j)
	w.mint(task("T-0001-1")) // its attempts are named T-0001-1-n
	other := w.run(w.job("T-0001-1"))
	if err := w.s.Done(t.Context(), "T-0001", 2); err != nil {
		t.Fatal(err)
	}
	if exists(first.Worktree) || exists(second.Worktree) || !exists(other.Worktree) {
		t.Errorf("left: %v %v %v", exists(first.Worktree), exists(second.Worktree), exists(other.Worktree))
	}
}

func TestNothingOutsideTheRootIsRemoved(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	r, err := known(res.Worktree)
	if err != nil {
		t.Fatal(err)
	}
	w.s.Settings.Root = filepath.Join(t.TempDir(), "elsewhere")
	if err := w.s.clear(t.Context(), r); err == nil || !exists(res.Worktree) {
		t.Errorf("clear gave %v", err)
	}
}
