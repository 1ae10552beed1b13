package board

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
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
	k.Parts = maps.Clone(k.Parts)
	for name, body := range k.Parts {
		if body != nil {
			continue
		}
		if s.kept == nil || s.kept.Form != k.Form || s.kept.Seq < k.Upon || s.kept.Parts[name] == nil {
			return record.ErrMoved
		}
		k.Parts[name] = s.kept.Parts[name]
	}
	k.Upon, s.kept = 0, &k
	return nil
}

func (s *shelf) Kept(_ context.Context, _ record.Partition, name string, parts ...string) (record.Snapshot, error) {
	if s.kept == nil || s.kept.Name != name {
		return record.Snapshot{}, record.ErrNone
	}
	out := *s.kept
	if len(parts) > 0 {
		out.Parts = map[string][]byte{}
		for name, body := range s.kept.Parts {
			if slices.ContainsFunc(parts, func(p string) bool { return p == name || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p) }) {
				out.Parts[name] = body
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
		snapshot := replayed(t, events[:cut]).pack(nil)
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
			g := glanced.Tasks[id]
			if !g.marks(w) || g.Ended() != w.Ended() || g.Costs() != w.Costs() || g.MintedAs(w.Path, w.Blob) != (w.Digest != "") || g.MintedAs("another", w.Blob) {
				t.Fatalf("%s is at a glance %+v, want %+v", id, g, w)
			}
		}
		each := map[string]*Task{}
		if err := glanced.Each(context.Background(), func(t *Task) { each[t.ID] = t }); err != nil || !reflect.DeepEqual(each, want.Tasks) && len(want.Tasks) > 0 {
			t.Fatalf("each is another, %v", err)
		}
		if rapid.Bool().Draw(t, "one by one") {
			for id := range want.Tasks {
				if err := glanced.Read(context.Background(), id); err != nil || !reflect.DeepEqual(glanced.Tasks[id], want.Tasks[id]) {
					t.Fatalf("%s is read as %+v, %v", id, glanced.Tasks[id], err)
				}
			}
		}
		if err := glanced.ReadAll(context.Background()); err != nil || !reflect.DeepEqual(glanced, want) {
			t.Fatalf("a glance that is read is another, %v", err)
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
	cut, marks := enough, "marks/00000000"
	for name, spoil := range map[string]func(*shelf){
		"of another event":        func(s *shelf) { s.kept.Seq-- },
		"with another hash":       func(s *shelf) { s.kept.Hash = "f" + s.kept.Hash[1:] },
		"with another's index":    func(s *shelf) { s.kept.Parts[indexPart] = replayed(t, events[:cut-9]).pack(nil).Parts[indexPart] },
		"with an index cut short": func(s *shelf) { s.kept.Parts[indexPart] = s.kept.Parts[indexPart][:60] },
		"with more than an index": func(s *shelf) { s.kept.Parts[indexPart] = append(s.kept.Parts[indexPart], 0) },
		"with a mark altered": func(s *shelf) {
			was := s.kept.Parts[marks]
			if s.kept.Parts[marks] = bytes.Replace(was, []byte("landed"), []byte("landee"), 1); bytes.Equal(was, s.kept.Parts[marks]) {
				t.Fatal("no mark says landed")
			}
		},
		"with marks missing":       func(s *shelf) { delete(s.kept.Parts, marks) },
		"with marks cut short":     func(s *shelf) { s.kept.Parts[marks] = s.kept.Parts[marks][:200] },
		"without an index":         func(s *shelf) { delete(s.kept.Parts, indexPart) },
		"with a part missing":      func(s *shelf) { delete(s.kept.Parts, "tasks/00000000") },
		"with another's part":      func(s *shelf) { s.kept.Parts["tasks/00000000"] = packTasks([]*Task{{ID: "T-1"}}) },
		"of a record that is gone": func(s *shelf) { s.events = s.events[:cut-1] },
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := replayed(t, events[:cut]).pack(nil)
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

// TestAForgedSnapshotIsNamedAndDroppedWhenAsked is about who may write to the store: form,
// seq and hash are nobody's secret, so that what agrees with itself is read until it is asked.
func TestAForgedSnapshotIsNamedAndDroppedWhenAsked(t *testing.T) {
	events := longStory(t)
	forged := replayed(t, events)
	for _, task := range forged.Tasks {
		task.State = Queued
		break
	}
	snapshot := forged.pack(nil)
	log := &shelf{events: events, kept: &snapshot}
	if b, err := Resume(t.Context(), log, "p"); err != nil || !reflect.DeepEqual(b.Tasks, forged.Tasks) {
		t.Fatalf("it does not agree with itself: %v", err)
	}
	if err := CheckSnapshot(t.Context(), log, "p"); err == nil {
		t.Error("nobody is told")
	}
	if err := Forget(t.Context(), log, "p"); err != nil {
		t.Fatal(err)
	}
	if b, err := Resume(t.Context(), log, "p"); err != nil || !reflect.DeepEqual(b, replayed(t, events)) {
		t.Errorf("dropped, it still serves: %v", err)
	}
	if err := CheckSnapshot(t.Context(), log, "p"); err != nil {
		t.Error(err)
	}
}

func TestASnapshotOfOtherCodeIsPassedOver(t *testing.T) {
	events := longStory(t)
	snapshot := replayed(t, events).pack(nil)
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

func TestAnEventOfATaskOfWhichThereIsAMarkReadsItWhole(t *testing.T) {
	events := longStory(t)
	snapshot := replayed(t, events).pack(nil)
	s := &story{t: t, events: events}
	first := events[0].Task
	log := &shelf{kept: &snapshot, events: s.mint("T-ZZ").landed("T-ZZ", first).events}
	b, err := Glance(t.Context(), log, "p")
	if err != nil || b.Tasks[first].State != Reverted || b.Tasks[first].Unread() {
		t.Fatalf("%v, %+v", err, b.Tasks[first])
	}
	index, err := unpack(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	index.kept = &kept{}
	if err := index.Apply(log.events[len(log.events)-1]); err == nil {
		t.Error("a fact was applied to a mark")
	}
}

// TestWhatIsKeptOfChangesIsWhatIsKeptOfAll asks that a snapshot that goes on from another,
// of which only what has changed is written, is the one that is written whole.
func TestWhatIsKeptOfChangesIsWhatIsKeptOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anything(t).events
		cut := rapid.IntRange(1, max(1, len(events))).Draw(t, "cut")
		if len(events) < cut {
			return
		}
		first := replayed(t, events[:cut]).pack(nil)
		log := &shelf{events: events[:cut], kept: &first}
		f := Follow(log, "p")
		look := func() {
			t.Helper()
			var err error
			if rapid.Bool().Draw(t, "whole") {
				_, err = f.Now(context.Background())
			} else {
				_, err = f.Glance(context.Background())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for n := cut; n <= len(events); n += rapid.IntRange(1, 5).Draw(t, "step") {
			log.events = events[:n]
			look()
			if !rapid.Bool().Draw(t, "keep") {
				continue
			}
			if err := f.keep(context.Background(), log, f.changed); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "go on from it") {
				f.kept, f.changed = f.now.Seq, changes{}
			}
			if want := replayed(t, events[:n]).pack(nil); !reflect.DeepEqual(*log.kept, want) {
				t.Fatalf("at %d of %d, from %d on, other parts are kept", n, len(events), cut)
			}
		}
	})
}

func TestATaskIsReadFromAllEventsWhereItsSnapshotIsGone(t *testing.T) {
	events := longStory(t)
	first := events[0].Task
	for why, spoil := range map[string]func(*shelf){
		"forgotten":         func(s *shelf) { s.kept = nil },
		"of other code":     func(s *shelf) { s.kept.Form = "other" },
		"a part is missing": func(s *shelf) { s.kept.Parts = map[string][]byte{} },
		"the task is not apart": func(s *shelf) {
			b := replayed(t, events)
			b.Tasks[first].Claim = &Claim{ID: "c"}
			*s.kept = b.pack(nil)
		},
	} {
		t.Run(why, func(t *testing.T) {
			snapshot := replayed(t, events).pack(nil)
			log := &shelf{events: events, kept: &snapshot}
			b, err := Glance(t.Context(), log, "p")
			if err != nil || !b.Tasks[first].Unread() {
				t.Fatal(err, b.Tasks[first])
			}
			spoil(log)
			want := replayed(t, events)
			if err := b.Read(t.Context(), first); err != nil || !reflect.DeepEqual(b.Tasks[first], want.Tasks[first]) {
				t.Errorf("it is read as %+v, %v", b.Tasks[first], err)
			}
			if err := b.ReadAll(t.Context()); err != nil || !reflect.DeepEqual(b, want) {
				t.Errorf("all are read otherwise, %v", err)
			}
		})
	}
}

func TestWhatIsReadOnABoardThatWasGivenIsReadOnItAlone(t *testing.T) {
	events := longStory(t)
	snapshot := replayed(t, events).pack(nil)
	f := Follow(&shelf{events: events, kept: &snapshot}, "p")
	first := events[0].Task
	one, err := f.Glance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two, err := f.Glance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Read(t.Context(), first); err != nil || one.Tasks[first].Unread() || !two.Tasks[first].Unread() {
		t.Errorf("%v: one has %+v, the other %+v", err, one.Tasks[first], two.Tasks[first])
	}
	if _, err := f.Now(t.Context()); err != nil || !two.Tasks[first].Unread() {
		t.Errorf("%v: the other has %+v now", err, two.Tasks[first])
	}
}
