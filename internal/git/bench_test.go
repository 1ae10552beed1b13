package git

import (
	"fmt"
	"path/filepath"
	"testing"

	"torve/internal/git/gittest"
)

// sized is a repository of so many files in 400 folders, packed as a clone is.
func sized(b *testing.B, files int) (*gittest.Repo, *Repo, string) {
	g := gittest.New(b)
	for i := range files {
		g.Write(fmt.Sprintf("pkg%03d/sub/file%05d.go", i%400, i), fmt.Sprintf("package p\n\nconst n%d = %d\n", i, i))
	}
	c := g.Commit("sized")
	g.Git("gc", "-q")
	return g, opened(b, g.Dir), c
}

func BenchmarkOpen(b *testing.B) {
	g, _, _ := seeded(b)
	for b.Loop() {
		r, err := Open(ctx, g.Dir)
		ok(b, err)
		ok(b, r.Close())
	}
}

// Most of it is the file system's: a thousand files come and go.
func BenchmarkAddAndRemoveAWorktree(b *testing.B) {
	_, r, c := sized(b, 1000)
	root := b.TempDir()
	for i := 0; b.Loop(); i++ {
		dir := filepath.Join(root, fmt.Sprint(i))
		ok(b, r.AddWorktree(ctx, dir, c))
		ok(b, r.RemoveWorktree(ctx, root, dir))
	}
}

func BenchmarkLargeRepository(b *testing.B) {
	g, r, c := sized(b, 20_000)
	b.Run("tree", func(b *testing.B) {
		for b.Loop() {
			same(b, "entries", len(must(r.Tree(ctx, c, ""))(b)), 20_000)
		}
	})
	b.Run("file", func(b *testing.B) {
		for b.Loop() {
			must(r.File(ctx, c, "pkg007/sub/file00007.go"))(b)
		}
	})
	dir := filepath.Join(b.TempDir(), "w")
	ok(b, r.AddWorktree(ctx, dir, c))
	w := gittest.At(b, dir)
	b.Run("verify a worktree", func(b *testing.B) {
		for b.Loop() {
			ok(b, r.VerifyWorktree(ctx, dir, c))
		}
	})
	w.Write("pkg007/sub/file00007.go", "changed\n")
	w.Write("new.go", "new\n")
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			must(r.Snapshot(ctx, dir, c, nil))(b)
		}
	})
	tree := must(r.Snapshot(ctx, dir, c, nil))(b)
	b.Run("diff", func(b *testing.B) {
		for b.Loop() {
			same(b, "changes", len(must(r.Diff(ctx, c, tree))(b)), 2)
		}
	})
	b.Run("merge", func(b *testing.B) {
		head := edited(b, r, c, "head", map[string]string{"pkg008/sub/file00008.go": "head\n"})
		for b.Loop() {
			must(r.Merge(ctx, c, head, tree))(b)
		}
	})
	b.Run("equal", func(b *testing.B) {
		for b.Loop() {
			ok(b, r.Equal(ctx, dir, tree, nil))
		}
	})
	b.Run("status", func(b *testing.B) {
		for b.Loop() {
			must(r.Status(ctx, g.Dir))(b)
		}
	})
}

// What is read three times an attempt, with as many rooms and kept trees as a busy night has.
func BenchmarkGuarded(b *testing.B) {
	g, r, c := seeded(b)
	root := b.TempDir()
	for n := range 40 {
		g.Git("worktree", "add", "--quiet", "--detach", "--no-checkout", filepath.Join(root, fmt.Sprint(n)), c)
		g.Git("update-ref", fmt.Sprintf("refs/torve/attempts/T-%04d/1", n), c)
	}
	for b.Loop() {
		must(r.Guarded(ctx))(b)
	}
}
