package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"torve/internal/git/gittest"
)

// The suite over both makers of objects, the second for both kinds of id.
func TestBothMakersOfObjectsAnswerTheSame(t *testing.T) {
	for _, maker := range []struct {
		name string
		open func(t *testing.T) (*gittest.Repo, *Repo)
	}{
		{"go-git", func(t *testing.T) (*gittest.Repo, *Repo) {
			g, r, _ := seeded(t)
			r.lazily.objects = openInProcess(r.Common)
			return g, r
		}},
		{"the batch protocol", func(t *testing.T) (*gittest.Repo, *Repo) {
			g, r, _ := seeded(t)
			r.lazily.objects = openBatch(r)
			return g, r
		}},
		{"the batch protocol with SHA-256", func(t *testing.T) (*gittest.Repo, *Repo) {
			gittest.Home(t)
			g := gittest.At(t, t.TempDir())
			g.Git("init", "-q", "--template=", "-b", "main", "--object-format=sha256")
			g.Seed()
			return g, opened(t, g.Dir)
		}},
	} {
		t.Run(maker.name, func(t *testing.T) {
			g, r := maker.open(t)
			for _, part := range []struct {
				name string
				test func(*testing.T, *gittest.Repo, *Repo)
			}{
				{"what is written is what git reads", written},
				{"what git wrote is read", read},
				{"what is not there is not found", missing},
				{"packs that come while it is open are seen", packed},
				{"several read and write at once", several},
				{"a tree edited is the tree that git would make", editedTrees},
			} {
				t.Run(part.name, func(t *testing.T) { part.test(t, gittest.At(t, g.Dir), r) })
			}
		})
	}
}

func written(t *testing.T, g *gittest.Repo, r *Repo) {
	for _, text := range []string{"", "x", "no newline", "\x00\xff binary", strings.Repeat("big\n", 1<<17)} {
		id := must(r.WriteBlob(ctx, []byte(text)))(t)
		write(t, filepath.Join(g.Dir, "build", "x"), text)
		same(t, "blob id", id, g.Git("hash-object", "--no-filters", "build/x"))
		same(t, "blob", string(must(r.Blob(ctx, id))(t)), text)
		same(t, "type", g.Git("cat-file", "-t", id), "blob")
		file := filepath.Join(r.Common, "objects", id[:2], id[2:])
		info := must(os.Stat(file))(t)
		same(t, "mode of "+file, info.Mode().Perm(), 0o444)
	}
}

func read(t *testing.T, g *gittest.Repo, r *Repo) {
	head := g.Git("rev-parse", "HEAD")
	same(t, "tree", must(r.TreeID(ctx, "HEAD"))(t), g.Git("rev-parse", "HEAD^{tree}"))
	same(t, "file", string(must(r.File(ctx, head, "dir/b.txt"))(t)), "b\n")
	c := must(r.ReadCommit(ctx, "HEAD"))(t)
	same(t, "message", c.Message, "seed\n")
	same(t, "author", c.Author, Person{"torve test", "test@example.com"})
	var list []string
	for _, e := range must(r.Tree(ctx, head, ""))(t) {
		list = append(list, fmt.Sprintf("%s blob %s\t%s", e.Mode, e.ID, e.Path))
	}
	same(t, "tree", strings.Join(list, "\n"), g.Git("ls-tree", "-r", "HEAD"))
}

