package truth

import (
	"fmt"
	"reflect"
	"testing"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
)

// kept writes enough for a snapshot of the board to be worth its writing, and keeps one.
func (p *place) kept() {
	p.t.Helper()
	for i := range 600 {
		p.event("", 0, "", record.ByPerson, record.Message{Text: fmt.Sprint(i)})
	}
	f := board.Follow(p.log, partition)
	if _, err := f.Now(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	if err := f.Keep(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

func TestWhatIsTakenForLandedByAMarkIsSettledAsTheWholeTask(t *testing.T) {
	p := newPlace(t).opened()
	for i := range 5 {
		id := fmt.Sprintf("T-%04d", i+1)
		p.ask(id)
		p.mint(id)
		p.heard(id, p.land(id))
	}
	p.kept()
	p.repo.Write(".torve/tasks/T-0002/contract.yaml", "schema: torve/contract/v1\nid: T-0002\ntitle: Another\nscope:\n  allow: [\"b/**\"]\n")
	p.repo.Commit("Edit what has landed")
	p.repo.Write(".torve/tasks/T-0003/contract.yaml", "schema: torve/contract/v1\nid: T-0003\ntitle: A draft\nscope:\n  allow: [\"c/**\"]\n")
	src := p.sources()
	src.Marked = true
	r, err := Gather(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	for id, unread := range map[string]bool{"T-0001": true, "T-0002": false, "T-0003": false, "T-0005": true} {
		if r.Board.Tasks[id].Unread() != unread {
			t.Errorf("%s is unread: %v", id, !unread)
		}
	}
	if s := r.Settled("T-0002"); !s.Edited() {
		t.Error("that the file was edited is not seen")
	}
	if s := r.Settled("T-0001"); s.State() != board.Landed || s.Edited() || !r.Landed("T-0001") || !r.Recorded("T-0001") {
		t.Errorf("T-0001 is %s", s.State())
	}
	p.gather() // asks each way of reading of the others

	if err := r.Read(t.Context(), "T-0001"); err != nil {
		t.Fatal(err)
	}
	whole, err := Gather(t.Context(), p.sources())
	if err != nil {
		t.Fatal(err)
	}
	got, want := r.Settled("T-0001"), whole.Settled("T-0001")
	if !reflect.DeepEqual(got.Board(), want.Board()) || !reflect.DeepEqual(got.File(), want.File()) || got.Because() != want.Because() {
		t.Errorf("read, it is\n%+v %+v\nand whole\n%+v %+v", got.Board(), got.File(), want.Board(), want.File())
	}
}

func TestABriefReadingReadsTheFilesOfATaskWhenItIsAsked(t *testing.T) {
	p := newPlace(t).opened()
	p.ask(task)
	p.mint(task)
	p.heard(task, p.land(task))
	p.kept()
	src := p.sources()
	src.Brief, src.Marked = true, true
	r, err := Gather(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if _, there := r.Contracts[task]; there {
		t.Fatal("a brief reading has read it")
	}
	for range 2 {
		if err := r.Read(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		if err := r.ReadFiles(t.Context(), task, "T-0009"); err != nil {
			t.Fatal(err)
		}
	}
	want := p.gather()
	if g, w := r.Settled(task), want.Settled(task); !reflect.DeepEqual(g.Overruled(), w.Overruled()) || g.Because() != w.Because() {
		t.Errorf("it overrules %v, and %v", g.Overruled(), w.Overruled())
	}
	if how, path := r.FileToday(task, r.Board.Tasks[task].Digest); how != "same" || path == "" {
		t.Errorf("its file is %s at %q", how, path)
	}
}

func TestAFileMoreChangesOnePartOfAListing(t *testing.T) {
	var l listing
	for i := range 5000 {
		l.entries = append(l.entries, git.Entry{Path: fmt.Sprintf("T-%05d/contract.yaml", i*2), Mode: "100644", ID: fmt.Sprintf("%040x", i)})
	}
	before, after := map[string][]byte{}, map[string][]byte{}
	l.parts(".torve/tasks", before)
	got, whole := listingOf("tree", joined(before, ".torve/tasks"))
	if !whole || !reflect.DeepEqual(got.entries, l.entries) || len(before) < 3 {
		t.Fatalf("%d entries come back in %d parts, whole: %v", len(got.entries), len(before), whole)
	}
	if got, _ := listingOf("tree", joined(before, ".torve/task")); len(got.entries) > 0 {
		t.Error("the parts of one folder are those of another")
	}
	l.entries = append(l.entries, git.Entry{Path: "T-09999/contract.yaml", Mode: "100644", ID: fmt.Sprintf("%040x", 9)})
	l.parts(".torve/tasks", after)
	changed := 0
	for name, body := range after {
		if string(before[name]) != string(body) {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d of %d parts changed", changed, len(after))
	}
}
