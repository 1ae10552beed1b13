package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"torve/internal/git/gittest"
)

func TestAWorktreeIsBoundAgainWhateverBecameOfIt(t *testing.T) {
	g, r, base := seeded(t)
	admin := func(w *gittest.Repo) string { return w.Git("rev-parse", "--absolute-git-dir") }
	for _, c := range []struct {
		name, want string
		do         func(t *testing.T, w *gittest.Repo)
	}{
		{"nothing", "", func(*testing.T, *gittest.Repo) {}},
		{"an ordinary branch", "", func(t *testing.T, w *gittest.Repo) { w.Git("checkout", "-q", "-b", "feature") }},
		{"its .git removed", "the worktree's .git is not the one that was made", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, ".git")))
		}},
		{"its .git a pipe", "the worktree's .git is not the one that was made", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, ".git")))
			ok(t, unix.Mkfifo(filepath.Join(w.Dir, ".git"), 0o644))
		}},
		{"a repository of its own", "the worktree's .git is not the one that was made", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, ".git")))
			w.Git("init", "-q", "--template=")
		}},
		{"pruned", "the worktree's .git is not the one that was made; the worktree's registration is gone", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, ".git")))
			g.Git("worktree", "prune", "--expire=now")
		}},
		{"removed by git", "the worktree is gone", func(t *testing.T, w *gittest.Repo) { g.Git("worktree", "remove", "--force", w.Dir) }},
		{"a link to another folder", "the worktree is gone", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.RemoveAll(w.Dir))
			ok(t, os.Symlink(g.Dir, w.Dir))
		}},
		{"a file", "the worktree is gone", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.RemoveAll(w.Dir))
			write(t, w.Dir, "x")
		}},
		{"its registration removed", "the worktree's registration is gone", func(t *testing.T, w *gittest.Repo) { ok(t, os.RemoveAll(admin(w))) }},
		{"another repository named", "the worktree's registration is not the one that was made", func(t *testing.T, w *gittest.Repo) {
			write(t, filepath.Join(admin(w), "commondir"), t.TempDir()+"\n")
		}},
		{"another worktree named", "the worktree's registration is not the one that was made", func(t *testing.T, w *gittest.Repo) {
			write(t, filepath.Join(admin(w), "gitdir"), filepath.Join(g.Dir, ".git")+"\n")
		}},
		{"a HEAD of nonsense", "the worktree's HEAD does not read", func(t *testing.T, w *gittest.Repo) {
			write(t, filepath.Join(admin(w), "HEAD"), "hello\n")
		}},
		{"an index of nonsense", "", func(t *testing.T, w *gittest.Repo) { write(t, filepath.Join(admin(w), "index"), "nonsense") }},
		{"an index that is a pipe", "the worktree's index was no file", func(t *testing.T, w *gittest.Repo) {
			index := filepath.Join(admin(w), "index")
			ok(t, os.Remove(index))
			ok(t, unix.Mkfifo(index, 0o644))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := worktree(t, r, base)
			link := w.Read(".git")
			c.do(t, w)
			found, err := r.Reattach(ctx, w.Dir, link, base, w.Dir+".aside")
			ok(t, err)
			if got := strings.Join(found, "; "); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("found %q, want %q", got, c.want)
			}
			w.Write("new.txt", "x")
			tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
			if got := changes(t, r, base, tree); got[0] != "A new.txt" && got[len(got)-1] != "A new.txt" && got[0] != "D .gitignore" {
				t.Errorf("changes %q", got)
			}
			must(r.Status(ctx, w.Dir))(t)
			ok(t, r.Equal(ctx, w.Dir, base, nil))
			same(t, "a.txt", w.Read("a.txt"), "one\ntwo\nthree\n")
			again, err := r.Reattach(ctx, w.Dir, link, base, w.Dir+".aside")
			ok(t, err)
			sameList(t, "found again", again)
		})
	}
	if !exists(filepath.Join(g.Dir, "a.txt")) || g.Git("status", "--porcelain") != "" {
		t.Error("the main work tree was touched")
	}
}

func TestALinkToAnotherRepositoryBindsNothing(t *testing.T) {
	_, r, base := seeded(t)
	dir := t.TempDir()
	_, err := r.Reattach(ctx, dir, "gitdir: "+t.TempDir()+"\n", base, dir+".aside")
	refuses(t, err, "names no worktree of this repository")
}

