package board

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"torve/internal/record"
)

// shelf is a log in memory that keeps snapshots.
type shelf struct {
	events []record.Event
	kept   *record.Snapshot
	reads  int // events that were read
}

func (s *shelf) Append(context.Context, record.Partition, record.Cond, ...record.Event) (record.Seq, error) {
	return 0, record.ErrReadOnly
}

func (s *shelf) Read(_ context.Context, _ record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		for _, e := range s.events {
			if e.Seq < from {
				continue
			}
			s.reads++
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *shelf) Watch(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return s.Read(ctx, p, from)
}

func (s *shelf) Check(context.Context, record.Partition) error { return nil }
func (s *shelf) Close() error                                  { return nil }

func (s *shelf) Keep(_ context.Context, _ record.Partition, k record.Snapshot) error {
	s.kept = &k
	return nil
}

func (s *shelf) Kept(_ context.Context, _ record.Partition, name string, parts ...string) (record.Snapshot, error) {
	if s.kept == nil || s.kept.Name != name {
		return record.Snapshot{}, record.ErrNone
	}
	out := *s.kept
	if len(parts) > 0 {
		out.Parts = map[string][]byte{}
		for _, p := range parts {
			if body, there := s.kept.Parts[p]; there {
				out.Parts[p] = body
			}
		}
	}
	return out, nil
}

// replayed is the board of some first events.
func replayed(t fataler, events []record.Event) *Board {
	b := &Board{}
	for _, e := range events {
		if err := b.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestASnapshotAndTheRestAreTheReplayFromZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anything(t).events
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		log := &shelf{events: events}
		snapshot := replayed(t, events[:cut]).pack()
		log.kept = &snapshot
		want := replayed(t, events)
		got, err := Resume(context.Background(), log, "p")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at %d of %d: %v", cut, len(events), err)
		}
		if read := len(events) - max(cut-1, 0); cut > 0 && log.reads != read {
			t.Fatalf("%d events were read of %d, cut at %d", log.reads, len(events), cut)
		}
		glanced, err := Glance(context.Background(), log, "p")
		if err != nil || len(glanced.Tasks) != len(want.Tasks) {
			t.Fatalf("a glance: %v", err)
		}
		for id, w := range want.Tasks {
			if g := glanced.Tasks[id]; g.ID != id || g.State != w.State || g.MintSeq != w.MintSeq || g.Last != w.Last || g.Ended() != w.Ended() {
				t.Fatalf("%s is unread %+v, want %+v", id, g, w)
			}
		}
		if rapid.Bool().Draw(t, "one by one") {
			err = glanced.ReadOutlines(slices.Collect(maps.Keys(want.Tasks))...)
		} else {
			err = glanced.ReadAllOutlines()
		}
		if err != nil {
			t.Fatal(err)
		}
		for id, w := range want.Tasks {
			g := glanced.Tasks[id]
			if g.Outline() {
				w = outlineOf(w)
			}
			if !reflect.DeepEqual(g, w) {
				t.Fatalf("%s is at a glance %+v, want %+v", id, g, w)
			}
		}
		if err := CheckSnapshot(context.Background(), log, "p"); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatFollowsTheRecordIsTheReplayAndNeverChangesAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anything(t).events
		log := &shelf{}
		f := Follow(log, "p")
		var given, want []*Board
		for n := 0; n <= len(events); n += rapid.IntRange(1, 5).Draw(t, "step") {
			log.events = events[:n]
			b, err := f.Now(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			given, want = append(given, b), append(want, replayed(t, events[:n]))
		}
		for i := range given {
			if !reflect.DeepEqual(given[i], want[i]) {
				t.Fatalf("the board that was given %d. is another now", i)
			}
		}
	})
}

// longStory is past enough.
func longStory(t testing.TB) []record.Event {
	s := newStory(t)
	for len(s.events) < enough+20 {
		id := "T-" + string(rune('A'+len(s.events)%26)) + string(rune('A'+len(s.events)/26))
		s.mint(id).tried(id, 1, "c"+id, "accepted").judged(id, 1, "due", "accepted").landed(id).release(id, "c"+id)
	}
	for i := range s.events {
		s.events[i].Hash = fmt.Sprintf("%064x", i+7)
	}
	return s.events
}

