package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/git/gittest"
)

func TestOpenWorksFromAnyFolderOfTheRepository(t *testing.T) {
	g, _, _ := seeded(t)
	linked := filepath.Join(t.TempDir(), "linked")
	g.Git("worktree", "add", "-q", "--detach", linked)
	common := filepath.Join(g.Dir, ".git")
	for _, c := range []struct{ name, from, worktree string }{
		{"the root", g.Dir, g.Dir},
		{"a subfolder", filepath.Join(g.Dir, "dir"), g.Dir},
		{"the git dir", common, g.Dir},
		{"a folder in the git dir", filepath.Join(common, "objects"), g.Dir},
		{"a linked worktree", linked, linked},
		{"the git dir of a linked worktree", filepath.Join(common, "worktrees", "linked"), linked},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := opened(t, c.from)
			same(t, "Worktree", r.Worktree, c.worktree)
			same(t, "Dir", r.Dir, c.worktree)
			same(t, "Main", r.Main, g.Dir)
			same(t, "Common", r.Common, common)
			same(t, "Bare", r.Bare, false)
		})
	}
}

func TestOpenKnowsABareRepositoryAndItsWorktrees(t *testing.T) {
	g, _, _ := seeded(t)
	for _, name := range []string{"shop.git", ".git", ".bare"} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			bare := filepath.Join(top, name)
			g.Git("clone", "-q", "--bare", g.Dir, bare)
			tree := filepath.Join(top, "tree")
			gittest.At(t, bare).Git("worktree", "add", "-q", tree, "main")

			r := opened(t, bare)
			same(t, "Bare", r.Bare, true)
			same(t, "Dir", r.Dir, bare)
			same(t, "Worktree", r.Worktree, "")
			same(t, "Main", r.Main, "")

			r = opened(t, tree)
			same(t, "Bare", r.Bare, true)
			same(t, "Dir", r.Dir, tree)
			same(t, "Main", r.Main, "")
			same(t, "Common", r.Common, bare)
		})
	}
}

func TestOpenFindsTheWorkTreeOfASubmodule(t *testing.T) {
	for _, kind := range gittest.Kinds() {
		if kind.Name != "a repository with a submodule" {
			continue
		}
		g := kind.Make(t)
		r := opened(t, filepath.Join(g.Dir, "vendored"))
		same(t, "Main", r.Main, filepath.Join(g.Dir, "vendored"))
		same(t, "Common", r.Common, filepath.Join(g.Dir, ".git", "modules", "vendored"))
		return
	}
	t.Fatal("no kind of repository has a submodule")
}

func TestVariablesThatSayWhereARepositoryIsAreNotHeard(t *testing.T) {
	g, _, c := seeded(t)
	other := gittest.At(t, t.TempDir())
	other.Git("init", "-q", "--template=")
	t.Setenv("GIT_DIR", filepath.Join(other.Dir, ".git"))
	t.Setenv("GIT_WORK_TREE", other.Dir)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.Dir, "nowhere"))
	t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(other.Dir, "nowhere"))
	r := opened(t, g.Dir)
	same(t, "Main", r.Main, g.Dir)
	_, head, err := r.Head(ctx)
	ok(t, err)
	same(t, "HEAD", head, c)
	status := must(r.Status(ctx, g.Dir))(t)
	sameList(t, "status", status.Paths)
}

func TestAFolderOutsideAnyRepositoryIsSaidSo(t *testing.T) {
	gittest.Home(t)
	_, err := Open(ctx, t.TempDir())
	if !errors.Is(err, ErrNoRepository) {
		t.Fatalf("got %v", err)
	}
	_, err = Open(ctx, filepath.Join(t.TempDir(), "missing"))
	refuses(t, err, "missing")
}

func TestSafeDirectoryKeepsGitsWords(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("giving a folder to another user takes root")
	}
	g, _, _ := seeded(t)
	for _, path := range []string{g.Dir, filepath.Join(g.Dir, ".git")} {
		ok(t, os.Lchown(path, 12345, 12345))
	}
	_, err := Open(ctx, g.Dir)
	refuses(t, err, "dubious ownership")
	if errors.Is(err, ErrNoRepository) {
		t.Fatalf("it is a repository: %v", err)
	}
}

func TestAnUnbornHeadIsSaidSo(t *testing.T) {
	g := gittest.New(t)
	r := opened(t, g.Dir)
	branch, commit, err := r.Head(ctx)
	if !errors.Is(err, ErrUnborn) {
		t.Fatalf("got %v", err)
	}
	same(t, "branch", branch, "main")
	same(t, "commit", commit, "")
	if _, err := r.Root(ctx, "HEAD"); !errors.Is(err, ErrUnborn) {
		t.Fatalf("Root: got %v", err)
	}
	if _, err := r.CommitOn(ctx, "main", "m", noon); !errors.Is(err, ErrUnborn) {
		t.Fatalf("CommitOn: got %v", err)
	}
}

