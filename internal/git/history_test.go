package git

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"torve/internal/git/gittest"
)

func TestBetweenListsFirstParentsWithWhatEachChanged(t *testing.T) {
	g, r, base := seeded(t)
	g.Git("checkout", "-q", "-b", "side")
	g.Write("odd\n"+strings.Repeat("0", 40), "x")
	g.Commit("on the side")
	g.Write("more", "x")
	g.Commit("on the side too")
	g.Git("checkout", "-q", "main")
	g.Write("a.txt", "x")
	one := g.Commit("one")
	empty := g.Commit("changes nothing")
	g.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	merge := g.Git("rev-parse", "HEAD")
	list := must(r.Between(ctx, base, "main"))(t)
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprintf("%s %q", c.ID, c.Paths))
	}
	sameList(t, "commits", got,
		fmt.Sprintf("%s %q", merge, []string{"more", "odd\n" + strings.Repeat("0", 40)}),
		empty+" []", fmt.Sprintf("%s %q", one, []string{"a.txt"}))
	same(t, "nothing between", len(must(r.Between(ctx, merge, merge))(t)), 0)
	for _, c := range []struct {
		a, b string
		want bool
	}{{base, merge, true}, {merge, merge, true}, {merge, base, false}, {one, "side", false}} {
		same(t, c.a+" before "+c.b, must(r.IsAncestor(ctx, c.a, c.b))(t), c.want)
	}
	_, err := r.IsAncestor(ctx, "nope", merge)
	refuses(t, err, "nope")
}

// story is a history with a file that was added on a branch, changed, removed and put back.
func story(t *testing.T) (g *gittest.Repo, commit map[string]string) {
	g = gittest.New(t)
	commit = map[string]string{"seed": g.Seed()}
	g.Git("checkout", "-q", "-b", "work")
	g.Write("landing.yaml", "1\n")
	g.Git("add", "-A")
	g.Git("commit", "-q", "-m", "W", "-m", "Torve-Task: T-0001")
	commit["work"] = g.Git("rev-parse", "HEAD")
	g.Git("checkout", "-q", "main")
	g.Write("other", "1\n")
	commit["other"] = g.Commit("other\n\nTorve-Task: T-00011")
	g.Git("merge", "-q", "--no-ff", "-m", "M", "work")
	commit["merge"] = g.Git("rev-parse", "HEAD")
	g.Write("landing.yaml", "2\n")
	commit["changed"] = g.Commit("changed")
	return g, commit
}

func TestTheCommitsOfAPathAreFound(t *testing.T) {
	g, commit := story(t)
	r := opened(t, g.Dir)
	same(t, "first adding", must(r.FirstAdding(ctx, "main", "landing.yaml"))(t).ID, commit["work"])
	same(t, "last touching", must(r.LastTouching(ctx, "main", "landing.yaml"))(t).ID, commit["changed"])
	same(t, "last touching before", must(r.LastTouching(ctx, commit["merge"], "landing.yaml"))(t).ID, commit["work"])
	same(t, "last touching a folder", must(r.LastTouching(ctx, "main", "dir"))(t).ID, commit["seed"])
	for name, ask := range map[string]func() (Commit, error){
		"adding before":  func() (Commit, error) { return r.FirstAdding(ctx, commit["seed"], "landing.yaml") },
		"touching never": func() (Commit, error) { return r.LastTouching(ctx, "main", "*.yaml") },
	} {
		if c, err := ask(); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v, %v", name, c, err)
		}
	}
}

func TestAnAdditionThatOnlyAMergeMadeIsFound(t *testing.T) {
	g, commit := story(t)
	r := opened(t, g.Dir)
	g.Git("checkout", "-q", "-b", "side", commit["merge"])
	g.Write("side", "x")
	g.Commit("side")
	g.Git("checkout", "-q", "main")
	g.Git("merge", "-q", "--no-ff", "--no-commit", "side")
	g.Write("evil", "x")
	merge := g.Commit("merge that changes things by itself")
	same(t, "adding", must(r.FirstAdding(ctx, "main", "evil"))(t).ID, merge)
}

