package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"torve/internal/git/gittest"
)

func TestSmoke2(t *testing.T) {
	ctx := context.Background()
	g := gittest.New(t)
	r, err := Open(ctx, g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	g.Write(".gitignore", "*.log\nnode_modules/\n")
	g.Write(".gitattributes", "gen/** linguist-generated\n")
	g.Write("a/b/c.txt", "1\n2\n3\n")
	g.Write("d", "y\n")
	base := g.Commit("one")
	wt := filepath.Join(t.TempDir(), "wts", "T-1")
	t.Log(r.AddWorktree(ctx, wt, base))
	t.Log(r.VerifyWorktree(ctx, wt, base))
	w := gittest.At(t, wt)
	w.Write("new file \n\"x", "n\n")
	w.Write("a/b/c.txt", "1\n2\nX\n")
	w.Write("gen/x.go", "n\n")
	w.Write("k.log", "n\n")
	w.Write("f.log", "n\n")
	w.Write("node_modules/q", "n\n")
	w.Git("add", "-f", "f.log")
	w.Git("init", "-q", "nested")
	w.Write("nested/f", "n\n")
	w.Git("rm", "-q", "d")
	w.Git("commit", "-qm", "me")
	t.Log(r.Status(ctx, wt))
	t.Log(r.Ignored(ctx, wt))
	tree, err := r.Snapshot(ctx, wt, base, nil)
	t.Log(tree, err)
	d, err := r.Diff(ctx, base, tree)
	for _, x := range d {
		t.Logf("%+v", x)
	}
	t.Log(err)
	t.Log(r.AddedLines(ctx, base, tree))
	var b bytes.Buffer
	t.Log(r.Patch(ctx, &b, base, tree, false), b.String())
	t.Log(r.Equal(ctx, wt, base, []string{"node_modules", "gen/x.go"}))
	t.Log(r.Status(ctx, wt))
	t.Log(r.Equal(ctx, wt, tree, nil))
	t.Log(r.Status(ctx, wt))
	t2, err := r.Snapshot(ctx, wt, base, nil)
	t.Log(t2 == tree, err)
	e1, _ := r.EditTree(ctx, base, Edit{"d", "", ""})
	blob, _ := r.WriteBlob(ctx, []byte("1\n2\nY\n"))
	blob2, _ := r.WriteBlob(ctx, []byte("zz\n"))
	e2, _ := r.EditTree(ctx, base, Edit{"a/b/c.txt", "100644", blob}, Edit{"d", "100644", blob2})
	t.Log(r.Merge(ctx, base, tree, e1))
	m, err := r.Merge(ctx, base, tree, e2)
	t.Log(m.Tree, m.Conflicts, err)
	t.Log(m.Hunks)
	t.Log(r.Worktrees(ctx))
	t.Log(r.RemoveWorktree(ctx, filepath.Dir(wt), wt))
	_, err = os.Stat(wt)
	t.Log(err)
	t.Log(r.RemoveWorktree(ctx, filepath.Dir(g.Dir), g.Dir))
	t.Log(r.AddWorktree(ctx, g.Dir+"/x", base))
}
