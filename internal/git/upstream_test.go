package git

import "testing"

func TestABranchIsSoFarAheadOfTheOneThatItFollows(t *testing.T) {
	g, _, first := seeded(t)
	clone := g.Clone("--branch=main", g.Dir)
	r := opened(t, clone.Dir)
	follows := func(what, commit, name string, ahead int) {
		t.Helper()
		got, n, err := r.Upstream(ctx, "main", commit)
		ok(t, err)
		same(t, what+" follows", got, name)
		same(t, what+" is ahead by", n, ahead)
	}
	follows("a fresh clone", first, "origin/main", 0)
	second := clone.Commit("second")
	follows("one with a commit of its own", second, "origin/main", 1)
	follows("one that has moved since", first, "", 0)
	g.Commit("theirs")
	clone.Git("fetch", "-q")
	follows("one that parted", second, "origin/main", 1)
	clone.Git("update-ref", "-d", "refs/remotes/origin/main")
	follows("one whose upstream is gone", second, "", 0)
	clone.Git("branch", "--unset-upstream")
	follows("one that follows nothing", second, "", 0)
	_, r, first = seeded(t)
	if name, _, err := r.Upstream(ctx, "nope", first); name != "" || err != nil {
		t.Errorf("no such branch: %q, %v", name, err)
	}
}
