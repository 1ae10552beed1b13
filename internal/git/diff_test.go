package git

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"torve/internal/git/gittest"
)

func TestADiffListsEveryKindOfChangeWithItsLines(t *testing.T) {
	g := gittest.New(t)
	g.Write("changed", "1\n2\n3\n")
	g.Write("deleted", "1\n2\n")
	g.Write("renamed", "the same\n")
	g.Write("binary", "\x00old")
	g.Write("mode", "x\n")
	g.Write("typed", "x\n")
	a := g.Commit("a")
	g.Write("changed", "1\nX\n3\n4\n")
	g.Git("rm", "-q", "deleted")
	g.Git("mv", "renamed", "new \"name\"\n漢")
	g.Write("binary", "\x00new")
	g.Git("update-index", "--chmod=+x", "mode")
	g.Git("commit", "-q", "-m", "x")
	g.Git("update-index", "--cacheinfo", modeSymlink, must(opened(t, g.Dir).WriteBlob(ctx, []byte("elsewhere")))(t), "typed")
	g.Git("add", "changed", "binary")
	g.Git("commit", "-q", "-m", "b")
	r := opened(t, g.Dir)
	var got []string
	for _, d := range must(r.Diff(ctx, a, "HEAD"))(t) {
		got = append(got, fmt.Sprintf("%s %s>%s +%d -%d %v %q", d.Status, d.OldMode, d.NewMode, d.Added, d.Removed, d.Binary, d.Path))
		same(t, "old id of "+d.Path, d.OldID != "", d.Status != "A")
		same(t, "new id of "+d.Path, d.NewID != "", d.Status != "D")
	}
	sameList(t, "deltas", got,
		`M 100644>100644 +0 -0 true "binary"`,
		`M 100644>100644 +2 -1 false "changed"`,
		`D 100644>000000 +0 -2 false "deleted"`,
		`M 100644>100755 +0 -0 false "mode"`,
		`A 000000>100644 +1 -0 false "new \"name\"\n漢"`,
		`D 100644>000000 +0 -1 false "renamed"`,
		`T 100644>120000 +1 -1 false "typed"`,
	)
	same(t, "nothing changed", len(must(r.Diff(ctx, a, a))(t)), 0)
	same(t, "against nothing", len(must(r.Diff(ctx, "", a))(t)), 6)
	same(t, "trees", len(must(r.Diff(ctx, must(r.TreeID(ctx, a))(t), "HEAD^{tree}"))(t)), len(got))
}

func TestGeneratedIsWhatTheAttributesOfTheBaseSay(t *testing.T) {
	g, r, _ := seeded(t)
	g.Write("gen/a.go", "1")
	plain := g.Commit("no attributes")
	g.Write(".gitattributes", "gen/** linguist-generated\ngen/hand.go -linguist-generated\n")
	g.Write("sub/.gitattributes", "*.pb linguist-generated=true\n")
	marked := g.Commit("attributes")
	g.Write("gen/a.go", "2")
	g.Write("gen/hand.go", "x")
	g.Write("sub/b.pb", "x")
	g.Write("other", "x")
	g.Write(".gitattributes", "* linguist-generated\n") // what the new tree says of its own files is not asked
	next := g.Commit("work")
	g.Git("rm", "-q", "-r", "--cached", ".gitattributes") // what is checked out has no say
	for base, want := range map[string][]string{plain: nil, marked: {"gen/a.go", "sub/b.pb"}} {
		var got []string
		for _, d := range must(r.Diff(ctx, base, next))(t) {
			if d.Generated {
				got = append(got, d.Path)
			}
		}
		sameList(t, "generated", got, want...)
	}
}

func TestNoAttributeHidesTheLinesOfAFile(t *testing.T) {
	g, r, base := seeded(t)
	b := edited(t, r, base, "b", map[string]string{"a.txt": "one\nnew\n", "bin": "\x00x", ".gitattributes": "* -diff\n"})
	for _, by := range []struct {
		what string
		say  func()
	}{
		{"the new tree", func() {}},
		{"the work tree", func() {
			g.Write(".gitattributes", "* -diff\n")
			g.Write("dir/.gitattributes", "* binary\n")
		}},
		{"the index", func() { g.Git("add", "-A"); g.Git("reset", "-q", "--soft", base) }},
		{"the person", func() { g.Git("config", "core.attributesFile", g.Dir+"/.gitattributes") }},
	} {
		by.say()
		binary := map[string]bool{}
		for _, d := range must(r.Diff(ctx, base, b))(t) {
			binary[d.Path] = d.Binary
		}
		if !reflect.DeepEqual(binary, map[string]bool{"a.txt": false, "bin": true, ".gitattributes": false}) {
			t.Errorf("by the attributes of %s, binary is %v", by.what, binary)
		}
		if got := must(r.AddedLines(ctx, base, b))(t)["a.txt"]; len(got) != 1 || got[0].Text != "new" {
			t.Errorf("by the attributes of %s, the added lines are %v", by.what, got)
		}
	}
}

