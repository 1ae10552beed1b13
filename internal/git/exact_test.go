package git

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"torve/internal/git/gittest"
)

// madeWorktree is a worktree, its own git dir and the tree that it was made at.
func madeWorktree(t *testing.T) (r *Repo, dir, admin, tree string) {
	t.Helper()
	_, r, base := seeded(t)
	dir = worktree(t, r, base).Dir
	admin = must(r.adminOf(dir))(t)
	return r, dir, admin, must(r.TreeID(ctx, base))(t)
}

func TestAWorktreeThatNobodyTouchedIsKnownToBeSo(t *testing.T) {
	r, dir, admin, tree := madeWorktree(t)
	own := r.own(admin)
	if own == nil || own.tree != tree || !own.exact(ctx, dir) {
		t.Fatalf("it is not known: %+v", own)
	}
	s, known := r.knownStatus(ctx, admin, dir)
	if !known || len(s.Paths)+len(s.Ignored) > 0 {
		t.Errorf("its status is %+v, %v", s, known)
	}
}

// Whatever somebody does to the files, the index does not speak for them any more.
func TestNoIndexSpeaksForFilesThatWereTouched(t *testing.T) {
	for name, touch := range map[string]func(t *testing.T, dir, file string){
		"other bytes": func(t *testing.T, _, file string) { write(t, file, "something else\n") },
		"other bytes of the same size, the time set back": func(t *testing.T, _, file string) {
			info := must(os.Stat(file))(t)
			data := must(os.ReadFile(file))(t)
			data[0] ^= 1
			ok(t, os.WriteFile(file, data, 0o644))
			ok(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
		},
		"another file beside it":      func(t *testing.T, dir, _ string) { write(t, filepath.Join(dir, "new"), "x\n") },
		"an ignored file beside it":   func(t *testing.T, dir, _ string) { write(t, filepath.Join(dir, ".gitignore"), "*\n") },
		"an empty folder beside it":   func(t *testing.T, dir, _ string) { ok(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755)) },
		"a file that is gone":         func(t *testing.T, _, file string) { ok(t, os.Remove(file)) },
		"a file that can be executed": func(t *testing.T, _, file string) { ok(t, os.Chmod(file, 0o755)) },
		"a link in its place": func(t *testing.T, _, file string) {
			ok(t, os.Rename(file, file+".away"))
			ok(t, os.Symlink(file+".away", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, dir, admin, _ := madeWorktree(t)
			touch(t, dir, filepath.Join(dir, paths(t, r, "HEAD")[0]))
			if r.own(admin).exact(ctx, dir) {
				t.Error("it does")
			}
		})
	}
}

// Within one tick of the clock a file can be changed and show the times that it had.
func TestAFileOfTheTickInWhichItsIndexWasWrittenIsRead(t *testing.T) {
	r, dir, admin, _ := madeWorktree(t)
	own := *r.own(admin)
	name := paths(t, r, "HEAD")[0]
	file := filepath.Join(dir, name)
	own.at = time.Time{} // as if every file were of its tick
	if !own.same(file, own.files[name]) {
		t.Fatal("the bytes are the blob's, and that is not seen")
	}
	e := *own.files[name]
	e.Hash[0] ^= 1 // as if the file held other bytes than git saw
	if own.same(file, &e) {
		t.Error("other bytes are taken for the blob's")
	}
}

func TestWhatASnapshotTookIsNotTakenAgain(t *testing.T) {
	r, dir, admin, base := madeWorktree(t)
	write(t, filepath.Join(dir, "made", "new"), "new\n")
	tree := must(r.Snapshot(ctx, dir, "HEAD", nil))(t)
	if got := r.knownTree(ctx, admin, dir, "HEAD", nil); got != tree || tree == base {
		t.Fatalf("it is known as %q, and it is %s", got, tree)
	}
	s, known := r.knownStatus(ctx, admin, dir)
	if !known {
		t.Fatal("its status is not known")
	}
	sameList(t, "untracked", s.Untracked, "made/new")
	ok(t, r.Equal(ctx, dir, tree, nil))
	same(t, "the index", r.indexOf(admin), tree)
	same(t, "what git itself then sees of it", must(r.Run(ctx, "-C", dir, "status", "--porcelain", "--ignored"))(t), "A  made/new")
}

func BenchmarkHold(b *testing.B) {
	g := gittest.New(b)
	for i := range 1000 {
		g.Write(fmt.Sprintf("d%02d/some-file-%04d.go", i%50, i), "x\n")
	}
	g.Commit("many")
	data := must(os.ReadFile(filepath.Join(g.Dir, ".git", "index")))(b)
	for b.Loop() {
		if hold(data, time.Time{}, "") == nil {
			b.Fatal("it does not read")
		}
	}
}

// What is answered without a program is what git answers.
func TestWhatOnlyComesAndGoesIsComparedAsGitDoes(t *testing.T) {
	_, r, base := seeded(t)
	gone := paths(t, r, base)[0]
	next := edited(t, r, base, "come and go", map[string]string{
		gone: dropped, "d/new": "one\ntwo", "d/empty": "", "cr": "a\r\nb\r\n", "lines": "\n\n", "bin": "a\x00b\n",
		"late": strings.Repeat("x", binaryHead) + "\x00\n",
	})
	for _, side := range [][2]string{{base, next}, {next, base}} {
		from, to := must(r.TreeID(ctx, side[0]))(t), must(r.TreeID(ctx, side[1]))(t)
		got, _, known := r.wholly(ctx, from, to)
		want := must(r.counted(ctx, from, to))(t)
		if !known || !reflect.DeepEqual(got, want) {
			t.Errorf("known %v:\n%+v\ngit says\n%+v", known, got, want)
		}
		lines, known := r.whollyAdded(ctx, from, to, nil)
		if asked := must(r.patchLines(ctx, from, to, nil))(t); !known || !reflect.DeepEqual(lines, asked) {
			t.Errorf("known %v:\n%+v\ngit says\n%+v", known, lines, asked)
		}
	}
}

func TestPathsThatDifferAreThoseThatGitNames(t *testing.T) {
	_, r, base := seeded(t)
	name := paths(t, r, base)[0]
	one := edited(t, r, base, "one", map[string]string{"a/b/c": "1\n", "a.b": "2\n", "x": "x\n", name: "other\n"})
	two := edited(t, r, one, "two", map[string]string{"a/b/c": dropped, "x": dropped, "x/y": "y\n", "a/d": "d\n"})
	for _, side := range [][2]string{{base, one}, {one, two}, {two, base}} {
		from, to := must(r.TreeID(ctx, side[0]))(t), must(r.TreeID(ctx, side[1]))(t)
		got := must(r.between(ctx, from, to))(t)
		want := must(r.counted(ctx, from, to))(t)
		for i := range want {
			want[i].Added, want[i].Removed = 0, 0
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\ngit says\n%+v", got, want)
		}
	}
}