func missing(t *testing.T, _ *gittest.Repo, r *Repo) {
	nowhere := strings.Repeat("1", 2*r.idSize())
	for name, ask := range map[string]func() error{
		"a blob":            func() error { _, err := r.Blob(ctx, nowhere); return err },
		"no id":             func() error { _, err := r.Blob(ctx, "nonsense\nHEAD"); return err },
		"a tree as a blob":  func() error { _, err := r.Blob(ctx, must(r.TreeID(ctx, "HEAD"))(t)); return err },
		"a path":            func() error { _, err := r.File(ctx, "HEAD", "dir/nope"); return err },
		"a path in a file":  func() error { _, err := r.File(ctx, "HEAD", "a.txt/nope"); return err },
		"a folder":          func() error { _, err := r.File(ctx, "HEAD", "dir"); return err },
		"a revision":        func() error { _, err := r.Tree(ctx, "nope", ""); return err },
		"a blob for commit": func() error { _, err := r.ReadCommit(ctx, "HEAD:a.txt"); return err },
	} {
		if err := ask(); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	list := must(r.Tree(ctx, "HEAD", "nope"))(t)
	same(t, "entries of a folder that is not there", len(list), 0)
	same(t, "it still answers", string(must(r.File(ctx, "HEAD", "dir/b.txt"))(t)), "b\n")
}

func packed(t *testing.T, g *gittest.Repo, r *Repo) {
	id := must(r.WriteBlob(ctx, []byte("to be packed")))(t)
	g.Git("update-ref", "refs/keep", must(commitOf(r, id))(t))
	g.Git("repack", "-a", "-d", "-q")
	g.Git("prune-packed", "-q")
	same(t, "blob", string(must(r.Blob(ctx, id))(t)), "to be packed")
	other := must(r.WriteBlob(ctx, []byte("later")))(t)
	g.Git("update-ref", "refs/keep2", must(commitOf(r, other))(t))
	g.Git("repack", "-a", "-d", "-q")
	same(t, "blob", string(must(r.Blob(ctx, other))(t)), "later")
}

func commitOf(r *Repo, blob string) (string, error) {
	tree, err := r.EditTree(ctx, "", Edit{"x", modeFile, blob})
	if err != nil {
		return "", err
	}
	return r.WriteCommit(ctx, Commit{Tree: tree, Author: Person{"a", "a@b.c"}, At: noon, Message: "m"}, false)
}

func several(t *testing.T, _ *gittest.Repo, r *Repo) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 5 {
				text := fmt.Sprintf("%d %d", i%2, j) // some of them the same
				id, err := r.WriteBlob(ctx, []byte(text))
				if err != nil {
					t.Error(err)
					return
				}
				data, err := r.Blob(ctx, id)
				if err != nil || string(data) != text {
					t.Errorf("got %q, %v", data, err)
				}
			}
		})
	}
	all.Wait()
}

func editedTrees(t *testing.T, g *gittest.Repo, r *Repo) {
	blob := must(r.WriteBlob(ctx, []byte("x")))(t)
	steps := 8
	if r.format == "sha256" {
		steps = 4
	}
	for seed := range steps {
		edits := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "a-b", "a0", "d/a", "d/e/f", "d/e/g", "z.txt", "漢/字", "q \"\n"}), 1, 6,
			rapid.ID[string]).Example(seed)
		index := filepath.Join(t.TempDir(), "index")
		t.Setenv("GIT_INDEX_FILE", index)
		var set []Edit
		for _, path := range edits {
			set = append(set, Edit{path, modeExec, blob})
			g.Git("update-index", "--add", "--cacheinfo", modeExec, blob, path)
		}
		tree := must(r.EditTree(ctx, "", set...))(t)
		same(t, fmt.Sprintf("tree of %q", edits), tree, g.Git("write-tree"))
		g.Git("update-index", "--force-remove", "--", edits[0])
		same(t, "tree without "+edits[0], must(r.EditTree(ctx, tree, Edit{Path: edits[0]}))(t), g.Git("write-tree"))
		os.Unsetenv("GIT_INDEX_FILE")
	}
}

func TestGoGitReadsOnlyWhatItReadsRightly(t *testing.T) {
	t.Run("a repository shared by a group", func(t *testing.T) {
		g, r, _ := seeded(t)
		g.Git("config", "core.sharedRepository", "group")
		same(t, "go-git reads it", must(r.simple())(t), false)
	})
	t.Run("an extension of objects that is not known", func(t *testing.T) {
		g, r, _ := seeded(t)
		g.Git("config", "extensions.compatObjectFormat", "sha256")
		same(t, "go-git reads it", must(r.simple())(t), false)
	})
}

