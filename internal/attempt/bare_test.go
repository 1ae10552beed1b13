package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAPersonsWorktreeThatIsCalledAsAnAttemptsIsNoneThatWasCut(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		branch bool
		do     func(t *testing.T, w *world, dir string)
		why    string // "" where nothing says that it is not torve's
	}{
		"on a branch":   {true, func(*testing.T, *world, string) {}, "it is on the branch mine"},
		"with a file":   {false, func(t *testing.T, _ *world, dir string) { write(t, filepath.Join(dir, "mine.txt"), "mine") }, "mine.txt"},
		"with a change": {false, func(t *testing.T, _ *world, dir string) { write(t, filepath.Join(dir, "a.txt"), "mine") }, "a.txt"},
		"with a commit": {false, func(_ *testing.T, w *world, dir string) {
			w.repo.Git("-C", dir, "commit", "-q", "--allow-empty", "-m", "Mine")
		}, "its HEAD was moved"},
		"as it was cut": {false, func(*testing.T, *world, string) {}, ""},
		"half of a tree": {false, func(t *testing.T, w *world, dir string) {
			index := w.repo.Git("-C", dir, "rev-parse", "--absolute-git-dir") + "/index"
			if err := os.Remove(index); err != nil {
				t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.mint(task("T-0001"))
			w.take("T-0001")
			dir := filepath.Join(w.s.Settings.Root, "T-0001-1")
			args := []string{"worktree", "add", "-q", "--detach", dir}
			if c.branch {
				args = []string{"worktree", "add", "-q", "-b", "mine", dir}
			}
			w.repo.Git(args...)
			c.do(t, w, dir)
			why := w.s.Stays(t.Context(), w.only(), false)
			if !strings.Contains(why, c.why) || (c.why == "") != (why == "") {
				t.Errorf("it stays: %q", why)
			}
			if _, err := w.s.Crashed(t.Context(), *w.task("T-0001")); err != nil {
				t.Fatal(err)
			}
			if exists(dir) != (c.why != "") {
				t.Errorf("after a takeover it is there: %v", exists(dir))
			}
		})
	}
}

func TestAPersonsFileIsNoHalfOfAnInventory(t *testing.T) {
	w := newWorld(t)
	mine, half := filepath.Join(w.s.Settings.Root, ".prettierrc.json.bak"), filepath.Join(w.s.Settings.Root, ".T-0001-1.json.123456")
	if err := os.MkdirAll(w.s.Settings.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{mine, half} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		old := w.s.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	w.mint(task("T-0001"))
	w.tidy()
	if !exists(mine) || exists(half) {
		t.Errorf("a person's is there: %v, half of a file: %v", exists(mine), exists(half))
	}
}

func TestARegistrationThatTellsOfACommitOnNoRefStaysWhoeverMadeIt(t *testing.T) {
	for name, inventory := range map[string]bool{"with an inventory": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			res := w.attempt("append:a.txt:four\\n")
			w.repo.Git("-C", res.Worktree, "commit", "-q", "--allow-empty", "-m", "Mine")
			made := w.repo.Git("-C", res.Worktree, "rev-parse", "HEAD")
			gone := []string{res.Worktree}
			if !inventory {
				gone = append(gone, res.Worktree+".d", res.Worktree+".json")
			}
			for _, path := range gone {
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
			}
			if why := w.s.PutAway(t.Context(), w.only(), yes); !strings.Contains(why, made[:7]) {
				t.Errorf("it says %q", why)
			}
			if _, err := w.s.Crashed(t.Context(), *w.task("T-0001")); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(w.repo.Git("worktree", "list"), "T-0001-1") {
				t.Error("its registration is gone")
			}
			w.repo.Git("branch", "held", made)
			if why := w.s.PutAway(t.Context(), w.only(), yes); why != "" {
				t.Errorf("held by a branch it stays: %s", why)
			}
		})
	}
}
