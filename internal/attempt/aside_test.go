package attempt

import (
	"os"
	"path/filepath"
	"testing"

	"torve/internal/contract"
)

func accepting(lines ...string) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Base, c.Acceptance = "any", lines }
}

func TestAnIgnoredFileOfTheAgentMakesNothingPassAndStays(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", "write:deps/planted:x", "write:made.log:x")
	w.mint(task("T-0001", accepting("mkdir -p deps && echo line > deps/own && test -f deps/planted")))
	res := w.run(w.job("T-0001"))
	wantRefused(t, res, "reach", "exited 1")
	for _, name := range []string{"deps/planted", "made.log"} {
		if !exists(filepath.Join(res.Worktree, name)) {
			t.Errorf("%s is gone from the kept worktree", name)
		}
	}
	if exists(res.Worktree + ".d/ignored.set-aside") {
		t.Error("something is set aside still")
	}
}

func TestWhatSetupMadeAndWhatIsKeptStandWhileAcceptanceRuns(t *testing.T) {
	w := newWorld(t)
	w.s.Settings.Setup = []string{"mkdir -p deps && echo made > deps/made"}
	w.s.Settings.Keep = []string{"*.log"}
	w.agent("append:a.txt:four\\n", "write:cache.log:x")
	w.mint(task("T-0001", accepting("test -f deps/made && test -f cache.log")))
	wantAccepted(t, w.run(w.job("T-0001")))
}

func TestWhatADeadRunSetAsideIsPutBack(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n", "write:made.log:x")
	w.mint(task("T-0001", accepting("test ! -f made.log")))
	res := w.run(w.job("T-0001"))
	wantAccepted(t, res)
	r := roomAt(res.Worktree)
	if err := os.MkdirAll(r.ignored(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.dir, "made.log"), filepath.Join(r.ignored(), "made.log")); err != nil {
		t.Fatal(err)
	}
	w.repo.Write("src/b.txt", "moved on\n")
	w.repo.Commit("Move on")
	if got := w.due(); !got.Verdict.OK {
		t.Errorf("due says %v", got.Verdict)
	}
	if !exists(filepath.Join(r.dir, "made.log")) || exists(r.ignored()) {
		t.Error("it is not back")
	}
}

// By what it leaves in its temporary folder an agent makes no line pass.
func TestWhatAnAgentLeavesInItsTemporaryFolderIsAside(t *testing.T) {
	w := newWorld(t)
	w.agent("write:docs/x.md:x", "sh:echo yes > $TMPDIR/answer")
	w.mint(task("T-0001", func(c *contract.Contract) { c.Base, c.Acceptance = "any", []string{"test ! -e $TMPDIR/answer"} }))
	wantAccepted(t, w.run(w.job("T-0001")))
}
