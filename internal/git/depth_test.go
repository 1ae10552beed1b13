package git

import (
	"errors"
	"testing"

	"torve/internal/git/gittest"
)

func TestTheDepthOfACommitIsTheLengthOfItsFirstParentLine(t *testing.T) {
	starts := gittest.Counted(t)
	g, r, base := seeded(t)
	g.Git("checkout", "-q", "-b", "side")
	g.Write("more", "x")
	side := g.Commit("on the side")
	g.Write("more", "y")
	g.Commit("on the side too")
	g.Git("checkout", "-q", "main")
	g.Write("a.txt", "x")
	one := g.Commit("one")
	g.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	merge := g.Git("rev-parse", "HEAD")
	before := len(starts())
	for commit, want := range map[string]int64{base: 1, side: 2, one: 2, merge: 3} {
		same(t, "the depth of "+commit, must(r.Depth(ctx, commit))(t), want)
	}
	same(t, "starts of git in a short history", len(starts()), before)
	_, err := r.Depth(ctx, "refs/heads/nope")
	refuses(t, err, "nope")
}

func TestALongHistoryIsCountedOnceAndGoneOnFrom(t *testing.T) {
	starts := gittest.Counted(t)
	_, r, base := seeded(t)
	line := []string{base}
	for len(line) <= 2*nearby {
		c := must(r.ReadCommit(ctx, line[len(line)-1]))(t)
		c.Parents = []string{c.ID}
		line = append(line, must(r.WriteCommit(ctx, c, false))(t))
	}
	head, next := line[len(line)-2], line[len(line)-1]
	same(t, "the depth", must(r.Depth(ctx, head))(t), int64(len(line)-1))
	before := len(starts())
	same(t, "the next one's", must(r.Depth(ctx, next))(t), int64(len(line)))
	same(t, "again", must(r.Depth(ctx, head))(t), int64(len(line)-1))
	same(t, "starts of git", len(starts()), before)
}

func TestWhereTheHistoryIsCutShortNoDepthIsKnown(t *testing.T) {
	g, _, _ := seeded(t)
	g.Git("commit", "-q", "--allow-empty", "-m", "two")
	dir := t.TempDir()
	g.Git("clone", "-q", "--depth=1", "file://"+g.Dir, dir)
	r := must(Open(ctx, dir))(t)
	defer r.Close()
	if n, err := r.Depth(ctx, "HEAD"); !errors.Is(err, ErrShallow) {
		t.Errorf("%d, %v", n, err)
	}
}