func TestACommitIsFoundByItsWholeTrailer(t *testing.T) {
	g, commit := story(t)
	r := opened(t, g.Dir)
	c := must(r.ByTrailer(ctx, "main", "Torve-Task", "T-0001"))(t)
	same(t, "T-0001", c.ID, commit["work"])
	same(t, "trailer", c.Trailers()["Torve-Task"], "T-0001")
	same(t, "T-00011", must(r.ByTrailer(ctx, "main", "Torve-Task", "T-00011"))(t).ID, commit["other"])
	for _, value := range []string{"T-000", "T-0002", "T.0001"} {
		if c, err := r.ByTrailer(ctx, "main", "Torve-Task", value); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v, %v", value, c.ID, err)
		}
	}
	squash := g.Commit("Squashed (#7)\n\n* W\n\nTorve-Task: T-0007\n\nCo-authored-by: x <x@y.z>")
	same(t, "inside a squash", must(r.ByTrailer(ctx, "main", "Torve-Task", "T-0007"))(t).ID, squash)
}

func TestBlameNamesTheCommitThatLastWroteALine(t *testing.T) {
	g, r, seed := seeded(t)
	g.Write("a.txt", "one\nTWO\nthree\n")
	two := g.Commit("a title: with a colon")
	b := must(r.Blame(ctx, "HEAD", "a.txt", 2))(t)
	same(t, "commit", b.Commit, two)
	same(t, "text", b.Text, "TWO")
	same(t, "title", b.Title, "a title: with a colon")
	same(t, "author", b.Author, Person{"torve test", "test@example.com"})
	same(t, "at", b.At, must(r.ReadCommit(ctx, two))(t).At)
	same(t, "an older line", must(r.Blame(ctx, "HEAD", "a.txt", 1))(t).Commit, seed)
	same(t, "a root is no boundary", must(r.Blame(ctx, "HEAD", "a.txt", 1))(t).Boundary, false)
	for _, bad := range []struct {
		path string
		n    int
	}{{"a.txt", 4}, {"a.txt", 0}, {"nope", 1}, {"dir", 1}} {
		if b, err := r.Blame(ctx, "HEAD", bad.path, bad.n); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v: got %v, %v", bad, b, err)
		}
	}
	shallow := opened(t, g.Clone("--depth=1", "file://"+g.Dir).Dir)
	same(t, "boundary of a shallow clone", must(shallow.Blame(ctx, "HEAD", "a.txt", 1))(t).Boundary, true)
}

func TestBlameOfTheWorkTreeKnowsWhatIsNotCommitted(t *testing.T) {
	g, r, seed := seeded(t)
	g.Write("a.txt", "zero\none\n")
	g.Write("new.txt", "x\n")
	b := must(r.BlameHere(ctx, "a.txt", 1))(t)
	same(t, "a line that is not committed", b.Commit+b.Text, "zero")
	same(t, "a line that moved", must(r.BlameHere(ctx, "a.txt", 2))(t).Commit, seed)
	for _, bad := range []string{"new.txt", "nope"} {
		if b, err := r.BlameHere(ctx, bad, 1); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v, %v", bad, b, err)
		}
	}
	if b, err := r.BlameHere(ctx, "a.txt", 9); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, %v", b, err)
	}
}

func TestBlameWorksWhereTheFileOfIgnoredCommitsIsMissing(t *testing.T) {
	g, r, seed := seeded(t)
	g.Write("a.txt", "one\nTWO\nthree\n")
	two := g.Commit("two")
	want := must(r.Blame(ctx, "HEAD", "a.txt", 2))(t)
	g.Git("config", "blame.ignoreRevsFile", "missing")
	same(t, "blamed", must(r.Blame(ctx, "HEAD", "a.txt", 2))(t), want)
	same(t, "commit", want.Commit, two)
	same(t, "an older line", must(r.Blame(ctx, "HEAD", "a.txt", 3))(t).Commit, seed)
	g.Write("missing", two+"\n")
	same(t, "with the file there", must(r.Blame(ctx, "HEAD", "a.txt", 2))(t).Commit, seed)
	g.Git("config", "--unset", "blame.ignoreRevsFile")
	same(t, "the last line is no boundary", must(r.Blame(ctx, "HEAD", "a.txt", 3))(t).Boundary, false)
}