func TestEditTreePutsNoFileInThePlaceOfAFolder(t *testing.T) {
	_, r, c := seeded(t)
	blob := must(r.WriteBlob(ctx, []byte("x")))(t)
	for _, bad := range [][]Edit{
		{{"dir", modeFile, blob}},
		{{"a.txt/x", modeFile, blob}},
		{{"n", modeFile, blob}, {"n/x", modeFile, blob}},
		{{"n", modeFile, blob}, {"n", modeExec, blob}},
		{{"../x", modeFile, blob}}, {{"/x", modeFile, blob}}, {{"", modeFile, blob}}, {{"x//y", modeFile, blob}},
		{{".git/hooks/x", modeFile, blob}}, {{"x/.GIT/y", modeFile, blob}}, {{"x\x00y", modeFile, blob}},
		{{"x", "644", blob}}, {{"x", modeFile, "nonsense"}},
	} {
		if tree, err := r.EditTree(ctx, c, bad...); err == nil {
			t.Errorf("%v: made %s", bad, tree)
		}
	}
	tree := must(r.EditTree(ctx, c, Edit{Path: "dir"}, Edit{"a.txt/x", modeFile, blob}, Edit{Path: "a.txt"}))(t)
	sameList(t, "a file replaced by a folder", paths(t, r, tree), ".gitignore", "a.txt/x")
	tree = must(r.EditTree(ctx, c, Edit{"dir", modeSymlink, blob}, Edit{Path: "dir/b.txt"}))(t)
	sameList(t, "a folder replaced by a link", paths(t, r, tree), ".gitignore", "a.txt", "dir")
	same(t, "nothing edited", must(r.EditTree(ctx, c))(t), must(r.TreeID(ctx, c))(t))
	tree = must(r.EditTree(ctx, c, Edit{Path: ".gitignore"}, Edit{Path: "a.txt"}, Edit{Path: "dir"}, Edit{Path: "not/there"}))(t)
	same(t, "everything dropped", len(paths(t, r, tree)), 0)
}

func TestTreeListsAFolderOrOneFile(t *testing.T) {
	_, r, c := seeded(t)
	list := must(r.Tree(ctx, c, "dir/"))(t)
	same(t, "path", list[0].Path, "dir/b.txt")
	list = must(r.Tree(ctx, c, "a.txt"))(t)
	same(t, "path", list[0].Path, "a.txt")
	same(t, "folder of that beginning", len(must(r.Tree(ctx, c, "di"))(t)), 0)
}

func TestManyBlobsAreReadInBulk(t *testing.T) {
	_, r, _ := seeded(t)
	var ids []string
	for i := range many + 10 {
		ids = append(ids, must(r.WriteBlob(ctx, fmt.Appendf(nil, "%d", i)))(t))
	}
	var read []string
	keep := func(id string, data []byte) error {
		read = append(read, string(data))
		return nil
	}
	ok(t, r.EachBlob(ctx, append(ids, ids[0]), keep))
	same(t, "blobs", len(read), len(ids)+1)
	same(t, "the last but one", read[len(ids)-1], fmt.Sprint(many+9))
	same(t, "one that is asked for again", read[len(ids)], read[0])
	if err := r.EachBlob(ctx, append(ids, strings.Repeat("1", 40)), keep); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	if err := r.EachBlob(ctx, append(ids, must(r.TreeID(ctx, "HEAD"))(t)), keep); !errors.Is(err, ErrNotFound) {
		t.Fatalf("a tree was read as a blob: %v", err)
	}
}

func TestReadingManyBlobsEndsWithTheFirstThatIsNotTaken(t *testing.T) {
	_, r, _ := seeded(t)
	enough := errors.New("enough")
	for _, n := range []int{3, many + 10} {
		ids := slices.Repeat([]string{must(r.WriteBlob(ctx, bytes.Repeat([]byte("x"), 100_000)))(t)}, n)
		seen := 0
		err := r.EachBlob(ctx, ids, func(string, []byte) error {
			if seen++; seen == 2 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || seen != 2 {
			t.Errorf("of %d: %d were taken, %v", n, seen, err)
		}
	}
}

func TestABatchThatDiedIsStartedAgain(t *testing.T) {
	_, r, _ := seeded(t)
	b := openBatch(r)
	r.lazily.objects = b
	blob := must(r.Resolve(ctx, "HEAD:a.txt"))(t)
	must(r.Blob(ctx, blob))(t)
	b.live.stop()
	<-b.live.ended
	if _, err := r.Blob(ctx, blob); err != nil { // the one that finds it dead may fail
		must(r.Blob(ctx, blob))(t)
	}
	ok(t, r.Close())
	ok(t, r.Close())
	must(r.Blob(ctx, blob))(t)
}
