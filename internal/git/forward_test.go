package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/git/gittest"
)

// A fast-forward brings what is in the target; what a person has there stays.
func TestAFastForwardTouchesNoFileThatAPersonHasThere(t *testing.T) {
	target := map[string]string{".env": "from the landing\n", "new": "new\n", "a.txt": "changed\n", "deep/er/x": "x\n", "dir/b.txt": dropped, "build": "a file\n"}
	for _, c := range []struct {
		name  string
		do    func(t *testing.T, g *gittest.Repo)
		block []string
	}{
		{"an ignored .env of theirs", func(t *testing.T, g *gittest.Repo) { g.Write(".env", "MINE") }, []string{".env"}},
		{"an untracked file", func(t *testing.T, g *gittest.Repo) { g.Write("new", "MINE") }, []string{"new"}},
		{"an untracked file of the same bytes", func(t *testing.T, g *gittest.Repo) { g.Write("new", "new\n") }, []string{"new"}},
		{"a changed file", func(t *testing.T, g *gittest.Repo) { g.Write("a.txt", "MINE") }, []string{"a.txt"}},
		{"a staged change", func(t *testing.T, g *gittest.Repo) {
			g.Write("a.txt", "MINE")
			g.Git("add", "a.txt")
		}, []string{"a.txt"}},
		{"a changed file that git is told to assume unchanged", func(t *testing.T, g *gittest.Repo) {
			g.Git("update-index", "--assume-unchanged", "a.txt")
			g.Write("a.txt", "MINE")
		}, []string{"a.txt"}},
		{"a changed file that git is told to skip", func(t *testing.T, g *gittest.Repo) {
			g.Git("update-index", "--skip-worktree", "a.txt")
			g.Write("a.txt", "MINE")
		}, []string{"a.txt"}},
		{"a file that is assumed unchanged and is", func(t *testing.T, g *gittest.Repo) {
			g.Git("update-index", "--assume-unchanged", "a.txt")
		}, nil},
		{"a changed file that it deletes", func(t *testing.T, g *gittest.Repo) { g.Write("dir/b.txt", "MINE") }, []string{"dir/b.txt"}},
		{"a file where a folder is to come", func(t *testing.T, g *gittest.Repo) { g.Write("deep", "MINE") }, []string{"deep"}},
		{"an ignored file where a folder is to come", func(t *testing.T, g *gittest.Repo) { g.Write("deep/er", "MINE"); g.Write(".git/info/exclude", "er\n") }, []string{"deep/er"}},
		{"a link where a folder is to come", func(t *testing.T, g *gittest.Repo) { ok(t, os.Symlink(t.TempDir(), filepath.Join(g.Dir, "deep"))) }, []string{"deep"}},
		{"an ignored folder where a file is to come", func(t *testing.T, g *gittest.Repo) { g.Write("build/cache", "MINE") }, []string{"build/cache"}},
		{"several", func(t *testing.T, g *gittest.Repo) { g.Write("new", "MINE"); g.Write(".env", "MINE") }, []string{".env", "new"}},
		{"an unrelated change", func(t *testing.T, g *gittest.Repo) { g.Write(".gitignore", "MINE") }, nil},
		{"unrelated files", func(t *testing.T, g *gittest.Repo) { g.Write("mine", "MINE"); g.Write("x.log", "MINE") }, nil},
		{"an unrelated staged file", func(t *testing.T, g *gittest.Repo) { g.Write("mine", "MINE"); g.Git("add", "mine") }, nil},
		{"an empty folder where a file is to come", func(t *testing.T, g *gittest.Repo) { ok(t, os.Mkdir(filepath.Join(g.Dir, "build"), 0o755)) }, nil},
		{"a clean work tree", func(t *testing.T, g *gittest.Repo) {}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, r, base := seeded(t)
			m := edited(t, r, base, "land", target)
			c.do(t, g)
			before := picture(t, g)
			sameList(t, "would block", must(r.WouldBlock(ctx, g.Dir, base, m))(t), c.block...)
			err := r.FastForward(ctx, g.Dir, m)
			if c.block != nil {
				if !errors.Is(err, ErrBlocked) {
					t.Fatalf("got %v", err)
				}
				refuses(t, err, c.block[0])
				same(t, "everything is as it was", picture(t, g), before)
				return
			}
			ok(t, err)
			same(t, "main", g.Git("rev-parse", "main"), m)
			same(t, "new", g.Read("new"), "new\n")
			for line := range strings.Lines(before) {
				if strings.Contains(line, "MINE") && !strings.Contains(picture(t, g), line) {
					t.Errorf("lost %q", line)
				}
			}
		})
	}
}

