package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"torve/internal/git/gittest"
)

func TestSixteenWorktreesAtOnceLoseNothing(t *testing.T) {
	g, _, c := seeded(t)
	root := t.TempDir()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			r, err := Open(ctx, g.Dir) // as so many dispatches would
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			dir := filepath.Join(root, fmt.Sprint(i))
			if err := r.AddWorktree(ctx, dir, c); err != nil {
				t.Error(err)
				return
			}
			if err := r.VerifyWorktree(ctx, dir, c); err != nil {
				t.Error(err)
			}
			if i%2 == 0 {
				if err := r.RemoveWorktree(ctx, root, dir); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	places := must(opened(t, g.Dir).Worktrees(ctx))(t)
	same(t, "worktrees", len(places), 1+8)
}

func TestAWorktreeIsMadeOutsideEveryOther(t *testing.T) {
	g, r, c := seeded(t)
	w := worktree(t, r, c)
	link := filepath.Join(t.TempDir(), "link")
	ok(t, os.Symlink(g.Dir, link))
	full := filepath.Join(t.TempDir(), "full")
	write(t, filepath.Join(full, "x"), "mine")
	for name, dir := range map[string]string{
		"inside the main work tree":        filepath.Join(g.Dir, "sub", "x"),
		"the main work tree":               g.Dir,
		"inside the git dir":               filepath.Join(g.Dir, ".git", "x"),
		"inside another worktree":          filepath.Join(w.Dir, "x"),
		"around the main work tree":        filepath.Dir(g.Dir),
		"through a link into the main":     filepath.Join(link, "x"),
		"a folder that holds something":    full,
		"a worktree that is there already": w.Dir,
	} {
		t.Run(name, func(t *testing.T) {
			err := r.AddWorktree(ctx, dir, c)
			refuses(t, err, "adding the worktree")
		})
	}
	same(t, "what the full folder held", string(must(os.ReadFile(filepath.Join(full, "x")))(t)), "mine")
	ok(t, r.VerifyWorktree(ctx, w.Dir, c))
	if _, err := r.Resolve(ctx, "nope"); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	if err := r.AddWorktree(ctx, filepath.Join(t.TempDir(), "x"), "nope"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
}

func TestAWorktreeIsVerifiedBeforeAnybodyWorksInIt(t *testing.T) {
	g, r, c := seeded(t)
	two := g.Commit("two")
	for _, fault := range []struct {
		name, says string
		do         func(t *testing.T, w *gittest.Repo)
	}{
		{"a changed file", "its files differ", func(t *testing.T, w *gittest.Repo) { w.Write("a.txt", "x") }},
		{"a missing file", "its files differ", func(t *testing.T, w *gittest.Repo) { ok(t, os.Remove(filepath.Join(w.Dir, "a.txt"))) }},
		{"a mode", "its files differ", func(t *testing.T, w *gittest.Repo) { ok(t, os.Chmod(filepath.Join(w.Dir, "a.txt"), 0o755)) }},
		{"an untracked file", "holds files", func(t *testing.T, w *gittest.Repo) { w.Write("new", "x") }},
		{"a staged file", "its index differs", func(t *testing.T, w *gittest.Repo) { w.Git("rm", "-q", "--cached", "a.txt") }},
		{"another commit", "its HEAD is", func(t *testing.T, w *gittest.Repo) { w.Git("checkout", "-q", two) }},
		{"a branch", "on the branch b", func(t *testing.T, w *gittest.Repo) { w.Git("checkout", "-q", "-b", "b") }},
		{"a repository of its own", "belongs to the repository", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, ".git")))
			w.Git("init", "-q", "--template=")
		}},
		{"no .git", "is not a git repository", func(t *testing.T, w *gittest.Repo) { ok(t, os.Remove(filepath.Join(w.Dir, ".git"))) }},
		{"the registration of another", "not the one registered", func(t *testing.T, w *gittest.Repo) {
			other := worktree(t, r, c)
			ok(t, os.WriteFile(filepath.Join(w.Dir, ".git"), []byte("gitdir: "+other.Git("rev-parse", "--absolute-git-dir")+"\n"), 0o644))
		}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			w := worktree(t, r, c)
			ok(t, r.VerifyWorktree(ctx, w.Dir, c))
			fault.do(t, w)
			err := r.VerifyWorktree(ctx, w.Dir, c)
			says := fault.says
			if says == "is not a git repository" {
				if !errors.Is(err, ErrNoRepository) {
					t.Fatalf("got %v", err)
				}
				return
			}
			refuses(t, err, says)
		})
	}
}

func TestASubfolderOrTheMainWorkTreeIsNoVerifiedWorktree(t *testing.T) {
	g, r, c := seeded(t)
	w := worktree(t, r, c)
	refuses(t, r.VerifyWorktree(ctx, filepath.Join(w.Dir, "dir"), c), "toplevel")
	g.Git("checkout", "-q", "--detach")
	refuses(t, r.VerifyWorktree(ctx, g.Dir, c), "git dir")
}

