package git

import (
	"fmt"
	"testing"
)

func TestWhatStandsApartIsWhatTheOtherLacksOrHoldsOtherwise(t *testing.T) {
	_, r, base := seeded(t)
	one := edited(t, r, base, "one", map[string]string{"f/same/x": "1", "f/mine/x": "1", "f/both/x": "1", "f/both/y": "1", "f/plain": "1", "f/turned/x": "1", "outside": "1"})
	two := edited(t, r, base, "two", map[string]string{"f/same/x": "1", "f/theirs/x": "1", "f/both/x": "2", "f/both/y": "1", "f/plain": "1", "f/turned": "1", "outside": "2"})
	list := func(rev, than, folder string) (paths []string) {
		t.Helper()
		for _, e := range must(r.Apart(ctx, rev, than, folder))(t) {
			paths = append(paths, e.Path)
			same(t, e.Path, e.ID, must(r.Entry(ctx, rev, e.Path))(t).ID)
		}
		return paths
	}
	sameList(t, "one", list(one, two, "f"), "f/both/x", "f/mine/x", "f/turned/x")
	sameList(t, "two", list(two, one, "f"), "f/both/x", "f/theirs/x", "f/turned")
	sameList(t, "itself", list(one, one, "f"))
	sameList(t, "a folder that the other lacks", list(one, base, "f/mine"), "f/mine/x")
	sameList(t, "a folder that is not there", list(base, one, "f"))
	sameList(t, "a file", list(one, base, "outside"))
	if _, err := r.Apart(ctx, "nope", one, "f"); err == nil {
		t.Error("there is no such revision")
	}
}

func BenchmarkApartInTenThousandFolders(b *testing.B) {
	_, r, base := seeded(b)
	edits := make([]Edit, 10_000)
	blob := must(r.WriteBlob(ctx, []byte("x")))(b)
	for i := range edits {
		edits[i] = Edit{Path: fmt.Sprintf("tasks/T-%05d/contract.yaml", i), Mode: modeFile, ID: blob}
	}
	tree := must(r.EditTree(ctx, base, edits...))(b)
	other := must(r.EditTree(ctx, tree, Edit{Path: "tasks/T-99999/contract.yaml", Mode: modeFile, ID: blob}))(b)
	for b.Loop() {
		same(b, "entries", len(must(r.Apart(ctx, other, tree, "tasks"))(b)), 1)
	}
}
