package board

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"torve/internal/record"
)

// Resume is the board of a partition as it is now: from the snapshot that its store keeps
// and the events since, else from all events. The snapshot answers only where it is of this
// Form and the record's event at its seq has its hash; anything amiss with it, and the events
// do. A store that is lost is waited for once: its error is the answer.
func Resume(ctx context.Context, log record.Log, p record.Partition) (*Board, error) {
	b, err := Glance(ctx, log, p)
	if err == nil {
		err = b.ReadAll(ctx)
	}
	return b, err
}

// Glance is Resume for who asks more of a few tasks alone: of what has landed it may give a
// mark, which Board.Read makes a whole task.
func Glance(ctx context.Context, log record.Log, p record.Partition) (*Board, error) {
	b, _, err := glance(ctx, log, p)
	return b, err
}

// glance also gives what has changed since the snapshot that served; nil when none did.
func glance(ctx context.Context, log record.Log, p record.Partition) (*Board, changes, error) {
	if store, keeps := log.(record.Snapshots); keeps {
		k := &kept{log: log, store: store, partition: p}
		if b, changed, err := k.open(ctx); err == nil || record.Lost(err) {
			return b, changed, err
		}
	}
	b, err := Fold(log.Read(ctx, p, 1))
	return b, nil, err
}

// errStale says that a snapshot is not of the events that are there.
var errStale = errors.New("the snapshot is not of this record")

// kept is where a board's tasks lie of which it has a mark.
type kept struct {
	log       record.Log
	store     record.Snapshots
	partition record.Partition
	seq       record.Seq // of the snapshot that was opened
	lent      bool       // others hold the map of tasks, too
}

// open reads the board of the snapshot at a glance, and applies what has come since.
func (k *kept) open(ctx context.Context) (*Board, changes, error) {
	s, err := k.store.Kept(ctx, k.partition, snapshotName, indexPart, marksBelow)
	if err != nil {
		return nil, nil, err
	}
	if s.Form != Form || s.Seq == 0 {
		return nil, nil, errStale
	}
	b, err := unpack(s)
	if err != nil {
		return nil, nil, err
	}
	k.seq, b.kept = s.Seq, k
	changed, err := b.goOn(ctx, k.log.Read(ctx, k.partition, k.seq))
	return b, changed, err
}

// goOn applies what has come since. The events begin with the snapshot's last.
func (b *Board) goOn(ctx context.Context, events iter.Seq2[record.Event, error]) (changes, error) {
	changed, first := changes{}, true
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if first && (e.Seq != b.Seq || e.Hash != b.Hash) {
			return nil, errStale
		}
		if !first {
			ids := touched(e)
			if err := b.Read(ctx, ids...); err != nil {
				return nil, err
			}
			changed.of(b, ids)
			if err := b.Apply(e); err != nil {
				return nil, err
			}
			changed.of(b, ids)
		}
		first = false
	}
	if first {
		return nil, errStale // the record is shorter
	}
	return changed, nil
}

// touched are the tasks that an event changes: its own, and what its landing reverts.
func touched(e record.Event) []string {
	var ids []string
	if e.Task != "" {
		ids = append(ids, e.Task)
	}
	if e.Kind == record.KindLanded {
		if p, err := record.Decode(e); err == nil {
			ids = append(ids, p.(record.Landed).Reverts...)
		}
	}
	return ids
}

// CheckSnapshot asks that the snapshot that a store keeps of a partition, where there is one
// of this Form, is what all events up to its last come to. The error says what is wrong with
// it; nothing that it says is ever believed then.
func CheckSnapshot(ctx context.Context, log record.Log, p record.Partition) error {
	store, keeps := log.(record.Snapshots)
	if !keeps {
		return nil
	}
	s, err := store.Kept(ctx, p, snapshotName)
	if errors.Is(err, record.ErrNone) || err == nil && s.Form != Form {
		return nil
	}
	if err != nil {
		return err
	}
	b, err := upTo(ctx, log, p, s.Seq)
	if err != nil {
		return err
	}
	if err := b.is(s); err != nil {
		return fmt.Errorf("the snapshot of the board at event %d is not what the events come to: %w", s.Seq, err)
	}
	return nil
}

// upTo is the board of all events up to one.
func upTo(ctx context.Context, log record.Log, p record.Partition, last record.Seq) (*Board, error) {
	return Fold(func(yield func(record.Event, error) bool) {
		for e, err := range log.Read(ctx, p, 1) {
			if err == nil && e.Seq > last || !yield(e, err) {
				return
			}
		}
	})
}

// is asks that a snapshot says of the board what the board is: at a glance, and whole.
func (b *Board) is(s record.Snapshot) error {
	got, err := unpack(s)
	if err != nil {
		return err
	}
	for id, t := range got.Tasks {
		if w := b.Tasks[id]; t.mark != nil && (w == nil || !t.marks(w) || *t.mark != markOf(w)) {
			return fmt.Errorf("its mark of %s: %w", id, errStale)
		}
	}
	for _, name := range below(s.Parts, tasksBelow) {
		tasks, err := unpackTasks(s.Parts[name])
		if err != nil {
			return err
		}
		for i := range tasks {
			if t := &tasks[i]; name == partOf(t) {
				got.Tasks[t.ID] = t
			}
		}
	}
	if !reflect.DeepEqual(*got, *b) {
		return errStale
	}
	return nil
}
