package attempt

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"torve/internal/contract"
)

// only is the one room that stands.
func (w *world) only() Room {
	w.t.Helper()
	rooms, err := w.s.Rooms()
	if err != nil || len(rooms) != 1 {
		w.t.Fatalf("the rooms are %+v, %v", rooms, err)
	}
	return rooms[0]
}

func TestAskingWhetherARoomMayGoChangesNothingInIt(t *testing.T) {
	w := newWorld(t)
	w.repo.Write(".gitignore", "*.log\n")
	w.repo.Commit("Ignore")
	wantAccepted(t, w.attempt("append:a.txt:four\\n"))
	k := w.only()
	if k.Task != "T-0001" || k.N != 1 || !k.Agent || k.Lost != "" || k.Run != w.claim {
		t.Errorf("the room is %+v", k)
	}
	if why := w.s.Stays(t.Context(), k, false); why != "" {
		t.Errorf("it stays: %s", why)
	}
	log, shut := filepath.Join(k.Dir, "run.log"), filepath.Join(k.Dir, "a.txt")
	if err := os.WriteFile(log, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shut, 0o200); err != nil {
		t.Fatal(err)
	}
	w.s.Stays(t.Context(), k, false)
	if info, err := os.Stat(shut); err != nil || info.Mode().Perm() != 0o200 {
		t.Errorf("its files were opened: %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(shut, 0o644); err != nil {
		t.Fatal(err)
	}
	if why := w.s.Stays(t.Context(), k, false); !strings.Contains(why, "run.log") {
		t.Errorf("an ignored file does not keep it: %q", why)
	}
	if why := w.s.Stays(t.Context(), k, true); why != "" {
		t.Errorf("it stays although that is to go: %s", why)
	}
	if loose, _, err := w.s.Ignored(t.Context(), k); err != nil || !slices.Equal(loose, []string{"run.log"}) {
		t.Errorf("ignored are %v, %v", loose, err)
	}
	if why := w.s.PutAway(t.Context(), k, yes); !strings.Contains(why, "run.log") || !exists(log) {
		t.Errorf("it was put away: %q", why)
	}
}

func TestWhatIsKeptAlreadyIsNotKeptAgain(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	got, err := w.s.Save(t.Context(), w.only())
	if err != nil || got != res.Ref {
		t.Errorf("it is kept on %q, %v", got, err)
	}
	if now := w.repo.Git("rev-parse", res.Ref); now != res.Kept {
		t.Errorf("%s moved to %s", res.Ref, now)
	}
}

func TestAFolderWithoutAWorktreeAndAnInventoryIsPutAway(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	if err := w.s.Repo.RemoveWorktree(t.Context(), w.s.Settings.Root, res.Worktree); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(res.Worktree + ".json"); err != nil {
		t.Fatal(err)
	}
	if err := w.s.Done(t.Context(), "T-0001", 1); err != nil || exists(res.Worktree+".d") {
		t.Errorf("the folder is still there, %v", err)
	}
}

func TestARemovalThatStoppedHalfwayGoesOnOnceItIsFree(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("write:docs/x.md:x", "write:zz.md:z")
	stuck := filepath.Join(res.Worktree, "docs", "x.md")
	if out, err := exec.Command("chattr", "+i", stuck).CombinedOutput(); err != nil {
		t.Skipf("needs chattr +i: %v: %s", err, out)
	}
	defer exec.Command("chattr", "-i", stuck).Run() //nolint:errcheck
	if err := w.s.Done(t.Context(), "T-0001", 1); err != nil {
		t.Fatal(err)
	}
	if !w.notes.said("warn", "stays: ") || !w.notes.said("warn", "it is immutable; chattr -R -i") || exists(filepath.Join(res.Worktree, "a.txt")) {
		t.Fatalf("people were told %v", w.notes.all)
	}
	if out, err := exec.Command("chattr", "-i", stuck).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if why := w.s.PutAway(t.Context(), w.only(), yes); why != "" || exists(res.Worktree) || exists(res.Worktree+".json") {
		t.Errorf("what is left of it stays: %q", why)
	}
}

func yes() bool { return true }

func TestARoomThatSomebodyClaimsWhileItIsToGoStaysTheirs(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	why := w.s.PutAway(t.Context(), w.only(), func() bool {
		if m, err := known(res.Worktree); err != nil || !m.Going {
			t.Errorf("who claims it now takes it for whole: %v", err)
		}
		return false
	})
	if m, err := known(res.Worktree); err != nil || m.Going || !exists(res.Worktree) || why != "its task was claimed meanwhile" {
		t.Errorf("it says %q; %v", why, err)
	}
}

func TestARoomWithoutWhatSetupMadeIsNotUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.repo.Write(".gitignore", "deps/\n")
	w.repo.Commit("Ignore")
	w.s.Settings.Setup = []string{"mkdir -p deps && echo lib >deps/lib"}
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"grep -q lib deps/lib"} }))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	if why := w.s.Strip(w.only(), yes); why != "" {
		t.Fatal(why)
	}
	if err := os.RemoveAll(filepath.Join(res.Worktree, "deps")); err != nil {
		t.Fatal(err)
	}
	again, err := w.s.Again(t.Context(), w.job("T-0001"), *w.task("T-0001").Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
}