// picture is all that a person has at a checkout: files, index, HEAD and refs.
func picture(t *testing.T, g *gittest.Repo) string {
	t.Helper()
	var b strings.Builder
	ok(t, filepath.WalkDir(g.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err != nil {
			return err
		}
		if d.Type().IsRegular() {
			fmt.Fprintf(&b, "%s %q\n", path, must(os.ReadFile(path))(t))
		}
		return nil
	}))
	return b.String() + g.Git("ls-files", "-s") + "\n" + g.Git("for-each-ref") + "\n" + g.Git("symbolic-ref", "HEAD")
}

// The guard that stands behind WouldBlock, for a file that comes between asking and doing.
// A person who commits just when the target is to move makes git take the files there and
// leave the branch: what it left is no change of theirs, until they change it.
func TestWhatAFastForwardLeftThatDidNotMoveTheBranchIsNotInItsWay(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(g *gittest.Repo)
		block string
	}{
		"all of it": {func(*gittest.Repo) {}, ""},
		"and a commit of theirs": {func(g *gittest.Repo) {
			g.Git("update-ref", "refs/heads/main", g.Git("commit-tree", "-m", "mine", "-p", "HEAD", "HEAD^{tree}"))
		}, ""},
		"a file of it, edited since":     {func(g *gittest.Repo) { g.Write("new", "MINE") }, "new"},
		"a file of it, staged anew":      {func(g *gittest.Repo) { g.Write("new", "MINE"); g.Git("add", "new") }, "new"},
		"a file of it, deleted since":    {func(g *gittest.Repo) { os.Remove(filepath.Join(g.Dir, "new")) }, "new"},
		"a file of it, no longer staged": {func(g *gittest.Repo) { g.Git("rm", "-q", "--cached", "new") }, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			g, r, base := seeded(t)
			m := edited(t, r, base, "land", map[string]string{"new": "new\n", "a.txt": "changed\n"})
			g.Git("read-tree", "-m", "-u", base, m)
			c.do(g)
			onto := m
			if head := must(r.Resolve(ctx, "refs/heads/main"))(t); head != base {
				onto = must(r.WriteCommit(ctx, Commit{Tree: must(r.TreeID(ctx, m))(t), Parents: []string{head, m}, Author: Person{"p", "p@example.com"}, At: noon, Message: "merge"}, false))(t)
			}
			err := r.FastForward(ctx, g.Dir, onto)
			if c.block != "" {
				refuses(t, err, c.block)
				return
			}
			ok(t, err)
			same(t, "branch", must(r.Resolve(ctx, "refs/heads/main"))(t), onto)
			same(t, "status", g.Git("status", "--porcelain"), "")
		})
	}
}

func TestGitItselfRefusesToOverwriteAnIgnoredFile(t *testing.T) {
	g, r, base := seeded(t)
	m := edited(t, r, base, "land", map[string]string{".env": "from the landing\n"})
	g.Write(".env", "MINE")
	out, err := g.Try("merge", "--ff-only", "--no-overwrite-ignore", m)
	if err == nil || !strings.Contains(out, ".env") {
		t.Fatalf("git merged: %s", out)
	}
	same(t, ".env", g.Read(".env"), "MINE")
	same(t, "main", g.Git("rev-parse", "main"), base)
}

