package git

import (
	"path/filepath"
	"slices"
	"testing"

	"torve/internal/git/gittest"
)

// The road of one attempt over every kind of repository: cut, verify, take, merge, land.
func TestEveryKindOfRepositoryWorksTheSame(t *testing.T) {
	batched := map[string]bool{"a SHA-256 repository": true, "a shallow clone": true, "a partial clone": true, "a repository with alternates": true}
	for _, kind := range gittest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			g := kind.Make(t)
			r := opened(t, g.Dir)
			_, base, err := r.Head(ctx)
			ok(t, err)
			same(t, "go-git reads it", must(r.simple())(t), !batched[kind.Name])
			same(t, "Dir", r.Dir, g.Git("rev-parse", "--show-toplevel"))

			w := worktree(t, r, base)
			ok(t, r.VerifyWorktree(ctx, w.Dir, base))
			w.Write("dir/b.txt", "changed\n")
			w.Write("dir/new \"file\"\n漢字.txt", "new\n")
			w.Write("build/out", "ignored\n")
			tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
			sameList(t, "changes", changes(t, r, base, tree), "M dir/b.txt", "A dir/new \"file\"\n漢字.txt")

			head := edited(t, r, base, "meanwhile", map[string]string{"dir/c.txt": "c\n"})
			merged := must(r.Merge(ctx, base, head, tree))(t)
			sameList(t, "conflicts", merged.Conflicts)
			want := append(paths(t, r, base), "dir/c.txt", "dir/new \"file\"\n漢字.txt")
			slices.Sort(want)
			sameList(t, "merged paths", paths(t, r, merged.Tree), want...)

			ok(t, r.Equal(ctx, w.Dir, merged.Tree, nil))
			same(t, "c.txt", w.Read("dir/c.txt"), "c\n")
			same(t, "tree of the worktree made equal", must(r.Snapshot(ctx, w.Dir, base, nil))(t), merged.Tree)

			m := must(r.WriteCommit(ctx, Commit{Tree: merged.Tree, Parents: []string{base}, Author: Person{"a", "a@b.c"}, At: noon, Message: "land"}, false))(t)
			land(t, r, "main", base, m)
			same(t, "main", must(r.Resolve(ctx, "refs/heads/main"))(t), m)

			ok(t, r.RemoveWorktree(ctx, filepath.Dir(w.Dir), w.Dir))
			if exists(w.Dir) {
				t.Fatal("the worktree is still there")
			}
			if out, err := g.Try("fsck", "--no-dangling"); err != nil {
				t.Fatalf("fsck: %v\n%s", err, out)
			}
		})
	}
}

// land moves a branch as a landing does.
func land(t *testing.T, r *Repo, branch, old, new string) {
	t.Helper()
	dir := must(r.CheckedOut(ctx, branch))(t)
	if dir == "" {
		ok(t, r.UpdateRefs(ctx, RefUpdate{Ref: "refs/heads/" + branch, Old: old, New: new}))
		return
	}
	ok(t, r.FastForward(ctx, dir, new))
	status := must(r.Status(ctx, dir))(t)
	sameList(t, "status after landing", status.Paths)
}
