package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/git/gittest"
)

func TestLineEndsThatAreConvertedMakeNoChange(t *testing.T) {
	for _, setting := range []string{"true", "input"} {
		t.Run("core.autocrlf "+setting, func(t *testing.T) {
			g, r, base := seeded(t)
			g.Git("config", "core.autocrlf", setting)
			w := worktree(t, r, base)
			ok(t, r.VerifyWorktree(ctx, w.Dir, base))
			same(t, "CRLF on disk", strings.Contains(w.Read("a.txt"), "\r\n"), setting == "true")
			same(t, "tree", must(r.Snapshot(ctx, w.Dir, base, nil))(t), must(r.TreeID(ctx, base))(t))
			w.Write("a.txt", "one\r\ntwo\r\n")
			tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
			same(t, "stored", string(must(r.File(ctx, tree, "a.txt"))(t)), "one\ntwo\n")
			ok(t, r.Equal(ctx, w.Dir, base, nil))
			ok(t, r.VerifyWorktree(ctx, w.Dir, base))
		})
	}
}

func TestTenThousandRefsAreOrdinary(t *testing.T) {
	g, r, base := seeded(t)
	var b strings.Builder
	b.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "%s refs/remotes/origin/branch-%05d\n", base, i)
	}
	ok(t, os.WriteFile(filepath.Join(g.Dir, ".git", "packed-refs"), []byte(b.String()), 0o644))
	same(t, "refs", len(must(r.Refs(ctx, ""))(t)), 10_001)
	before := must(r.Guarded(ctx))(t)
	ok(t, r.UpdateRefs(ctx, RefUpdate{"refs/remotes/origin/branch-00007", base, ""}))
	sameList(t, "changed", before.Changed(must(r.Guarded(ctx))(t), nil), "refs/remotes/origin/branch-00007 moved from "+short(base)+" to nothing")
}

func TestNamesThatDifferOnlyInCaseOrFormAreTwo(t *testing.T) {
	_, r, base := seeded(t)
	w := worktree(t, r, base)
	names := []string{"Readme", "readme", "e\u0301.txt", "\u00e9.txt"}
	for i, name := range names {
		w.Write(name, fmt.Sprint(i))
	}
	if w.Read("Readme") != "0" || w.Read(names[2]) != "2" {
		t.Skip("this file system takes them for one")
	}
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	for i, name := range names {
		same(t, name, string(must(r.File(ctx, tree, name))(t)), fmt.Sprint(i))
	}
	ok(t, r.Equal(ctx, w.Dir, base, nil))
	ok(t, r.Equal(ctx, w.Dir, tree, nil))
	same(t, "Readme", w.Read("Readme"), "0")
}

// A pointer to a large file is a file like others where its program is not installed.
func TestLargeFilesWithoutTheirProgramArePointers(t *testing.T) {
	g := gittest.New(t)
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 64) + "\nsize 1\n"
	g.Write("x.bin", pointer)
	g.Write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	base := g.Commit("one")
	r := opened(t, g.Dir)
	w := worktree(t, r, base)
	ok(t, r.VerifyWorktree(ctx, w.Dir, base))
	same(t, "pointer", w.Read("x.bin"), pointer)
	w.Write("y.bin", pointer)
	tree := must(r.Snapshot(ctx, w.Dir, base, nil))(t)
	sameList(t, "changes", changes(t, r, base, tree), "A y.bin")

	g.Git("config", "filter.lfs.process", "git-lfs-that-is-not-there filter-process")
	g.Git("config", "filter.lfs.required", "true")
	err := r.AddWorktree(ctx, filepath.Join(t.TempDir(), "w"), base)
	refuses(t, err, "filling the worktree", "git-lfs-that-is-not-there")
	w.Write("z.bin", "large")
	_, err = r.Snapshot(ctx, w.Dir, base, nil)
	refuses(t, err, "git-lfs-that-is-not-there")
}

func TestAContextThatEndsStopsGit(t *testing.T) {
	g, r, base := seeded(t)
	g.Write(".gitattributes", "*.slow filter=slow\n")
	g.Write("x.slow", "x")
	c := g.Commit("slow")
	g.Git("config", "filter.slow.smudge", "sleep 30")
	short, cancel := contextWithin(t)
	defer cancel()
	dir := filepath.Join(t.TempDir(), "w")
	err := r.AddWorktree(short, dir, c)
	refuses(t, err, "stopped")
	same(t, "folder", exists(dir), false)
	w := worktree(t, r, base)
	ok(t, r.VerifyWorktree(ctx, w.Dir, base))
}

func TestGitsWordsAreKeptWithoutItsAdvice(t *testing.T) {
	_, r, _ := seeded(t)
	_, err := r.Run(ctx, "-c", "x.y=z", "checkout", "nope")
	refuses(t, err, "git checkout: error: pathspec 'nope' did not match")
	same(t, "advice left out", words([]byte("fatal: a\nhint: b\n\nc\r\n")), "fatal: a\nc")
	_, err = r.Run(ctx)
	refuses(t, err, "no command named")
	same(t, "verb", verb([]string{"--literal-pathspecs", "-c", "a=b", "log"}), "log")
}
