package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"torve/internal/git/gittest"
)

func TestWhatGitRefusesToAddKeepsNothingElseFromBeingTaken(t *testing.T) {
	g, r, _ := seeded(t)
	g.Write("wide.txt", "\xff\xfex\x00")
	g.Write("crlf.txt", "x\r\n")
	g.Write(".gitattributes", "wide.txt working-tree-encoding=UTF-16\ncrlf.txt text eol=crlf\n")
	base := g.Commit("with attributes")
	for _, c := range []struct {
		name string
		do   func(t *testing.T, w *gittest.Repo)
		want []string
	}{
		{"an encoding that is none", func(t *testing.T, w *gittest.Repo) {
			w.Write("new.txt", "x")
			w.Write("dir/.gitattributes", "*.txt working-tree-encoding=bogus\n")
			w.Write("dir/b.txt", "changed\n")
			ok(t, os.Remove(filepath.Join(w.Dir, "a.txt")))
		}, []string{"A dir/.gitattributes", "A new.txt", "D a.txt", "M dir/b.txt"}},
		{"an encoding that does not hold", func(t *testing.T, w *gittest.Repo) {
			w.Write("dir/.gitattributes", "new.txt working-tree-encoding=UTF-16\n")
			w.Write("dir/new.txt", "no mark")
			ok(t, os.Symlink("a.txt", filepath.Join(w.Dir, "link")))
			ok(t, os.Chmod(filepath.Join(w.Dir, "a.txt"), 0o755))
		}, []string{"A dir/.gitattributes", "A dir/new.txt", "A link", "M a.txt"}},
		{"names that no tree may have", func(t *testing.T, w *gittest.Repo) {
			for _, name := range []string{"dir/.GIT/config", "dir/git~1", "dir/.git ", "dir/.git::$INDEX", "kept"} {
				w.Write(name, "x")
			}
			ok(t, os.Symlink("/dev/zero", filepath.Join(w.Dir, ".gitmodules")))
		}, []string{"A kept"}},
		{"a repository inside that does not read", func(t *testing.T, w *gittest.Repo) {
			w.Git("init", "-q", "--template=", "inner")
			w.Write("inner/x.txt", "x")
			w.Write("inner/.git/config", "[[[\n")
			w.Write("x.log", "ignored")
			w.Write("y.log", "forced")
			w.Git("add", "-f", "y.log")
			w.Write(".env", "copied")
		}, []string{"A inner/x.txt", "A y.log"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := worktree(t, r, base)
			c.do(t, w)
			tree := must(r.Snapshot(ctx, w.Dir, base, []string{".env"}))(t)
			got := changes(t, r, base, tree)
			slices.Sort(got)
			sameList(t, "changes", got, c.want...)
		})
	}
}

func TestWhatTheAgentTellsGitToLookAwayFromIsTaken(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	w.Git("update-index", "--assume-unchanged", "a.txt")
	w.Git("update-index", "--skip-worktree", "dir/b.txt", ".gitignore")
	w.Write("a.txt", "changed\n")
	w.Write("dir/b.txt", "changed\n")
	ok(t, os.Remove(filepath.Join(w.Dir, ".gitignore")))
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	sameList(t, "changes", changes(t, r, base, tree), "D .gitignore", "M a.txt", "M dir/b.txt")
}

func TestWhatASparseCheckoutLeavesOutIsNotTakenForDeleted(t *testing.T) {
	g, r, _ := seeded(t)
	g.Write("out/c.txt", "c\n")
	base := g.Commit("more")
	g.Git("sparse-checkout", "set", "dir")
	w := worktree(t, r, base)
	if exists(filepath.Join(w.Dir, "out")) {
		t.Fatal("the checkout is not sparse")
	}
	w.Write("dir/b.txt", "changed\n")
	w.Write("new.txt", "x")
	sameList(t, "changes", changes(t, r, base, must(r.Snapshot(ctx, w.Dir, base, nil))(t)), "M dir/b.txt", "A new.txt")
	w.Write("dir/.gitattributes", "*.txt working-tree-encoding=bogus\n")
	sameList(t, "changes, as bytes", changes(t, r, base, must(r.Snapshot(ctx, w.Dir, base, nil))(t)), "A dir/.gitattributes", "M dir/b.txt", "A new.txt")
}