func TestAFastForwardIsRefusedWhileAnOperationIsInProgress(t *testing.T) {
	conflict := func(t *testing.T, g *gittest.Repo) {
		t.Helper()
		g.Git("checkout", "-q", "-b", "other")
		g.Write("a.txt", "other\n")
		g.Commit("other")
		g.Git("checkout", "-q", "main")
		g.Write("a.txt", "main\n")
		g.Commit("main")
	}
	for _, c := range []struct {
		name string
		do   func(t *testing.T, g *gittest.Repo)
	}{
		{"merge", func(t *testing.T, g *gittest.Repo) { g.Try("merge", "other") }},
		{"rebase", func(t *testing.T, g *gittest.Repo) { g.Try("rebase", "other") }},
		{"cherry-pick", func(t *testing.T, g *gittest.Repo) { g.Try("cherry-pick", "other") }},
		{"revert", func(t *testing.T, g *gittest.Repo) {
			g.Write("a.txt", "again\n")
			g.Commit("again")
			g.Try("revert", "--no-edit", "HEAD~1")
		}},
		{"bisect", func(t *testing.T, g *gittest.Repo) { g.Git("bisect", "start") }},
		{"am", func(t *testing.T, g *gittest.Repo) {
			patch := filepath.Join(t.TempDir(), "p")
			write(t, patch, g.Git("format-patch", "-1", "--stdout", "other")+"\n")
			g.Try("am", patch)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, r, _ := seeded(t)
			conflict(t, g)
			same(t, "busy before", must(r.Busy(ctx, g.Dir))(t), "")
			head := g.Git("rev-parse", "main")
			m := edited(t, r, head, "land", map[string]string{"new": "x"})
			c.do(t, g)
			same(t, "busy", must(r.Busy(ctx, g.Dir))(t), c.name)
			same(t, "in use at", must(r.CheckedOut(ctx, "main"))(t), g.Dir)
			err := r.FastForward(ctx, g.Dir, m)
			if !errors.Is(err, ErrBusy) {
				t.Fatalf("got %v", err)
			}
			refuses(t, err, c.name)
		})
	}
}

func TestABranchIsCheckedOutInOneWorktreeOrNone(t *testing.T) {
	g, r, base := seeded(t)
	g.Git("branch", "free")
	dir := filepath.Join(t.TempDir(), "linked")
	g.Git("worktree", "add", "-q", "-b", "feature/x", dir)
	for branch, want := range map[string]string{"main": g.Dir, "feature/x": dir, "free": "", "nowhere": ""} {
		same(t, branch, must(r.CheckedOut(ctx, branch))(t), want)
	}
	m := edited(t, r, base, "land", map[string]string{"new": "x"})
	ok(t, r.FastForward(ctx, dir, m))
	same(t, "feature/x", g.Git("rev-parse", "feature/x"), m)
	same(t, "main", g.Git("rev-parse", "main"), base)
	same(t, "new", exists(filepath.Join(dir, "new")), true)
	for _, e := range []error{r.FastForward(ctx, t.TempDir(), m), must2(r.Busy(ctx, t.TempDir()))} {
		if !errors.Is(e, ErrNotFound) {
			t.Fatalf("got %v", e)
		}
	}
}

func TestABranchInAWorktreeWhoseFolderIsGoneIsBlockedAndSaysWhy(t *testing.T) {
	g, r, base := seeded(t)
	dir := filepath.Join(t.TempDir(), "linked")
	g.Git("worktree", "add", "-q", "-b", "x", dir)
	ok(t, os.RemoveAll(dir))
	same(t, "checked out at", must(r.CheckedOut(ctx, "x"))(t), dir)
	err := r.FastForward(ctx, dir, edited(t, r, base, "m", map[string]string{"new": "x"}))
	if !errors.Is(err, ErrBlocked) {
		t.Fatalf("got %v", err)
	}
	refuses(t, err, "git worktree prune")
}

func must2[T any](_ T, err error) error { return err }

func TestAFastForwardGoesForwardOnly(t *testing.T) {
	g, r, base := seeded(t)
	two := g.Commit("two")
	sideways := edited(t, r, base, "sideways", map[string]string{"new": "x"})
	refuses(t, r.FastForward(ctx, g.Dir, sideways), "fast-forward")
	err := r.FastForward(ctx, g.Dir, base)
	if !errors.Is(err, ErrRefMoved) {
		t.Fatalf("got %v", err)
	}
	same(t, "main", g.Git("rev-parse", "main"), two)
}

