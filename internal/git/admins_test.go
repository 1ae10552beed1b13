package git

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestARegistrationThatWasFoundIsBelievedOnlyWhileItNamesItsWorktree(t *testing.T) {
	g, r, c := seeded(t)
	dir := filepath.Join(real(t.TempDir()), "w")
	ok(t, r.AddWorktree(ctx, dir, c))
	first := must(r.adminOf(dir))(t)
	moved := dir + "-moved"
	g.Git("worktree", "move", dir, moved)
	same(t, "the registration of the old place", must(r.adminOf(dir))(t), "")
	same(t, "the registration of the new place", must(r.adminOf(moved))(t), first)
	g.Git("worktree", "remove", "--force", moved)
	same(t, "the registration of what is gone", must(r.adminOf(moved))(t), "")
	g.Git("worktree", "add", "--quiet", "--detach", filepath.Join(filepath.Dir(dir), "other"), c)
	ok(t, os.Rename(filepath.Join(r.Common, "worktrees", "other"), first)) // the name is another's now
	same(t, "a name that is another's", must(r.adminOf(moved))(t), "")
}

func TestWhatStandsInFewFoldersIsResolvedAsEachByItself(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a", "b", "f"), "")
	ok(t, os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "to-a")))
	ok(t, os.Symlink("b", filepath.Join(root, "a", "to-b")))
	ok(t, os.Symlink("nowhere", filepath.Join(root, "a", "to-nothing")))
	parents := map[string]string{}
	for _, rel := range []string{
		"a", "a/b", "a/b/f", "a/b/f/x", "to-a", "to-a/b", "to-a/to-b", "to-a/to-b/f", "a/to-nothing", "a/to-nothing/x", "gone", "gone/x", "to-a/gone", ".",
	} {
		path := filepath.Join(root, rel)
		same(t, rel, realIn(parents, path), real(path))
	}
	same(t, "/", realIn(parents, "/"), "/")
}

func TestTwoRegistrationsOfOneWorktreeAreTheSameOneEachTime(t *testing.T) {
	_, r, c := seeded(t)
	dir := filepath.Join(real(t.TempDir()), "w")
	ok(t, r.AddWorktree(ctx, dir, c))
	first := must(r.adminOf(dir))(t)
	write(t, first+"9/gitdir", filepath.Join(dir, ".git")+"\n")
	for range 20 {
		if all := must(r.admins())(t); !maps.Equal(all, map[string]string{dir: first + "9"}) {
			t.Fatalf("found %v", all)
		}
	}
	same(t, "the one that was found before", must(r.adminOf(dir))(t), first)
}

func TestAFileOfConfigurationIsSettledWhenAChangeWouldShow(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for name, want := range map[string]bool{"-1ms fine": false, "-99ms fine": false, "-200ms fine": true, "-200ms coarse": false, "-1.9s coarse": false, "-2.1s coarse": true} {
		age, kind, _ := strings.Cut(name, " ")
		before, err := time.ParseDuration(age)
		ok(t, err)
		at := now.Add(before).UnixNano()
		if kind == "fine" {
			at++
		}
		same(t, name, stamp{ctime: at}.settledBy(now), want)
	}
}
