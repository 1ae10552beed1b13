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
// Form and the record's event at its seq has its hash; anything amiss, and the events do.
func Resume(ctx context.Context, log record.Log, p record.Partition) (*Board, error) {
	b, _, err := resume(ctx, log, p, false)
	return b, err
}

// Glance is Resume for who shows a board: of what has landed it may give an outline, which
// is there once ReadOutlines has read it.
func Glance(ctx context.Context, log record.Log, p record.Partition) (*Board, error) {
	b, _, err := resume(ctx, log, p, true)
	return b, err
}

// resume also gives the seq of the snapshot that served; 0 when none did.
func resume(ctx context.Context, log record.Log, p record.Partition, glance bool) (*Board, record.Seq, error) {
	if store, keeps := log.(record.Snapshots); keeps {
		k := keptBoard{store: store, partition: p}
		if k.load(ctx, glance) == nil {
			b, err := k.goOn(ctx, log.Read(ctx, p, k.seq))
			if err == nil {
				return b, k.seq, nil
			}
		}
	}
	b, err := Fold(log.Read(ctx, p, 1))
	return b, 0, err
}

// errStale says that a snapshot is not of the events that are there.
var errStale = errors.New("the snapshot is not of this record")

// keptBoard is a board that was read from a snapshot.
type keptBoard struct {
	store     record.Snapshots
	partition record.Partition
	seq       record.Seq
	b         *Board
}

func (k *keptBoard) load(ctx context.Context, glance bool) error {
	var parts []string
	if glance {
		parts = []string{indexPart}
	}
	s, err := k.store.Kept(ctx, k.partition, snapshotName, parts...)
	if err != nil {
		return err
	}
	if s.Form != Form || s.Seq == 0 {
		return errStale
	}
	if k.b, err = unpack(s); err != nil {
		return err
	}
	k.seq = s.Seq
	if glance {
		return nil
	}
	return k.b.fillAll(s)
}

// goOn applies what has come since. The events begin with the snapshot's last.
func (k *keptBoard) goOn(ctx context.Context, events iter.Seq2[record.Event, error]) (*Board, error) {
	first := true
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if first && (e.Seq != k.seq || e.Hash != k.b.Hash) {
			return nil, errStale
		}
		first = false
		err := k.b.Apply(e)
		if out := (*outlineError)(nil); errors.As(err, &out) {
			if err = k.fill(ctx, out.task); err == nil {
				err = k.b.Apply(e)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if first {
		return nil, errStale // the record is shorter
	}
	return k.b, nil
}

// fill reads the part that holds a task whole; a snapshot that was replaced meanwhile holds
// another's.
func (k *keptBoard) fill(ctx context.Context, task string) error {
	part := partOf(k.b.Tasks[task])
	s, err := k.store.Kept(ctx, k.partition, snapshotName, part)
	if err != nil {
		return err
	}
	if s.Form != Form || s.Seq != k.seq {
		return errStale
	}
	return k.b.fillOne(s.Parts[part], task)
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
	glanced, err := unpack(s)
	if err == nil {
		err = glanced.ReadAllOutlines()
	}
	var kept *Board
	if err == nil {
		kept, err = unpack(s)
	}
	if err == nil {
		err = kept.fillAll(s)
	}
	if err != nil {
		return fmt.Errorf("reading the snapshot of the board: %w", err)
	}
	var b Board
	for e, err := range log.Read(ctx, p, 1) {
		if err != nil {
			return err
		}
		if e.Seq > s.Seq {
			break
		}
		if err := b.Apply(e); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(*kept, b) || !glanced.outlines(&b) {
		return fmt.Errorf("the snapshot of the board at event %d is not what the events come to: %w", s.Seq, errStale)
	}
	return nil
}

// outlines reports whether the outlines on a board are those of the tasks of another.
func (b *Board) outlines(whole *Board) bool {
	for id, t := range b.Tasks {
		if w := whole.Tasks[id]; t.outline && (w == nil || !reflect.DeepEqual(t, outlineOf(w))) {
			return false
		}
	}
	return true
}
