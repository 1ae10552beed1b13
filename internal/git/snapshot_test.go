package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"torve/internal/git/gittest"
)

// taking is one thing that may happen to the files of a worktree, and what it is taken as.
type taking struct {
	name   string
	do     func(t *testing.T, w *gittest.Repo)
	except []string
	want   []string
}

func TestASnapshotIsOfTheFilesAndNotOfWhatTheAgentSays(t *testing.T) {
	_, r, base := seeded(t)
	for _, c := range slices.Concat(takings(), oddTakings()) {
		t.Run(c.name, func(t *testing.T) {
			w := worktree(t, r, base)
			c.do(t, w)
			tree := must(r.Snapshot(ctx, w.Dir, base, c.except))(t)
			slices.Sort(c.want)
			got := changes(t, r, base, tree)
			slices.Sort(got)
			sameList(t, "changes", got, c.want...)
		})
	}
}

func takings() []taking {
	return []taking{
		{"nothing", func(*testing.T, *gittest.Repo) {}, nil, nil},
		{"untracked, not committed", func(t *testing.T, w *gittest.Repo) { w.Write("new.txt", "x") }, nil, []string{"A new.txt"}},
		{"committed by the agent itself", func(t *testing.T, w *gittest.Repo) {
			w.Write("new.txt", "x")
			w.Commit("mine")
			w.Write("a.txt", "after the commit")
		}, nil, []string{"M a.txt", "A new.txt"}},
		{"committed and taken back", func(t *testing.T, w *gittest.Repo) {
			w.Write("new.txt", "x")
			w.Commit("mine")
			ok(t, os.Remove(filepath.Join(w.Dir, "new.txt")))
		}, nil, nil},
		{"staged, then changed", func(t *testing.T, w *gittest.Repo) {
			w.Write("a.txt", "staged")
			w.Git("add", "a.txt")
			w.Write("a.txt", "one\ntwo\nthree\n")
		}, nil, nil},
		{"deleted", func(t *testing.T, w *gittest.Repo) { ok(t, os.RemoveAll(filepath.Join(w.Dir, "dir"))) }, nil, []string{"D dir/b.txt"}},
		{"renamed", func(t *testing.T, w *gittest.Repo) { w.Git("mv", "a.txt", "z.txt") }, nil, []string{"D a.txt", "A z.txt"}},
		{"a mode", func(t *testing.T, w *gittest.Repo) { ok(t, os.Chmod(filepath.Join(w.Dir, "a.txt"), 0o755)) }, nil, []string{"M a.txt"}},
		{"a link in the place of a file", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, "a.txt")))
			ok(t, os.Symlink("dir/b.txt", filepath.Join(w.Dir, "a.txt")))
		}, nil, []string{"T a.txt"}},
		{"a folder in the place of a file", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, "a.txt")))
			w.Write("a.txt/x", "x")
		}, nil, []string{"D a.txt", "A a.txt/x"}},
		{"an ignored file", func(t *testing.T, w *gittest.Repo) { w.Write(".env", "secret") }, nil, nil},
		{"an ignored file added by force", func(t *testing.T, w *gittest.Repo) {
			w.Write("x.log", "x")
			w.Git("add", "-f", "x.log")
			w.Write("x.log", "and changed")
		}, nil, []string{"A x.log"}},
		{"added by force and deleted", func(t *testing.T, w *gittest.Repo) {
			w.Write("x.log", "x")
			w.Git("add", "-f", "x.log")
			ok(t, os.Remove(filepath.Join(w.Dir, "x.log")))
		}, nil, nil},
		{"a tracked file that is ignored now", func(t *testing.T, w *gittest.Repo) {
			w.Write(".gitignore", "*\n")
			w.Write("a.txt", "x")
			w.Git("rm", "-q", "--cached", "a.txt")
		}, nil, []string{"M .gitignore", "M a.txt"}},
		{"taken out of the index, and announced to it", func(t *testing.T, w *gittest.Repo) {
			w.Git("rm", "-q", "--cached", "dir/b.txt")
			w.Write("new", "x")
			w.Git("add", "--intent-to-add", "new")
		}, nil, []string{"A new"}},
	}
}