func TestWhatStopsGitFromReadingAFolderIsTakenOut(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	w.Write("shut/x.txt", "x")
	w.Write("y.txt", "y")
	for _, pipe := range []string{".gitattributes", "dir/.gitignore", ".gitmodules", "shut/pipe"} {
		ok(t, unix.Mkfifo(filepath.Join(w.Dir, pipe), 0o644))
	}
	ok(t, os.Chmod(filepath.Join(w.Dir, "y.txt"), 0))
	ok(t, os.Chmod(filepath.Join(w.Dir, "shut"), 0))
	ok(t, os.Symlink("/", filepath.Join(w.Dir, "root")))
	w.Write("dir/.GIT/config", "x")
	ok(t, os.Symlink("/", filepath.Join(w.Dir, "dir/.gitmodules")))
	removed, unfit, err := Plain(ctx, w.Dir)
	ok(t, err)
	sameList(t, "unfit", unfit, "dir/.GIT", "dir/.gitmodules")
	sameList(t, "removed", removed, ".gitattributes", ".gitmodules", "dir/.gitignore", "shut/pipe")
	for name, mode := range map[string]os.FileMode{"y.txt": 0o400, "shut": 0o700 | os.ModeDir} {
		same(t, name, must(os.Stat(filepath.Join(w.Dir, name)))(t).Mode(), mode)
	}
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	sameList(t, "changes", changes(t, r, base, tree), "A root", "A shut/x.txt", "A y.txt")
}

func TestAPipeInThePlaceOfWhatIsGuardedIsAChangeAndNotWaitedFor(t *testing.T) {
	g, r, base := seeded(t)
	worktree(t, r, base)
	before := must(r.Guarded(ctx))(t)
	ok(t, os.MkdirAll(filepath.Join(g.Dir, ".git", "hooks"), 0o755))
	ok(t, os.MkdirAll(filepath.Join(g.Dir, ".git", "info"), 0o755))
	for _, name := range []string{"hooks/pre-commit", "info/attributes", "worktrees/T-0001-1/config.worktree"} {
		ok(t, unix.Mkfifo(filepath.Join(g.Dir, ".git", name), 0o644))
	}
	moved := must(r.Unblock())(t)
	if len(moved) != 1 || !strings.Contains(moved[0], "info/attributes was added and is no file: it is moved to ") || !exists(filepath.Join(g.Dir, ".git", "info", "attributes.no-file")) {
		t.Errorf("moved %q", moved)
	}
	must(r.Status(ctx, g.Dir))(t) // which would have waited for it
	done := make(chan []string, 1)
	go func() { done <- before.Changed(must(r.Guarded(ctx))(t), nil) }()
	select {
	case got := <-done:
		sameList(t, "changed", got, "hooks/pre-commit was added",
			"include.unreadable of the worktree:T-0001-1 configuration was added")
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for a pipe")
	}
}

func TestHooksThatCameWithACommitAreNotTheAgents(t *testing.T) {
	g, r, _ := seeded(t)
	g.Git("config", "core.hooksPath", ".husky")
	g.Write(".husky/pre-push", "old\n")
	g.Commit("a hook")
	before := must(r.Guarded(ctx))(t)
	g.Write(".husky/pre-push", "new\n")
	g.Commit("another hook")
	sameList(t, "changed by a commit", before.Changed(must(r.Guarded(ctx))(t), func(string, string, string) bool { return true }))
	g.Write(".husky/pre-push", "evil\n")
	sameList(t, "changed by hand", before.Changed(must(r.Guarded(ctx))(t), func(string, string, string) bool { return true }), "core.hooksPath/pre-push was added")
}

func TestTheCommitsOfAWorktreeAreThoseThatAreHereWhole(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	w.Write("x", "1")
	one := w.Commit("one")
	w.Git("checkout", "-q", "--detach", base)
	w.Write("y", "2")
	two := w.Commit("two")
	log := filepath.Join(w.Git("rev-parse", "--absolute-git-dir"), "logs", "HEAD")
	text := string(must(os.ReadFile(log))(t)) + "nonsense\n" + base + " " + strings.Repeat("1", 40) + " forged\n"
	write(t, log, text)
	sameList(t, "visited", must(r.Visited(ctx, w.Dir, base))(t), two, one)

	broken := w.Git("write-tree")
	w.Write("commit", "tree "+broken+"\nparent "+strings.Repeat("1", 40)+"\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n")
	id := w.Git("hash-object", "-t", "commit", "-w", "--literally", "commit")
	write(t, log, text+base+" "+id+" forged\n")
	sameList(t, "visited", must(r.Visited(ctx, w.Dir, base))(t), two, one)
}

func TestALinkToAnotherWorktreeBindsNothing(t *testing.T) {
	_, r, base := seeded(t)
	other := worktree(t, r, base)
	dir := t.TempDir()
	_, err := r.Reattach(ctx, dir, other.Read(".git"), base, dir+".aside")
	refuses(t, err, "is the worktree "+other.Dir)
	same(t, "the other", other.Git("rev-parse", "HEAD"), base)
}
