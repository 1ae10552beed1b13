package upkeep

import "testing"

func TestABranchThatAPersonAmendedIsTheirs(t *testing.T) {
	g := newGround(t)
	g.Git("checkout", "-q", "-b", "recovered/T-0001-1")
	g.Write("b", "b\n")
	g.Commit("Kept")
	g.Git("update-ref", "refs/torve/attempts/T-0001/1", "HEAD")
	g.Git("checkout", "-q", "main")
	undone := func() bool {
		t.Helper()
		prints, err := g.home.Footprint(t.Context(), g.reading())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range prints {
			if p.What == "branch" {
				return len(p.Undo) > 0
			}
		}
		t.Fatalf("the branch is not listed: %+v", prints)
		return false
	}
	if !undone() {
		t.Error("what a ref of torve's holds stays")
	}
	g.Git("checkout", "-q", "recovered/T-0001-1")
	g.Write("c", "a person's\n")
	g.Git("add", "-A")
	g.Git("commit", "-q", "--amend", "-m", "Mine")
	g.Git("checkout", "-q", "main")
	if undone() {
		t.Error("a command takes away what no other ref holds")
	}
}