func TestAFastForwardNeverStashes(t *testing.T) {
	g, r, base := seeded(t)
	g.Git("config", "merge.autoStash", "true")
	m := edited(t, r, base, "land", map[string]string{"a.txt": "x"})
	g.Write(".gitignore", "MINE")
	g.Git("add", ".gitignore")
	ok(t, r.FastForward(ctx, g.Dir, m))
	same(t, "stashes", g.Git("stash", "list"), "")
	same(t, "staged", g.Git("diff", "--cached", "--name-only"), ".gitignore")
}

func TestALockLeftByACrashIsNamed(t *testing.T) {
	g, r, base := seeded(t)
	lock := filepath.Join(g.Dir, ".git", "index.lock")
	write(t, lock, "")
	r.patience = nil
	err := r.FastForward(ctx, g.Dir, edited(t, r, base, "land", map[string]string{"new": "x"}))
	refuses(t, err, "index.lock", "File exists")
	same(t, "main", g.Git("rev-parse", "main"), base)
	same(t, "the lock, which is not ours", exists(lock), true)
}

func TestACommitOnABranchIsThePersonsAndMovesItWhereItIs(t *testing.T) {
	g, r, base := seeded(t)
	g.Git("branch", "free")
	edit := Edit{"specs/x.md", modeFile, must(r.WriteBlob(ctx, []byte("x\n")))(t)}
	id := must(r.CommitOn(ctx, "free", "a title", noon, edit))(t)
	same(t, "free", g.Git("rev-parse", "free"), id)
	c := must(r.ReadCommit(ctx, id))(t)
	same(t, "author", c.Author, Person{"torve test", "test@example.com"})
	same(t, "committer", c.Committer, c.Author)
	same(t, "at", c.At, noon)
	same(t, "parent", c.Parents[0], base)
	same(t, "main", g.Git("rev-parse", "main"), base)
	same(t, "nothing to commit", must(r.CommitOn(ctx, "free", "again", noon, edit))(t), id)

	g.Write("a.txt", "dirty\n")
	id = must(r.CommitOn(ctx, "main", "checked out", noon, edit))(t)
	same(t, "main", g.Git("rev-parse", "main"), id)
	same(t, "the file", g.Read("specs/x.md"), "x\n")
	same(t, "status", g.Git("status", "--porcelain"), "M a.txt")
}

func TestACommitOnABranchTakesAFileThatStandsThereAlready(t *testing.T) {
	g, r, _ := seeded(t)
	put := func(path, text string) Edit {
		g.Write(path, text)
		return Edit{path, modeFile, must(r.WriteBlob(ctx, []byte(text)))(t)}
	}
	edits := []Edit{put("new/contract.yaml", "x\n"), put("a.txt", "changed\n")}
	id := must(r.CommitOn(ctx, "main", "m", noon, edits...))(t)
	same(t, "main", g.Git("rev-parse", "main"), id)
	same(t, "status", g.Git("status", "--porcelain"), "")

	edits = []Edit{put("other.yaml", "x\n"), {"dir/b.txt", modeFile, edits[0].ID}}
	g.Write("dir/b.txt", "MINE\n")
	before := picture(t, g)
	_, err := r.CommitOn(ctx, "main", "m", noon, edits...)
	if !errors.Is(err, ErrBlocked) {
		t.Fatalf("got %v", err)
	}
	same(t, "everything is as it was", picture(t, g), before)
}

func TestACommitOnABranchThatMovedMeanwhileIsRefused(t *testing.T) {
	g, r, base := seeded(t)
	g.Git("branch", "free")
	head := edited(t, r, base, "theirs", map[string]string{"theirs": "x"})
	mine := edited(t, r, base, "mine", map[string]string{"mine": "x"})
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/heads/free", base, head}))
	err := r.UpdateRefs(ctx, RefUpdate{"refs/heads/free", base, mine})
	if !errors.Is(err, ErrRefMoved) {
		t.Fatalf("got %v", err)
	}
	same(t, "free", g.Git("rev-parse", "free"), head)
}
