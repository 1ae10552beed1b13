package git

import (
	"fmt"
	"testing"

	"torve/internal/git/gittest"
)

func TestManyFoldersAreListedAsFewAre(t *testing.T) {
	g := gittest.New(t)
	want := 0
	for i := range many + 3 {
		g.Write(fmt.Sprintf("tasks/T-%d/contract.yaml", i), fmt.Sprint(i))
		want++
	}
	g.Write("tasks/T-1/sub/ä\tb\nc", "odd")
	g.Write("tasks/plain", "a file")
	c := g.Commit("many")
	r := opened(t, g.Dir)
	all := must(r.Tree(ctx, c, "tasks/"))(t)
	same(t, "entries", len(all), want+2)
	for _, e := range all {
		one := must(r.Entry(ctx, c, e.Path))(t)
		same(t, "the entry of "+e.Path, one, e)
	}
	tree, children, err := r.Children(ctx, c, "tasks/")
	ok(t, err)
	same(t, "children", len(children), want+1)
	same(t, "the tree", tree, g.Git("rev-parse", c+":tasks"))
	for _, e := range children {
		one := must(r.Entry(ctx, tree, e.Path))(t)
		same(t, "the child "+e.Path, one, e)
	}
	tree, children, err = r.Children(ctx, c, "none/")
	ok(t, err)
	same(t, "children of nothing", fmt.Sprint(tree, len(children)), "0")
}