func TestAWrongSnapshotIsNeverTrustedAndToldWhenAsked(t *testing.T) {
	events := longStory(t)
	cut := enough
	for name, spoil := range map[string]func(*shelf){
		"of another event":        func(s *shelf) { s.kept.Seq-- },
		"with another hash":       func(s *shelf) { s.kept.Hash = "f" + s.kept.Hash[1:] },
		"with another's index":    func(s *shelf) { s.kept.Parts[indexPart] = replayed(t, events[:cut-9]).pack().Parts[indexPart] },
		"with an index cut short": func(s *shelf) { s.kept.Parts[indexPart] = s.kept.Parts[indexPart][:900] },
		"with more than an index": func(s *shelf) { s.kept.Parts[indexPart] = append(s.kept.Parts[indexPart], 0) },
		"with an outline altered": func(s *shelf) {
			was := s.kept.Parts[indexPart]
			if s.kept.Parts[indexPart] = bytes.Replace(was, []byte("accepted"), []byte("acceptee"), 1); bytes.Equal(was, s.kept.Parts[indexPart]) {
				t.Fatal("no outline says accepted")
			}
		},
		"without an index":         func(s *shelf) { delete(s.kept.Parts, indexPart) },
		"with a part missing":      func(s *shelf) { delete(s.kept.Parts, "tasks/00000000") },
		"with another's part":      func(s *shelf) { s.kept.Parts["tasks/00000000"] = packTasks([]*Task{{ID: "T-1"}}) },
		"of a record that is gone": func(s *shelf) { s.events = s.events[:cut-1] },
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := replayed(t, events[:cut]).pack()
			snapshot.Parts = maps.Clone(snapshot.Parts)
			log := &shelf{events: events, kept: &snapshot}
			spoil(log)
			want := replayed(t, log.events)
			b, err := Resume(t.Context(), log, "p")
			if err != nil || !reflect.DeepEqual(b, want) {
				t.Errorf("resumed otherwise than all events say: %v", err)
			}
			if err := CheckSnapshot(t.Context(), log, "p"); err == nil {
				t.Error("nobody is told")
			}
		})
	}
}

func TestASnapshotOfOtherCodeIsPassedOver(t *testing.T) {
	events := longStory(t)
	snapshot := replayed(t, events).pack()
	snapshot.Form = "torve/board/0"
	log := &shelf{events: events, kept: &snapshot}
	if b, err := Resume(t.Context(), log, "p"); err != nil || log.reads != len(events) || b.Seq != record.Seq(len(events)) {
		t.Errorf("%d events were read, %v", log.reads, err)
	}
	if err := CheckSnapshot(t.Context(), log, "p"); err != nil {
		t.Error(err)
	}
}

func TestASnapshotIsKeptWhenEnoughHasCome(t *testing.T) {
	events := longStory(t)
	log := &shelf{events: events[:enough-1]}
	f := Follow(log, "p")
	keep := func() {
		t.Helper()
		if _, err := f.Now(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := f.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keep()
	if log.kept != nil {
		t.Fatal("one was kept of too few events")
	}
	log.events = events[:enough]
	keep()
	if log.kept == nil || log.kept.Seq != enough {
		t.Fatalf("kept %v", log.kept)
	}
	log.events = events
	keep()
	if log.kept.Seq != enough {
		t.Error("another was kept of too few")
	}
}

func TestAnEventOfATaskThatIsThereInOutlineReadsItWhole(t *testing.T) {
	events := longStory(t)
	snapshot := replayed(t, events).pack()
	s := &story{t: t, events: events}
	first := events[0].Task
	log := &shelf{kept: &snapshot, events: s.mint("T-ZZ").landed("T-ZZ", first).events}
	b, err := Glance(t.Context(), log, "p")
	if err != nil || b.Tasks[first].State != Reverted || b.Tasks[first].Outline() {
		t.Fatalf("%v, %+v", err, b.Tasks[first])
	}
	var out *outlineError
	index, _ := unpack(snapshot)
	if err := index.Apply(log.events[len(log.events)-1]); !errors.As(err, &out) {
		t.Errorf("a fact was applied to an outline: %v", err)
	}
}
