package attempt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/contract"
	"torve/internal/git/gittest"
)

func TestEveryLayoutOfARepositoryWorksTheSame(t *testing.T) {
	layouts := map[string]func(t *testing.T, r *gittest.Repo) *gittest.Repo{
		"a plain clone": func(_ *testing.T, r *gittest.Repo) *gittest.Repo { return r },
		"a linked worktree as main checkout": func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			dir := filepath.Join(t.TempDir(), "linked")
			r.Git("checkout", "-q", "--detach")
			r.Git("worktree", "add", "-q", dir, "main")
			return gittest.At(t, dir)
		},
		"a bare repository with worktrees": func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			dir := filepath.Join(t.TempDir(), "shop.git")
			r.Git("clone", "-q", "--bare", ".", dir)
			bare := gittest.At(t, dir)
			linked := filepath.Join(t.TempDir(), "linked")
			bare.Git("worktree", "add", "-q", linked, "main")
			return gittest.At(t, linked)
		},
		"a bare repository": func(t *testing.T, r *gittest.Repo) *gittest.Repo {
			dir := filepath.Join(t.TempDir(), "shop.git")
			r.Git("clone", "-q", "--bare", ".", dir)
			return gittest.At(t, dir)
		},
		"a detached checkout": func(_ *testing.T, r *gittest.Repo) *gittest.Repo {
			r.Git("checkout", "-q", "--detach")
			return r
		},
	}
	for name, lay := range layouts {
		t.Run(name, func(t *testing.T) {
			w := worldOf(t, lay(t, seed(t)))
			w.s.Settings.Copy = []string{".env"}
			res := w.attempt("append:a.txt:four\\n")
			wantAccepted(t, res)
			if err := w.s.Done(t.Context(), "T-0001", 1); err != nil || exists(res.Worktree) {
				t.Errorf("Done: %v; told %v", err, w.notes.all)
			}
		})
	}
}

func TestFilesStoredWithOtherLineEndsThanTheirAttributesAskForAreNobodysChange(t *testing.T) {
	r := seed(t)
	r.Write("crlf.txt", "one\r\ntwo\r\n")
	r.Commit("Stored as it is")
	r.Write(".gitattributes", "*.txt text=auto\n")
	r.Git("add", ".gitattributes")
	r.Git("commit", "-q", "-m", "Attributes")
	w := worldOf(t, r)
	res := w.attempt("append:a.txt:four\\n")
	wantAccepted(t, res)
	if f := w.finished("T-0001", 1); f.Changes != 1 {
		t.Errorf("it changes %d paths", f.Changes)
	}
}

func TestAnAgentThatLeavesHEADUnbornIsKeptAllTheSame(t *testing.T) {
	w := newWorld(t)
	res := w.attempt("append:a.txt:four\\n", "git:checkout -q --orphan nowhere")
	wantAccepted(t, res)
	if got := w.show(res.Kept, "a.txt"); got != "one\ntwo\nthree\nfour" {
		t.Errorf("the kept tree says %q", got)
	}
	if head, branch, err := w.s.standing(t.Context(), roomAt(res.Worktree)); head != res.Base || branch != "" || err != nil {
		t.Errorf("HEAD is left at %s %s, %v", head, branch, err)
	}
}

func TestOddNamesArriveAsTheyAre(t *testing.T) {
	w := newWorld(t)
	odd := []string{"docs/with space.md", "docs/quote\".md", "docs/caf\u00e9.md", "docs/cafe\u0301.md", "docs/CASE.md", "docs/case.md", "docs/\u65e5\u672c.md", "docs/-dash.md"}
	var steps []string
	for _, name := range odd {
		steps = append(steps, "write:"+name+":x")
	}
	res := w.attempt(steps...)
	wantAccepted(t, res)
	got := strings.Split(w.repo.Git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "-z", res.Kept, "docs/"), "\x00")
	for _, name := range odd {
		if !slices.Contains(got, name) {
			t.Errorf("%q is not in the kept tree %q", name, got)
		}
	}
}

func TestAGateThatIsCutShortIsNoVerdictAndTheKeptTreeIsAskedLater(t *testing.T) {
	w := newWorld(t)
	flag := filepath.Join(t.TempDir(), "flag")
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001", func(c *contract.Contract) {
		c.Base, c.Acceptance = "any", []string{"test -f " + flag + " || { touch " + flag + "; sleep 60; }"}
	}))
	j := w.job("T-0001")
	stop := make(chan struct{})
	j.Stop = stop
	go func() {
		for !exists(flag) {
			time.Sleep(5 * time.Millisecond)
		}
		close(stop)
	}()
	res := w.run(j)
	wantEnd(t, res, "stopped")
	if res.Counts || res.Judged != nil || w.finished("T-0001", 1).End != "done" || len(w.judged("T-0001", 1)) != 0 {
		t.Errorf("counts %v, judged %v", res.Counts, res.Judged)
	}
	w.take("T-0001")
	again, err := w.s.Again(t.Context(), w.job("T-0001"), *w.task("T-0001").Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
}

func TestAnAttemptThatTheHostCannotTakeIsInfrastructureAndItsWorktreeStays(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", "write:"+filepath.Join(w.git.Common, "config")+":[broken")
	w.mint(task("T-0001"))
	res, err := w.s.Run(t.Context(), w.job("T-0001"))
	if err == nil {
		t.Fatal("a repository that cannot be read was no fault")
	}
	if res.Counts || w.finished("T-0001", 1).End != "infrastructure" || !exists(res.Worktree) {
		t.Errorf("counts %v, finished %+v", res.Counts, w.finished("T-0001", 1))
	}
	if data, _ := os.ReadFile(filepath.Join(res.Worktree, "a.txt")); !strings.Contains(string(data), "four") {
		t.Errorf("its work is %q", data)
	}
}
