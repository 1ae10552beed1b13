package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"torve/internal/record"
)

var _ record.Imports = (*Log)(nil)

// Import inserts in one transaction, which other writers of the file wait for. An error of
// the events comes back as it is: it is not the store's.
func (l *Log) Import(ctx context.Context, p record.Partition, events iter.Seq2[record.Event, error]) (record.Seq, error) {
	if l.write == nil {
		return 0, record.ErrReadOnly
	}
	w, err := l.take(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { l.write <- w }()
	var last record.Seq
	var theirs error
	err = w.transact(ctx, func() error {
		last, err = w.fill(p, func(yield func(record.Entry, error) bool) {
			for e, err := range record.Chained(events) {
				if err == nil {
					err = ctx.Err()
				}
				theirs = err
				if !yield(e, err) {
					return
				}
			}
		})
		return err
	})
	switch {
	case err == nil:
		return last, nil
	case theirs != nil:
		return 0, theirs
	case errors.Is(err, record.ErrNotEmpty), errors.Is(err, record.ErrBench):
		return 0, err
	}
	return 0, fault("filling", l.path, err)
}

// fill is the transaction's inside.
func (w *writer) fill(p record.Partition, entries iter.Seq2[record.Entry, error]) (record.Seq, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	last, hash, err := w.tail(p)
	if err != nil {
		return 0, err
	}
	if last != 0 {
		return 0, fmt.Errorf("%s holds %d events: %w", p, last, record.ErrNotEmpty)
	}
	if err := w.eventful(p); err != nil {
		return 0, err
	}
	for e, err := range entries {
		if err != nil {
			return 0, err
		}
		if hash, err = w.put(p, e.Seq, hash, e.Event, e.Bytes); err != nil {
			return 0, err
		}
		last = e.Seq
	}
	return last, nil
}