func TestNoHookRunsWhenAWorktreeIsMadeOrARefMoves(t *testing.T) {
	g, r, c := seeded(t)
	mark := filepath.Join(t.TempDir(), "ran")
	for _, hook := range []string{"post-checkout", "reference-transaction", "post-index-change", "pre-commit", "commit-msg",
		"post-commit", "post-merge", "pre-merge-commit", "prepare-commit-msg"} {
		g.Hook(hook, "echo "+hook+" >> "+mark+"\nexit 1")
	}
	g.Git("config", "core.hooksPath", ".git/hooks")
	g.Git("config", "core.fsmonitor", g.Dir+"/.git/hooks/post-commit")
	w := worktree(t, r, c)
	w.Write("x", "x")
	tree := must(r.Snapshot(ctx, w.Dir, c, nil))(t)
	ok(t, r.Equal(ctx, w.Dir, tree, nil))
	next := must(r.CommitOn(ctx, "main", "m", noon, Edit{"y", modeFile, must(r.WriteBlob(ctx, []byte("y")))(t)}))(t)
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/torve/x", "", next}))
	ok(t, r.RemoveWorktree(ctx, filepath.Dir(w.Dir), w.Dir))
	if data, err := os.ReadFile(mark); err == nil {
		t.Fatalf("hooks ran: %s", data)
	}
}

func TestSparsePatternsAreInheritedAndHold(t *testing.T) {
	for _, kind := range gittest.Kinds() {
		if kind.Name != "a sparse checkout" {
			continue
		}
		g := kind.Make(t)
		r := opened(t, g.Dir)
		base := g.Git("rev-parse", "HEAD")
		w := worktree(t, r, base)
		same(t, "outside is checked out", exists(filepath.Join(w.Dir, "outside")), false)
		w.Write("dir/b.txt", "changed\n")
		tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
		sameList(t, "changes", changes(t, r, base, tree), "M dir/b.txt")
		w.Write("outside/near.txt", "the agent wrote outside of the patterns\n")
		tree = must(r.Snapshot(ctx, w.Dir, base, nil))(t)
		sameList(t, "changes", changes(t, r, base, tree), "M dir/b.txt", "A outside/near.txt")
		ok(t, r.Equal(ctx, w.Dir, base, nil))
		same(t, "outside is checked out", exists(filepath.Join(w.Dir, "outside", "far")), false)
		same(t, "what was untracked", exists(filepath.Join(w.Dir, "outside", "near.txt")), false)
		ok(t, r.VerifyWorktree(ctx, w.Dir, base))
		return
	}
	t.Fatal("no kind of repository is sparse")
}

func TestRemovalHappensOnlyUnderTheRootAndHoldsNothingElse(t *testing.T) {
	g, r, c := seeded(t)
	w := worktree(t, r, c)
	root := filepath.Dir(w.Dir)
	foreign := filepath.Join(root, "foreign")
	write(t, filepath.Join(foreign, "x"), "mine")
	inner := filepath.Join(root, "outer", "inner")
	ok(t, r.AddWorktree(ctx, inner, c))
	link := filepath.Join(root, "link")
	ok(t, os.Symlink(g.Dir, link))
	for _, bad := range []struct{ name, root, dir, says string }{
		{"the root itself", w.Dir, w.Dir, "not inside"},
		{"beside the root", filepath.Join(root, "other"), w.Dir, "not inside"},
		{"up and away", root, filepath.Join(root, "..", "..", "x"), "not inside"},
		{"the main work tree", filepath.Dir(g.Dir), g.Dir, "it holds"},
		{"a folder of the main work tree", g.Dir, filepath.Join(g.Dir, "dir"), "inside"},
		{"the git dir", g.Dir, filepath.Join(g.Dir, ".git"), "it holds"},
		{"around another worktree", root, filepath.Join(root, "outer"), "it holds"},
		{"inside another worktree", root, filepath.Join(w.Dir, "dir"), "inside"},
		{"a folder that is no worktree", root, foreign, "no worktree of this repository"},
		{"a link to the main work tree", root, link, "not inside"},
	} {
		t.Run(bad.name, func(t *testing.T) { refuses(t, r.RemoveWorktree(ctx, bad.root, bad.dir), bad.says) })
	}
	for _, kept := range []string{filepath.Join(foreign, "x"), filepath.Join(g.Dir, "a.txt"), filepath.Join(inner, "a.txt"), filepath.Join(w.Dir, "a.txt")} {
		same(t, kept, exists(kept), true)
	}
	w.Git("worktree", "lock", "--reason", "do not touch", w.Dir)
	refuses(t, r.RemoveWorktree(ctx, root, w.Dir), "locked", "do not touch")
	same(t, "the locked worktree", exists(filepath.Join(w.Dir, "a.txt")), true)
}