func oddTakings() []taking {
	return []taking{
		{"odd names", func(t *testing.T, w *gittest.Repo) {
			for _, name := range []string{" lead", "tab\there", "nl\nhere", `q"uote`, `back\slash`, "-dash", ":(top)magic", "*glob", "漢字/é", "\xff\xfe"} {
				w.Write(name, "x")
			}
		}, nil, []string{"A  lead", "A *glob", "A -dash", "A :(top)magic", `A back\slash`, "A nl\nhere", `A q"uote`, "A tab\there", "A 漢字/é", "A \xff\xfe"}},
		{"excepted paths", func(t *testing.T, w *gittest.Repo) {
			w.Write("copied", "x")
			w.Write("made/by/setup", "x")
			w.Write("[odd]*", "x")
			w.Write("a.txt", "x")
			ok(t, os.Remove(filepath.Join(w.Dir, "dir", "b.txt")))
			w.Write("kept", "x")
			w.Write("x.log", "x")
			w.Git("add", "-f", "x.log")
		}, []string{"copied", "made/", "[odd]*", "a.txt", "dir/b.txt", "x.log", "nowhere"}, []string{"A kept"}},
		{"excepted paths that were ignored, or are no longer", func(t *testing.T, w *gittest.Repo) {
			w.Write(".env", "copied")
			w.Write("build/deps/x", "made by setup")
			w.Write("x.log", "made by setup")
			w.Write(".gitignore", "build/\n.env\n")
			w.Write("kept", "x")
		}, []string{".env", "build", "x.log"}, []string{"M .gitignore", "A kept"}},
		{"a merge under way", func(t *testing.T, w *gittest.Repo) {
			w.Git("checkout", "-q", "-b", "b1")
			w.Write("a.txt", "b1\n")
			w.Commit("b1")
			w.Git("checkout", "-q", "-b", "b2", "HEAD~1")
			w.Write("a.txt", "b2\n")
			w.Commit("b2")
			if out, err := w.Try("merge", "-q", "b1"); err == nil {
				t.Fatal("it merged: " + out)
			}
			w.Write("a.txt", "resolved on disk\n")
		}, nil, []string{"M a.txt"}},
		{"an index locked by a crash", func(t *testing.T, w *gittest.Repo) {
			write(t, w.Git("rev-parse", "--absolute-git-dir")+"/index.lock", "")
			w.Write("new.txt", "x")
		}, nil, []string{"A new.txt"}},
		{"an index destroyed", func(t *testing.T, w *gittest.Repo) {
			write(t, w.Git("rev-parse", "--absolute-git-dir")+"/index", "nonsense")
			w.Write("new.txt", "x")
		}, nil, []string{"A new.txt"}},
		{"its registration destroyed", func(t *testing.T, w *gittest.Repo) {
			w.Write("new.txt", "x")
			ok(t, os.RemoveAll(w.Git("rev-parse", "--absolute-git-dir")))
		}, nil, []string{"A new.txt"}},
		{"another repository put in its place", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Remove(filepath.Join(w.Dir, ".git")))
			w.Git("init", "-q", "--template=")
			w.Write("new.txt", "x")
			w.Commit("a history of its own")
		}, nil, []string{"A new.txt"}},
		{"a pipe and an empty folder", func(t *testing.T, w *gittest.Repo) {
			ok(t, os.Mkdir(filepath.Join(w.Dir, "empty"), 0o755))
			ok(t, unix.Mkfifo(filepath.Join(w.Dir, "pipe"), 0o644))
		}, nil, nil},
		{"core.safecrlf", func(t *testing.T, w *gittest.Repo) {
			w.Git("config", "core.safecrlf", "true")
			w.Git("config", "core.autocrlf", "input")
			w.Write("new.txt", "x\r\n")
		}, nil, []string{"A new.txt"}},
	}
}

