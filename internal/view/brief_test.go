package view_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/view"
)

// TestABoardReadBrieflyIsTheBoard asks that what is left out of a brief reading (of landed
// tasks all but a mark) is nothing that a board shows.
func TestABoardReadBrieflyIsTheBoard(t *testing.T) {
	s := night(t)
	var notes []record.Event
	for i := range 600 { // enough for a snapshot
		e, err := record.New(record.Message{Text: strconv.Itoa(i)}, now, record.Envelope{Actor: record.Actor{Kind: record.ByPerson}})
		if err != nil {
			t.Fatal(err)
		}
		notes = append(notes, e)
	}
	if _, err := s.log.Append(t.Context(), partition, record.Always(), notes...); err != nil {
		t.Fatal(err)
	}
	f := board.Follow(s.log, partition)
	if _, err := f.Now(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, o := s.here()
	brief, err := truth.Gather(t.Context(), truth.Sources{Repo: o.Repo, Target: "main", Head: whole.Head, Log: s.log, Partition: partition, WorkTree: s.Dir, Brief: true, Marked: true})
	if err != nil {
		t.Fatal(err)
	}
	marks := 0
	for _, task := range brief.Board.Tasks {
		if task.Unread() {
			marks++
		}
	}
	if marks == 0 {
		t.Fatal("nothing was left out: the snapshot has not served")
	}
	for _, task := range append([]string{"brief", ""}, whole.Tasks()...) {
		o.Only, o.Brief = task, task == "brief"
		if o.Brief {
			o.Only = ""
		}
		want, got := status(t, whole, o), status(t, brief, o)
		if w, g := spelled(t, want), spelled(t, got); w != g {
			t.Errorf("%q: read briefly it is\n%s\nand whole\n%s", task, g, w)
		}
		text := func(a view.StatusAnswer) string {
			return text(t, func(b *bytes.Buffer) error { return a.Text(b, view.Style{Width: 80}) })
		}
		if w, g := text(want), text(got); w != g {
			t.Errorf("%q: read briefly it prints\n%s\nand whole\n%s", task, g, w)
		}
	}
}

func spelled(t testing.TB, a view.StatusAnswer) string {
	t.Helper()
	data, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
