package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/contract"
)

func TestWhatSetupAndCopyMadeIsNeverOneOfTheAgentsChanges(t *testing.T) {
	w := newWorld(t)
	w.repo.Write(".env", "KEY=1\n")
	w.s.Settings.Copy = []string{".env"}
	w.s.Settings.Setup = []string{"mkdir -p deps gen && echo lib >deps/lib && echo gen >gen/out.txt && echo x >made.txt && echo junk >>a.txt"}
	w.agent("append:docs/x.md:x", "append:.env:KEY=2", "append:deps/lib:touched", "append:gen/out.txt:touched", "append:made.txt:touched",
		"write:gen/mine.txt:mine", "write:.gitignore:# nothing is ignored\\n")
	w.mint(task("T-0001", func(c *contract.Contract) {
		c.Scope.Allow = []string{"docs/**", "gen/**", ".gitignore"}
		c.Acceptance = []string{"grep -q KEY=1 .env && grep -q lib deps/lib && test -f gen/out.txt"}
	}))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	for _, path := range []string{".env", "deps/lib", "gen/out.txt", "made.txt"} {
		if got := w.show(res.Kept, path); got != "" {
			t.Errorf("%s is kept as the agent's: %q", path, got)
		}
	}
	for path, want := range map[string]string{"docs/x.md": "x", "gen/mine.txt": "mine", "a.txt": "one\ntwo\nthree"} {
		if got := w.show(res.Kept, path); got != want {
			t.Errorf("%s is kept as %q, want %q", path, got, want)
		}
	}
}

func TestCopyBringsIgnoredFilesAndNothingFromOutside(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("a path that leads outside", func(t *testing.T) {
		w := newWorld(t)
		w.s.Settings.Copy = []string{"../secret"}
		w.agent("append:a.txt:x")
		w.mint(task("T-0001"))
		if _, err := w.s.Run(t.Context(), w.job("T-0001")); err == nil || !strings.Contains(err.Error(), "outside the work tree") {
			t.Errorf("Run gave %v", err)
		}
	})
	t.Run("a link that leads outside", func(t *testing.T) {
		w := newWorld(t)
		if err := os.Symlink(secret, filepath.Join(w.repo.Dir, ".env")); err != nil {
			t.Fatal(err)
		}
		w.s.Settings.Copy = []string{".env"}
		w.agent("append:a.txt:x")
		w.mint(task("T-0001"))
		if _, err := w.s.Run(t.Context(), w.job("T-0001")); err == nil || !strings.Contains(err.Error(), "copying .env") {
			t.Errorf("Run gave %v", err)
		}
	})
	t.Run("a folder, a pattern, and one that is not there", func(t *testing.T) {
		w := newWorld(t)
		w.repo.Write("deps/a/b", "b")
		w.repo.Write("x.log", "x")
		w.s.Settings.Copy = []string{"deps", "*.log", ".env.local", "a.txt"}
		w.repo.Write("a.txt", "edited by a person\n")
		w.agent("append:docs/x.md:x")
		w.mint(task("T-0001", func(c *contract.Contract) { c.Acceptance = []string{"test -f deps/a/b && test -f x.log"} }))
		res := w.run(w.job("T-0001"))
		wantAccepted(t, res)
		if !w.notes.said("warn", "there is no .env.local") {
			t.Error("nobody was told what is missing")
		}
		if got := w.show(res.Kept, "a.txt"); got != "one\ntwo\nthree" {
			t.Errorf("a tracked file came from the checkout: %q", got)
		}
	})
}

func TestOneAttemptOneWorktreeNeverReused(t *testing.T) {
	w := newWorld(t)
	taken := filepath.Join(w.s.Settings.Root, "T-0001-1")
	if err := os.MkdirAll(taken, 0o755); err != nil {
		t.Fatal(err)
	}
	res := w.attempt("append:a.txt:four\\n")
	wantAccepted(t, res)
	if res.Worktree == taken || !strings.HasPrefix(res.Worktree, taken) {
		t.Errorf("the worktree is %s", res.Worktree)
	}
	if started := w.task("T-0001").Attempt(1).Started; started.Worktree != res.Worktree {
		t.Errorf("the record says %s", started.Worktree)
	}
}

func TestTheAgentsWorktreeIsDetachedOutsideTheCheckoutWithItsOwnFolder(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n", "git:symbolic-ref -q HEAD")
	// symbolic-ref fails on a detached HEAD, and the fake agent then exits 99
	wantEnd(t, res, "done")
	if f := w.finished("T-0001", 1); f.Exit != 99 {
		t.Errorf("HEAD was on a branch: exit %d", f.Exit)
	}
	if strings.HasPrefix(res.Worktree, w.repo.Dir) || filepath.Dir(res.Worktree) != w.s.Settings.Root {
		t.Errorf("the worktree is %s", res.Worktree)
	}
	for _, name := range []string{"prompt.md", "tmp", "given.json"} {
		if !exists(filepath.Join(res.Worktree+".d", name)) {
			t.Errorf("there is no %s beside it", name)
		}
	}
}

func TestTheStateFileFollowsTheRun(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n")
	st, there, err := w.s.read("T-0001")
	if err != nil || !there {
		t.Fatalf("there %v, %v", there, err)
	}
	if st.State != "ready" || st.Attempt != 1 || st.Worktree != res.Worktree || st.Run != w.claim || st.PID != 0 || st.Host != "here" {
		t.Errorf("the state is %+v", st)
	}
	var to []string
	for _, m := range st.History {
		to = append(to, m.To)
	}
	if got := strings.Join(to, " "); got != "claimed running running gated ready" {
		t.Errorf("the history is %s", got)
	}
}

func TestAcceptanceRunsInACleanEnvironmentWithCachesThatTorveOwns(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) {
		c.Acceptance = []string{`test -z "$SHOP_VARIABLE" && test -z "$GIT_CONFIG_NOSYSTEM" && test "$TORVE_TASK" = T-0001 && case "$GOCACHE" in *caches/go-build) ;; *) exit 4;; esac && test -d "$TMPDIR"`}
	}))
	wantAccepted(t, w.run(w.job("T-0001")))
}