// Within one second of a clock git tells a change of the same size by the index's own time.
func TestAChangeOfTheSameSizeInTheSameSecondIsSeen(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	path := filepath.Join(w.Dir, "a.txt")
	f := must(os.OpenFile(path, os.O_WRONLY, 0))(t) // in place: the inode stays
	_, err := f.WriteString("ONE\n")
	ok(t, err)
	ok(t, f.Close())
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second + 10*time.Millisecond)))
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	sameList(t, "changes", changes(t, r, base, tree), "M a.txt")
	ok(t, r.Equal(ctx, w.Dir, base, nil))
	same(t, "a.txt", w.Read("a.txt"), "one\ntwo\nthree\n")
}

func TestASnapshotTouchesNeitherIndexNorHeadNorRefs(t *testing.T) {
	g, r, base := seeded(t)
	g.Write("a.txt", "dirty\n")
	g.Write("new", "untracked\n")
	g.Write("staged", "staged\n")
	g.Git("add", "staged")
	before := g.Git("status", "--porcelain") + g.Git("for-each-ref") + g.Git("ls-files", "-s")
	index := must(os.ReadFile(filepath.Join(g.Dir, ".git", "index")))(t)
	tree := must(r.Snapshot(ctx, g.Dir, base, nil))(t)
	sameList(t, "changes of the main work tree", changes(t, r, base, tree), "M a.txt", "A new", "A staged")
	same(t, "index", string(must(os.ReadFile(filepath.Join(g.Dir, ".git", "index")))(t)), string(index))
	same(t, "status and refs", g.Git("status", "--porcelain")+g.Git("for-each-ref")+g.Git("ls-files", "-s"), before)
}

func TestARepositoryInsideIsTakenAsItsFiles(t *testing.T) {
	for _, commits := range []bool{false, true} {
		t.Run(fmt.Sprintf("with commits %v", commits), func(t *testing.T) {
			_, r, base := seeded(t)
			w := worktree(t, r, base)
			w.Git("init", "-q", "--template=", "web app")
			w.Write("web app/x.txt", "x")
			w.Write("web app/.gitignore", "node_modules/\n")
			w.Write("web app/node_modules/y", "y")
			w.Git("init", "-q", "--template=", "web app/deeper")
			w.Write("web app/deeper/z\n", "z")
			w.Write("beside", "x")
			if commits {
				gittest.At(t, filepath.Join(w.Dir, "web app", "deeper")).Commit("theirs")
				gittest.At(t, filepath.Join(w.Dir, "web app")).Commit("theirs")
			}
			tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
			want := []string{"A beside", "A web app/.gitignore", "A web app/deeper/z\n", "A web app/x.txt"}
			sameList(t, "changes", changes(t, r, base, tree), want...)
			tree = must(r.Snapshot(ctx, w.Dir, base, []string{"web app/deeper"}))(t)
			sameList(t, "changes without", changes(t, r, base, tree), want[0], want[1], want[3])
			ok(t, r.Equal(ctx, w.Dir, base, nil))
			same(t, "the repository inside", exists(filepath.Join(w.Dir, "web app")), false)
		})
	}
}

func TestASubmoduleStaysASubmodule(t *testing.T) {
	other, _, _ := seeded(t)
	g := gittest.At(t, t.TempDir())
	g.Git("init", "-q", "--template=", "-b", "main")
	base := g.Seed()
	r := opened(t, g.Dir)
	w := worktree(t, r, base)
	w.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.Dir, "vendored")
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	sameList(t, "changes", changes(t, r, base, tree), "A .gitmodules", "A vendored")
	same(t, "mode", must(r.Entry(ctx, tree, "vendored"))(t).Mode, modeModule)
}

