package attempt

import (
	"fmt"
	"testing"
)

// outlives lets three commits touch the scope since the work was cut, where the cap is two.
func (w *world) outlives() {
	w.t.Helper()
	w.s.Settings.Terms.Stale = 2
	for i := range 3 {
		w.repo.Write(fmt.Sprintf("docs/%d.md", i), "theirs\n")
		w.repo.Commit("Theirs")
	}
}

func TestWorkThatTheTargetOutlivedIsCutAgainOnItsHead(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	w.outlives()
	base := j.Head
	wantRefused(t, w.run(j), "freshness", "and 3 commits have touched its scope since: the cap is 2")

	j = w.job("T-0001")
	again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
	g := again.Judged.Tree
	if again.Base != base || w.show(g, "a.txt") != "one\ntwo\nthree\nfour" || w.show(g, "docs/2.md") != "theirs" {
		t.Errorf("cut from %s, and the tree that was asked has %q", again.Base, w.show(g, "a.txt"))
	}
	if n := len(w.task("T-0001").Attempts); n != 1 {
		t.Errorf("%d attempts", n)
	}

	// and it stands there when it is due
	if got := w.due(); !got.Verdict.OK || got.Tree != g {
		t.Errorf("due says %v over %s", got.Verdict, got.Tree)
	}
}

func TestWorkWhoseBaseLeftTheTargetIsCutAgainOnItsHead(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("docs/n.md", "gone soon\n")
	w.repo.Commit("Taken back later")
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	w.repo.Git("reset", "-q", "--hard", "HEAD~1")
	w.repo.Write("docs/m.md", "instead\n")
	w.repo.Commit("Instead")
	wantRefused(t, w.run(j), "freshness", "which is no longer on main")

	j = w.job("T-0001")
	again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantAccepted(t, again)
	if got := w.due(); !got.Verdict.OK || w.show(got.Tree, "docs/m.md") != "instead" {
		t.Errorf("due says %v", got.Verdict)
	}
}

func TestOutlivedWorkThatNoLongerMergesIsAConflict(t *testing.T) {
	w := newWorld(t)
	w.agent("append:a.txt:four\\n")
	w.mint(task("T-0001"))
	j := w.job("T-0001")
	w.outlives()
	wantRefused(t, w.run(j), "freshness", "the cap is 2")
	w.s.Settings.Terms.Stale = 200
	w.repo.Write("a.txt", "theirs\n")
	w.repo.Commit("Theirs too")

	j = w.job("T-0001")
	again, err := w.s.Again(t.Context(), j, *j.Task.Attempt(1))
	if err != nil {
		t.Fatal(err)
	}
	wantRefused(t, again, "freshness", "a.txt, which has changed since and does not merge")
	if len(again.Judged.Conflicts) != 1 || again.Evidence != "" { // who cuts the repair shows the hunks, over the head as it is then
		t.Errorf("conflicts %v, evidence %q", again.Judged.Conflicts, again.Evidence)
	}
}
