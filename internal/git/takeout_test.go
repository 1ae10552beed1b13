package git

import (
	"fmt"
	"strings"
	"testing"
)

func TestATreeWithoutAFileIsWhatAnEditWouldMakeOfIt(t *testing.T) {
	_, r, base := seeded(t)
	files := map[string]string{"a": "1", "a.b/c": "1", "a/": "", "deep/er/still/x": "1", "deep/y": "1", "two/one/x": "1", "two/two": "2", "b c/100644 d": "1", "b c/d": "2"}
	delete(files, "a/")
	rev := edited(t, r, base, "many", files)
	tree := must(r.TreeID(ctx, rev))(t)
	var parts []Part
	for path := range files {
		parts = append(parts, Part{tree, path})
	}
	parts = append(parts, Part{tree, "nope"}, Part{tree, "deep/nope"}, Part{tree, "a/x"}, Part{tree, "deep/er"})
	for n, taken := range must(r.TakeOut(ctx, parts))(t) {
		path := parts[n].Path
		if _, there := files[path]; !there {
			if path != "deep/er" && taken != (Taken{}) {
				t.Errorf("%s is not there, and is %+v", path, taken)
			}
			continue
		}
		same(t, path, taken.ID, must(r.Entry(ctx, tree, path))(t).ID)
		same(t, "without "+path, taken.Without, must(r.EditTree(ctx, tree, Edit{Path: path}))(t))
	}
	alone := must(r.EditTree(ctx, "", Edit{Path: "x/y/z", Mode: "100644", ID: must(r.WriteBlob(ctx, []byte("z")))(t)}))(t)
	nothing := must(r.EditTree(ctx, alone, Edit{Path: "x"}))(t)
	same(t, "the last file gone", must(r.TakeOut(ctx, []Part{{alone, "x/y/z"}}))(t)[0].Without, nothing)
	if _, err := r.TakeOut(ctx, []Part{{strings.Repeat("1", 40), "x"}}); err == nil {
		t.Error("there is no such tree")
	}
	if _, err := r.TakeOut(ctx, []Part{{rev, "x"}}); err == nil {
		t.Error("a commit is no tree")
	}
}

func TestManyAreTakenOutInChunks(t *testing.T) {
	_, r, base := seeded(t)
	tree := must(r.TreeID(ctx, edited(t, r, base, "f", map[string]string{"f/x": "1", "f/y": "2"})))(t)
	want := must(r.EditTree(ctx, tree, Edit{Path: "f/x"}))(t)
	parts := make([]Part, chunk+3)
	for n := range parts {
		parts[n] = Part{tree, "f/x"}
	}
	for n, taken := range must(r.TakeOut(ctx, parts))(t) {
		same(t, fmt.Sprint(n), taken.Without, want)
	}
}

func TestPresentNamesWhatIsHereAndOfWhichKind(t *testing.T) {
	_, r, base := seeded(t)
	tree := must(r.TreeID(ctx, base))(t)
	blob := must(r.WriteBlob(ctx, []byte("x")))(t)
	gone := strings.Repeat("2", 40)
	got := must(r.Present(ctx, []string{base, tree, blob, gone, "", "main"}))(t)
	for id, kind := range map[string]string{base: "commit", tree: "tree", blob: "blob", gone: ""} {
		same(t, id, got[id], kind)
	}
	if len(got) != 3 {
		t.Errorf("%v", got)
	}
	if none := must(r.Present(ctx, nil))(t); len(none) != 0 {
		t.Errorf("of nothing %v is here", none)
	}
}