// Files stored with line ends that their attributes would change read as modified right
// after a checkout. Whoever did not touch them has changed nothing.
func TestAFileThatNobodyTouchedIsUnchangedWhateverItsAttributes(t *testing.T) {
	g := gittest.New(t)
	g.Write("crlf.txt", "one\r\ntwo\r\n")
	g.Write("other.txt", "one\r\ntwo\r\n")
	g.Commit("stored as it came")
	g.Write(".gitattributes", "* text=auto\n")
	g.Git("add", ".gitattributes")
	g.Git("commit", "-q", "-m", "attributes afterwards")
	base := g.Git("rev-parse", "HEAD")
	r := opened(t, g.Dir)
	for range 3 {
		w := worktree(t, r, base)
		ok(t, r.VerifyWorktree(ctx, w.Dir, base))
		w.Write("other.txt", "one\r\nTWO\r\n")
		tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
		sameList(t, "changes", changes(t, r, base, tree), "M other.txt")
	}
}

func TestFiltersOfTheRepositoryAreItsOwn(t *testing.T) {
	g := gittest.New(t)
	g.Git("config", "filter.up.clean", "tr a-z A-Z")
	g.Git("config", "filter.up.smudge", "tr A-Z a-z")
	g.Write(".gitattributes", "*.up filter=up\n")
	g.Write("x.up", "shout\n")
	base := g.Commit("one")
	r := opened(t, g.Dir)
	same(t, "stored", string(must(r.File(ctx, base, "x.up"))(t)), "SHOUT\n")
	w := worktree(t, r, base)
	same(t, "on disk", w.Read("x.up"), "shout\n")
	ok(t, r.VerifyWorktree(ctx, w.Dir, base))
	w.Write("x.up", "louder\n")
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	same(t, "stored", string(must(r.File(ctx, tree, "x.up"))(t)), "LOUDER\n")
	ok(t, r.Equal(ctx, w.Dir, base, nil))
	same(t, "on disk", w.Read("x.up"), "shout\n")
}

func TestEqualMakesFilesAndIndexTheTreesAndKeepsWhatIsToStay(t *testing.T) {
	g, r, base := seeded(t)
	target := edited(t, r, base, "target", map[string]string{"a.txt": "target\n", "n/e/w": "new\n", "dir/b.txt": dropped, "x.log": "forced\n"})
	w := worktree(t, r, base)
	head := w.Git("rev-parse", "HEAD")
	refs := g.Git("for-each-ref")
	w.Write("a.txt", "changed\n")
	w.Write("dir/b.txt", "changed\n")
	w.Write("n", "a file where a folder is to come")
	w.Write("untracked/deep/x", "x")
	w.Write("untracked/x.log", "ignored inside")
	w.Write(".env", "secret")
	w.Write("build/cache", "ignored")
	w.Write("keep me/[odd] *", "kept")
	w.Write("keep me/other", "goes")
	w.Write("kept/deep/x", "kept")
	w.Write("kept/y", "kept")
	ok(t, os.Mkdir(filepath.Join(w.Dir, "empty"), 0o755))
	admin := w.Git("rev-parse", "--absolute-git-dir")
	write(t, admin+"/index.lock", "left by a crash")

	ok(t, r.Equal(ctx, w.Dir, target, []string{"keep me/[odd] *", "kept/"}))
	for path, want := range map[string]string{
		"a.txt": "target\n", "n/e/w": "new\n", "x.log": "forced\n", ".env": "secret", "build/cache": "ignored",
		"untracked/x.log": "ignored inside", "keep me/[odd] *": "kept", "kept/deep/x": "kept", "kept/y": "kept",
	} {
		same(t, path, w.Read(path), want)
	}
	for _, path := range []string{"dir", "untracked/deep", "keep me/other", "empty"} {
		same(t, path, exists(filepath.Join(w.Dir, path)), false)
	}
	same(t, "HEAD", w.Git("rev-parse", "HEAD"), head)
	same(t, "refs", g.Git("for-each-ref"), refs)
	same(t, "index", w.Git("write-tree"), must(r.TreeID(ctx, target))(t))
	same(t, "lock", exists(admin+"/index.lock"), false)
	sameList(t, "unstaged", strings.Fields(w.Git("diff", "--name-only")))
	ok(t, r.Equal(ctx, w.Dir, base, nil))
	same(t, "kept no longer", exists(filepath.Join(w.Dir, "kept")), false)
	same(t, "as the base", must(r.Snapshot(ctx, w.Dir, base, nil))(t), must(r.TreeID(ctx, base))(t))
}

