package board

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"torve/internal/record"
)

// away is a shelf whose store is lost from some question on.
type away struct {
	*shelf
	err   error // nil: it is there
	asked int   // since it is lost
}

func (a *away) Kept(ctx context.Context, p record.Partition, name string, parts ...string) (record.Snapshot, error) {
	if a.err != nil {
		a.asked++
		return record.Snapshot{}, a.err
	}
	return a.shelf.Kept(ctx, p, name, parts...)
}

func (a *away) Read(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	if a.err != nil {
		return func(yield func(record.Event, error) bool) {
			a.asked++
			yield(record.Event{}, a.err)
		}
	}
	return a.shelf.Read(ctx, p, from)
}

// TestAStoreThatIsLostIsWaitedForOnce is about stores each of whose questions takes a minute
// then: what is said at once by a snapshot is not asked of all events.
func TestAStoreThatIsLostIsWaitedForOnce(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *away) func() error{
		"resumed": func(ctx context.Context, log *away) func() error {
			return func() error { _, err := Resume(ctx, log, "p"); return err }
		},
		"followed": func(ctx context.Context, log *away) func() error {
			f := Follow(log, "p")
			if _, err := f.Now(ctx); err != nil {
				t.Fatal(err)
			}
			return func() error { _, err := f.Now(ctx); return err }
		},
		"read on": func(ctx context.Context, log *away) func() error {
			b, err := Glance(ctx, log, "p")
			if err != nil {
				t.Fatal(err)
			}
			return func() error { return b.ReadAll(ctx) }
		},
	} {
		for _, lost := range []error{record.ErrUnreachable, record.ErrRefused, record.ErrClosed, context.Canceled, context.DeadlineExceeded} {
			events := longStory(t)
			snapshot := replayed(t, events).pack(nil)
			log := &away{shelf: &shelf{events: events, kept: &snapshot}}
			again := ask(t.Context(), log)
			log.err = fmt.Errorf("reading a snapshot in the record: %w", lost)
			if err := again(); !errors.Is(err, lost) || log.asked != 1 {
				t.Errorf("%s, %v: it was asked %d times, and the error is %v", name, lost, log.asked, err)
			}
			log.err = nil
			if err := again(); err != nil {
				t.Errorf("%s: once it is back: %v", name, err)
			}
		}
	}
}

func TestASnapshotThatDoesNotReadIsReplacedByTheEvents(t *testing.T) {
	for _, amiss := range []error{record.ErrNone, record.ErrDamaged, errors.New("a part has another sum")} {
		events := longStory(t)
		log := &unread{&shelf{events: events}, amiss}
		if b, err := Resume(t.Context(), log, "p"); err != nil || b.Seq != record.Seq(len(events)) {
			t.Errorf("%v: %v", amiss, err)
		}
	}
}

// unread is a shelf whose snapshot does not read.
type unread struct {
	*shelf
	err error
}

func (u *unread) Kept(context.Context, record.Partition, string, ...string) (record.Snapshot, error) {
	return record.Snapshot{}, u.err
}