func TestRemovalEndsWithFolderAndRegistrationGone(t *testing.T) {
	_, r, c := seeded(t)
	for name, before := range map[string]func(t *testing.T, w *gittest.Repo){
		"as it was made": func(*testing.T, *gittest.Repo) {},
		"with changes and ignored files": func(t *testing.T, w *gittest.Repo) {
			w.Write("a.txt", "x")
			w.Write("build/x", "x")
		},
		"its folder is gone": func(t *testing.T, w *gittest.Repo) { ok(t, os.RemoveAll(w.Dir)) },
		"its .git is gone":   func(t *testing.T, w *gittest.Repo) { ok(t, os.Remove(filepath.Join(w.Dir, ".git"))) },
		"its index is locked": func(t *testing.T, w *gittest.Repo) {
			write(t, w.Git("rev-parse", "--absolute-git-dir")+"/index.lock", "")
		},
		"its registration is gone": func(t *testing.T, w *gittest.Repo) {
			ok(t, os.RemoveAll(w.Git("rev-parse", "--absolute-git-dir")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := worktree(t, r, c)
			before(t, w)
			ok(t, r.RemoveWorktree(ctx, filepath.Dir(w.Dir), w.Dir))
			same(t, "folder", exists(w.Dir), false)
			for _, p := range must(r.Worktrees(ctx))(t) {
				if p.Dir == w.Dir {
					t.Fatal("it is still registered")
				}
			}
			ok(t, r.RemoveWorktree(ctx, filepath.Dir(w.Dir), w.Dir)) // gone already
		})
	}
}

func TestAFolderThatItsOwnerMayNotWriteIsRemovedToo(t *testing.T) {
	if !gittest.Unprivileged(t) {
		return
	}
	_, r, c := seeded(t)
	w := worktree(t, r, c)
	w.Write("build/cache/mod/x", "x")
	ok(t, os.Chmod(filepath.Join(w.Dir, "build", "cache", "mod"), 0o555))
	w.Write("cache/mod/x", "untracked")
	ok(t, os.Chmod(filepath.Join(w.Dir, "cache", "mod"), 0o555))
	ok(t, r.Equal(ctx, w.Dir, c, nil))
	same(t, "untracked cache", exists(filepath.Join(w.Dir, "cache")), false)
	ok(t, r.RemoveWorktree(ctx, filepath.Dir(w.Dir), w.Dir))
}

func TestAWorktreeThatCannotBeFilledIsTakenAway(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gitattributes", "*.bin filter=broken\n")
	g.Write("x.bin", "x")
	c := g.Commit("one")
	g.Git("config", "filter.broken.smudge", "false")
	g.Git("config", "filter.broken.required", "true")
	r := opened(t, g.Dir)
	dir := filepath.Join(t.TempDir(), "w")
	refuses(t, r.AddWorktree(ctx, dir, c), "filling the worktree", "smudge filter broken failed")
	same(t, "folder", exists(dir), false)
	same(t, "worktrees", len(must(r.Worktrees(ctx))(t)), 1)
}

func TestAReadOnlyRepositoryIsSaidSo(t *testing.T) {
	if !gittest.Unprivileged(t) {
		return
	}
	g, r, c := seeded(t)
	chmod := func(mode os.FileMode) {
		ok(t, filepath.WalkDir(filepath.Join(g.Dir, ".git"), func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, mode)
			}
			return err
		}))
	}
	chmod(0o555)
	defer chmod(0o755)
	for name, do := range map[string]func() error{
		"a blob":     func() error { _, err := r.WriteBlob(ctx, []byte("new")); return err },
		"a ref":      func() error { return r.UpdateRefs(ctx, RefUpdate{"refs/torve/x", "", c}) },
		"a worktree": func() error { return r.AddWorktree(ctx, filepath.Join(t.TempDir(), "w"), c) },
		"a lock":     func() error { _, err := r.Lock(ctx, "x"); return err },
		"a batch":    func() error { _, err := openBatch(r).write(ctx, "blob", []byte("new")); return err },
	} {
		if err := do(); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	same(t, "it is still read", string(must(r.File(ctx, "HEAD", "dir/b.txt"))(t)), "b\n")
	sameList(t, "status", must(r.Status(ctx, g.Dir))(t).Paths)
}

func TestWorktreesSayWhatTheyAre(t *testing.T) {
	g, r, c := seeded(t)
	dir := filepath.Join(t.TempDir(), "with\nnewline")
	g.Git("worktree", "add", "-q", "-b", "feature/x", dir)
	g.Git("worktree", "lock", "--reason", "two\nlines", dir)
	w := worktree(t, r, c)
	ok(t, os.RemoveAll(w.Dir))
	got := must(r.Worktrees(ctx))(t)
	want := []Place{
		{Dir: g.Dir, Head: c, Branch: "main"},
		{Dir: w.Dir, Head: c, Prunable: true},
		{Dir: dir, Head: c, Branch: "feature/x", Locked: true},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) && fmt.Sprint(got) != fmt.Sprint([]Place{want[0], want[2], want[1]}) {
		t.Fatalf("got %+v", got)
	}
	if strings.Count(fmt.Sprint(got), "\n") != 1 {
		t.Fatalf("got %+v", got)
	}
}