func TestEqualBelievesNoIndexThatTheAgentCouldWrite(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	w.Write("a.txt", "one\nTWO\nthree\n")
	w.Write("dir/b.txt", "hidden\n")
	w.Git("update-index", "--assume-unchanged", "a.txt")
	w.Git("update-index", "--skip-worktree", "dir/b.txt")
	sameList(t, "what git's own status says", must(r.Status(ctx, w.Dir))(t).Paths)
	ok(t, r.Equal(ctx, w.Dir, base, nil))
	same(t, "a.txt", w.Read("a.txt"), "one\ntwo\nthree\n")
	same(t, "b.txt", w.Read("dir/b.txt"), "b\n")
}

func TestEqualKeepsATrackedFileThatIsToStay(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	w.Write("a.txt", "copied over by setup\n")
	ok(t, os.Remove(filepath.Join(w.Dir, "dir", "b.txt")))
	ok(t, r.Equal(ctx, w.Dir, base, []string{"a.txt", "dir"}))
	same(t, "a.txt", w.Read("a.txt"), "copied over by setup\n")
	same(t, "a file that is not there is written", w.Read("dir/b.txt"), "b\n")
	sameList(t, "git sees the change", must(r.Status(ctx, w.Dir))(t).Paths, "a.txt")
}

func TestEqualFollowsNoLinkOutOfTheWorktree(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "b.txt"), "not yours")
	write(t, filepath.Join(outside, "precious"), "not yours")
	ok(t, os.RemoveAll(filepath.Join(w.Dir, "dir")))
	ok(t, os.Symlink(outside, filepath.Join(w.Dir, "dir")))
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	sameList(t, "changes", changes(t, r, base, tree), "A dir", "D dir/b.txt")
	ok(t, r.Equal(ctx, w.Dir, base, nil))
	same(t, "in the worktree", w.Read("dir/b.txt"), "b\n")
	same(t, "outside", string(must(os.ReadFile(filepath.Join(outside, "b.txt")))(t)), "not yours")
	same(t, "outside", exists(filepath.Join(outside, "precious")), true)
}

func TestTheMainWorkTreeIsNeverMadeEqualToAnything(t *testing.T) {
	g, r, base := seeded(t)
	g.Write("a.txt", "mine\n")
	refuses(t, r.Equal(ctx, g.Dir, base, nil), "no linked worktree")
	refuses(t, r.Equal(ctx, filepath.Join(g.Dir, "dir"), base, nil), "no linked worktree")
	same(t, "a.txt", g.Read("a.txt"), "mine\n")
}

func TestStatusSaysWhatIsChangedStagedAndUntracked(t *testing.T) {
	g, r, _ := seeded(t)
	g.Write("a.txt", "x")
	g.Write("new dir/x y", "x")
	g.Write("staged\n", "x")
	g.Git("add", "staged\n")
	g.Write(".env", "x")
	g.Write("build/deep/x", "x")
	g.Write("dir/x.log", "x")
	s := must(r.Status(ctx, g.Dir))(t)
	sameList(t, "paths", s.Paths, "a.txt", "new dir/x y", "staged\n")
	sameList(t, "untracked", s.Untracked, "new dir/x y")
	sameList(t, "staged", s.Staged, "staged\n")
	sameList(t, "ignored", must(r.Ignored(ctx, g.Dir))(t), ".env", "build/", "dir/x.log")
}
