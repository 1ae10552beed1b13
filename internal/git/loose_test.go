package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWhatACommitBringsIsListedAsGitListsIt(t *testing.T) {
	_, r, base := seeded(t)
	name := paths(t, r, base)[0]
	work := edited(t, r, base, "work", map[string]string{"a/b/c": "1\n", name: "other\n"})
	account := edited(t, r, work, "account", map[string]string{"a/l": "l\n"})
	land := must(r.WriteCommit(ctx, Commit{
		Tree: must(r.TreeID(ctx, account))(t), Parents: []string{base, account}, Author: Person{"p", "p@example.com"}, At: noon, Message: "land",
	}, false))(t)
	files, known := r.newObjects(ctx, land, base)
	var got []string
	for _, f := range files {
		got = append(got, filepath.Base(filepath.Dir(f))+filepath.Base(f))
	}
	want := strings.Fields(must(r.Run(ctx, "rev-list", "--objects", "--no-object-names", land, "--not", base))(t))
	slices.Sort(got)
	slices.Sort(want)
	if !known || !slices.Equal(got, want) {
		t.Errorf("known %v:\n%q\ngit says\n%q", known, got, want)
	}
	blob := must(r.Entry(ctx, land, "a/b/c"))(t).ID
	ok(t, os.Remove(r.looseFile(blob)))
	if _, known := r.newObjects(ctx, land, base); known {
		t.Error("a part of it is gone, and it is said to be whole")
	}
}

// A person's git may prune what a snapshot wrote before a ref holds it: it is written anew.
func TestATreeThatWasPrunedIsTakenAnew(t *testing.T) {
	r, dir, admin, _ := madeWorktree(t)
	write(t, filepath.Join(dir, "made", "new"), "new\n")
	tree := must(r.Snapshot(ctx, dir, "HEAD", nil))(t)
	id := must(r.Entry(ctx, tree, "made/new"))(t).ID
	ok(t, os.Remove(r.looseFile(id)))
	same(t, "known", r.knownTree(ctx, admin, dir, "HEAD", nil), "")
	same(t, "taken anew", must(r.Snapshot(ctx, dir, "HEAD", nil))(t), tree)
	if !there(r.looseFile(id)) {
		t.Error("what was pruned is not written anew")
	}
}

// What a snapshot took is what git's add takes, whatever was done to the files.
func TestATreeThatIsWrittenInProcessIsTheOneThatGitWrites(t *testing.T) {
	r, dir, admin, _ := madeWorktree(t)
	name := paths(t, r, "HEAD")[0]
	write(t, filepath.Join(dir, "a", "b", "c"), "c\n")
	write(t, filepath.Join(dir, "a", "x"), "x\n")
	ok(t, os.Symlink("x", filepath.Join(dir, "a", "link")))
	ok(t, os.Chmod(filepath.Join(dir, "a", "x"), 0o755))
	ok(t, os.Remove(filepath.Join(dir, name)))
	write(t, filepath.Join(dir, name, "below"), "a folder in the place of a file\n")
	tree := must(r.Snapshot(ctx, dir, "HEAD", nil))(t)
	if r.lastTaken(admin).held == nil {
		t.Fatal("git was asked")
	}
	_ = must(r.Run(ctx, "-C", dir, "add", "-A"))(t)
	same(t, "tree", tree, must(r.Run(ctx, "-C", dir, "write-tree"))(t))
}