func TestTheLinesOfAnyNumberOfPathsAreRead(t *testing.T) {
	g, r, base := seeded(t)
	var paths []string
	for i := range 9_000 {
		paths = append(paths, fmt.Sprintf("%s/%05d", strings.Repeat("folder/", 30), i))
	}
	for _, p := range paths[:40] {
		g.Write(p, "x\n")
	}
	added := must(r.AddedLines(ctx, base, g.Commit("many"), paths...))(t) // two megabytes of paths
	same(t, "paths", len(added), 40)
}

func TestAddedLinesHaveTheirNumbersAndNoContentIsTakenForAHeader(t *testing.T) {
	_, r, base := seeded(t)
	b := edited(t, r, base, "b", map[string]string{
		"a.txt":            "zero\none\n++ b/fake\ntwo\n@@ -1,9 +1,9 @@\ndiff --git a/x b/x",
		"new \"q\"\n漢 x":   "only\r\nline\twith tab\n",
		"dir/b.txt":        dropped,
		"bin":              "\x00binary",
		"empty":            "",
		"trailing space  ": "x\n",
	})
	got := must(r.AddedLines(ctx, base, b))(t)
	want := map[string][]Line{
		"a.txt":            {{1, "zero"}, {3, "++ b/fake"}, {5, "@@ -1,9 +1,9 @@"}, {6, "diff --git a/x b/x"}},
		"new \"q\"\n漢 x":   {{1, "only\r"}, {2, "line\twith tab"}},
		"trailing space  ": {{1, "x"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	got = must(r.AddedLines(ctx, base, b, "a.txt", "*"))(t)
	same(t, "paths, literally", len(got), 1)
}

func TestAPatchIsAsGitPrintsItAndAppliesAgain(t *testing.T) {
	g, r, base := seeded(t)
	b := edited(t, r, base, "b", map[string]string{"a.txt": "one\n2\nthree\n", "n w": "x"})
	var plain, color bytes.Buffer
	ok(t, r.Patch(ctx, &plain, base, b, false))
	ok(t, r.Patch(ctx, &color, base, b, true, "a.txt"))
	write(t, g.Dir+"/../p.patch", plain.String())
	g.Git("apply", "--index", "../p.patch")
	same(t, "tree", g.Git("write-tree"), must(r.TreeID(ctx, b))(t))
	same(t, "colours", strings.Contains(color.String(), "\x1b["), true)
	same(t, "narrowed", strings.Contains(color.String(), "n w"), false)
}

func TestAMergeThatIsCleanIsTheMergeThatGitMakes(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n")
	g.Write("old name", "long enough\nto be known\nagain\nwhen renamed\n")
	base := g.Commit("base")
	g.Git("checkout", "-q", "-b", "side")
	g.Write("a.txt", "1\n2\n3\n4\n5\n6\n7\nEIGHT\n")
	g.Write("old name", "long enough\nto be known\nagain\nwhen renamed\nand changed\n")
	side := g.Commit("side")
	g.Git("checkout", "-q", "main")
	g.Write("a.txt", "ONE\n2\n3\n4\n5\n6\n7\n8\n")
	g.Git("mv", "old name", "new name")
	head := g.Commit("head")
	r := opened(t, g.Dir)
	m := must(r.Merge(ctx, base, head, side))(t)
	same(t, "trees merge as commits do", must(r.Merge(ctx, base, must(r.TreeID(ctx, head))(t), must(r.TreeID(ctx, side))(t)))(t).Tree, m.Tree)
	same(t, "a base of one's own choice", must(r.Merge(ctx, side, head, side))(t).Tree, must(r.TreeID(ctx, head))(t))
	same(t, "the same on both sides", must(r.Merge(ctx, base, side, side))(t).Tree, must(r.TreeID(ctx, side))(t))
	g.Git("merge", "-q", "-m", "m", "side")
	same(t, "tree", m.Tree, g.Git("rev-parse", "HEAD^{tree}"))
}

func TestAConflictNamesItsPathsAndShowsItsHunks(t *testing.T) {
	_, r, base := seeded(t)
	long := strings.Repeat("a long line of no consequence\n", 1000)
	ours := edited(t, r, base, "o", map[string]string{"a.txt": "one\nOURS\nthree\n", "dir/b.txt": dropped, "c\n漢": "ours\n", "d": long + "o\n", ".gitattributes": "a.txt conflict-marker-size=12\n"})
	theirs := edited(t, r, base, "t", map[string]string{"a.txt": "one\n<<<<<<< theirs\nthree\n", "dir/b.txt": "changed\n", "c\n漢": "theirs\n", "d": "t\n"})
	m := must(r.Merge(ctx, base, ours, theirs))(t)
	same(t, "tree", m.Tree, "")
	sameList(t, "conflicts", m.Conflicts, "a.txt", "c\n漢", "d", "dir/b.txt")
	for _, want := range []string{"a.txt:\n<<<<<<<", " ours\nOURS\n====", "<<<<<<< theirs\n", "c\n漢:\n", ">>>>>>> theirs"} {
		if !strings.Contains(m.Hunks, want) {
			t.Errorf("hunks lack %q:\n%.600s", want, m.Hunks)
		}
	}
	if !strings.HasPrefix(m.Hunks, "CONFLICT (modify/delete): dir/b.txt deleted in ours and modified in theirs.\n\na.txt:\n<<<") {
		t.Errorf("hunks %.200q", m.Hunks)
	}
	if len(m.Hunks) > hunksCap+100 || !strings.Contains(m.Hunks, "more bytes") {
		t.Errorf("hunks of %d bytes end in %q", len(m.Hunks), m.Hunks[len(m.Hunks)-60:])
	}
}

func TestAConflictThatNoHunkCanShowIsNamed(t *testing.T) {
	_, r, base := seeded(t)
	base = edited(t, r, base, "b", map[string]string{"bin": "a\x00b\n", "z": "z\n"})
	ours := edited(t, r, base, "o", map[string]string{"bin": "a\x00o\n", "a.txt": strings.Repeat("ours\n", 2000), "z": "o\n"})
	theirs := edited(t, r, base, "t", map[string]string{"bin": "a\x00t\n", "a.txt": strings.Repeat("theirs\n", 2000), "z": "t\n"})
	m := must(r.Merge(ctx, base, ours, theirs))(t)
	sameList(t, "conflicts", m.Conflicts, "a.txt", "bin", "z")
	for _, want := range []string{"Cannot merge binary files: bin (ours vs. theirs)\n", "\nand in: z\n"} {
		if !strings.Contains(m.Hunks, want) {
			t.Errorf("hunks lack %q: %.120q ... %q", want, m.Hunks, m.Hunks[len(m.Hunks)-120:])
		}
	}
}

func TestAFileAndAFolderOfOneNameConflict(t *testing.T) {
	_, r, base := seeded(t)
	ours := edited(t, r, base, "o", map[string]string{"x": "a file\n"})
	theirs := edited(t, r, base, "t", map[string]string{"x/y": "in a folder\n"})
	m := must(r.Merge(ctx, base, ours, theirs))(t)
	same(t, "tree", m.Tree, "")
	if len(m.Conflicts) == 0 {
		t.Fatal("no path is named")
	}
}

func TestADiffThatBringsItsLinesIsBothAnswers(t *testing.T) {
	g, r, _ := seeded(t)
	g.Write("changed", "1\n2\n3\n")
	g.Write("sp ace", "x\n")
	g.Write("gone", "x\n")
	g.Write("bin", "\x00old")
	a := g.Commit("a")
	g.Write("changed", "1\nX\n+++ b/other\n3\n4\n")
	g.Write("sp ace", "x\ny\n")
	g.Write("bin", "\x00new")
	g.Write("late", "no end")
	g.Git("rm", "-q", "gone")
	g.Git("update-index", "--add", "--cacheinfo", modeModule+","+a+",module")
	b := g.Commit("b")
	deltas, added, err := r.DiffLines(ctx, a, b)
	ok(t, err)
	same(t, "deltas", fmt.Sprint(deltas), fmt.Sprint(must(r.Diff(ctx, a, b))(t)))
	same(t, "lines", fmt.Sprint(added), fmt.Sprint(must(r.AddedLines(ctx, a, b, "changed", "sp ace", "bin", "late", "gone"))(t)))
	if len(added) != 3 {
		t.Errorf("lines of %d files", len(added))
	}
	for name, spoil := range map[string]func(){
		"a quote":   func() { g.Write("new \"name\"", "x\n") },
		"much text": func() { g.Write("much", strings.Repeat("a line\n", mostPatch/7+1)) },
	} {
		spoil()
		g.Write("changed", name+"\n")
		b := g.Commit(name)
		deltas, added, err := r.DiffLines(ctx, a, b)
		ok(t, err)
		same(t, "deltas with "+name, fmt.Sprint(deltas), fmt.Sprint(must(r.Diff(ctx, a, b))(t)))
		if added != nil {
			t.Errorf("with %s it brings lines", name)
		}
		g.Git("reset", "-q", "--hard", "HEAD~1")
	}
}