func TestHeadIsTheBranchOrDetached(t *testing.T) {
	g, r, c := seeded(t)
	g.Git("checkout", "-q", "-b", "feature/x")
	branch, commit, err := r.Head(ctx)
	ok(t, err)
	same(t, "branch", branch, "feature/x")
	same(t, "commit", commit, c)
	g.Git("checkout", "-q", "--detach")
	branch, _, err = r.Head(ctx)
	ok(t, err)
	same(t, "branch", branch, "")
}

func TestResolveNamesCommitsBlobsAndWhatTagsStandFor(t *testing.T) {
	g, r, c := seeded(t)
	g.Git("tag", "-a", "-m", "v1", "v1")
	tag := g.Git("rev-parse", "v1")
	blob := g.Git("rev-parse", "HEAD:a.txt")
	for rev, want := range map[string]string{"main": c, "HEAD": c, "v1": c, tag: c, c: c, c[:9]: c, "HEAD:a.txt": blob, blob: blob} {
		same(t, rev, must(r.Resolve(ctx, rev))(t), want)
	}
	for _, rev := range []string{"", "nope", "HEAD:nope", "-x", "--all", strings.Repeat("1", 40), "v1^{nope}"} {
		if got, err := r.Resolve(ctx, rev); !errors.Is(err, ErrNotFound) {
			t.Fatalf("%q: got %q, %v", rev, got, err)
		}
	}
}

func TestRootIsTheOldestCommitAndUnknownInAShallowClone(t *testing.T) {
	g, r, first := seeded(t)
	g.Commit("second")
	same(t, "root", must(r.Root(ctx, "HEAD"))(t), first)
	shallow := g.Clone("--depth=1", "file://"+g.Dir)
	s := opened(t, shallow.Dir)
	same(t, "Shallow", s.Shallow, true)
	if _, err := s.Root(ctx, "HEAD"); !errors.Is(err, ErrShallow) {
		t.Fatalf("got %v", err)
	}
}

func TestARootIsHeldWhateverIsCheckedOut(t *testing.T) {
	g, r, first := seeded(t)
	second := g.Commit("second")
	g.Git("checkout", "-q", "--orphan", "pages")
	g.Commit("another beginning")
	same(t, "its own", must(r.HoldsRoot(ctx, first))(t), true)
	same(t, "a commit that is no root", must(r.HoldsRoot(ctx, second))(t), false)
	same(t, "a tree", must(r.HoldsRoot(ctx, must(r.TreeID(ctx, first))(t)))(t), false)
	same(t, "another repository's", must(r.HoldsRoot(ctx, strings.Repeat("1", 40)))(t), false)
	shallow := opened(t, g.Clone("--depth=1", "--branch=main", "file://"+g.Dir).Dir)
	if _, err := shallow.HoldsRoot(ctx, first); !errors.Is(err, ErrShallow) {
		t.Fatalf("where the history is cut short: %v", err)
	}
}

func TestIdentityIsThePersonsAndMissingWhereGitWouldRefuse(t *testing.T) {
	g, r, _ := seeded(t)
	p := must(r.Identity(ctx))(t)
	same(t, "person", p, Person{"torve test", "test@example.com"})
	time.Sleep(2 * settledFine) // so that what is configured is remembered
	same(t, "person, asked again", must(r.Identity(ctx))(t), p)
	t.Setenv("GIT_AUTHOR_NAME", "somebody else")
	same(t, "person from the environment", must(r.Identity(ctx))(t).Name, "somebody else")
	os.Unsetenv("GIT_AUTHOR_NAME")
	g.Git("config", "user.useConfigOnly", "true")
	ok(t, os.WriteFile(filepath.Join(os.Getenv("HOME"), ".gitconfig"), nil, 0o644))
	_, err := r.Identity(ctx)
	refuses(t, err, "who commits here")
}

func TestVersionsAreComparedByNumber(t *testing.T) {
	for version, want := range map[string]bool{"2.38": true, "2.39.5": true, "2.100.0": true, "3.0": true, "2.37.9": false, "2.9.1": false, "1.99": false} {
		same(t, version, !older(version, Oldest), want)
	}
	version := must(Version(ctx))(t)
	same(t, version+" is supported", !older(version, Oldest), true)
}

func TestInitMakesAnEmptyRepository(t *testing.T) {
	gittest.Home(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	ok(t, Init(ctx, dir, "trunk"))
	branch, _, err := opened(t, dir).Head(ctx)
	if !errors.Is(err, ErrUnborn) {
		t.Fatalf("got %v", err)
	}
	same(t, "branch", branch, "trunk")
}
