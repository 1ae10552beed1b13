package git

import (
	"fmt"
	"slices"
	"testing"
)

func TestAListOfFilesHasTheIdOfItsTree(t *testing.T) {
	g, r, _ := seeded(t)
	for _, path := range []string{"a/b/c", "a/b.c", "a.b", "a0", "a/z", "Ä ö/x", "run"} {
		g.Write(path, path)
	}
	g.Git("add", ".")
	g.Git("update-index", "--chmod=+x", "run")
	g.Git("commit", "-q", "-m", "some")
	tree := g.Git("rev-parse", "HEAD^{tree}")
	list := must(r.TreeOf(ctx, tree, 0))(t)
	same(t, "the id", TreeID(list), tree)
	same(t, "by git's list", TreeID(must(r.TreeOf(ctx, tree, bigTree))(t)), tree)
	for i := range list {
		other := slices.Clone(list)
		other[i].Path += "x"
		if id := TreeID(other); id == tree {
			t.Errorf("%v is as much the list of %s", other, tree)
		}
	}
	for _, none := range [][]Entry{nil, {{Path: "a", ID: "no id"}}, {{Path: "", ID: tree}}, {{Path: "a/", ID: tree}}} {
		same(t, fmt.Sprint(none), TreeID(none), "")
	}
}
