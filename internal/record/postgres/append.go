package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// Append asks authority and wholeness before the store, then everything else inside one
// transaction of two round trips: who is at the partition's end holds it, asks what is there,
// and then writes. An append whose connection was lost is done again: written or not, the
// ids of its events make that harmless.
func (l *Log) Append(ctx context.Context, p record.Partition, cond record.Cond, events ...record.Event) (record.Seq, error) {
	if l.write == nil {
		return 0, record.ErrReadOnly
	}
	if err := record.Admit(events...); err != nil {
		return 0, err
	}
	bodies, err := record.Bodies(events)
	if err != nil {
		return 0, err
	}
	if err := l.take(ctx); err != nil {
		return 0, err
	}
	defer func() { <-l.write }()
	w := writing{p, cond, events, bodies}
	var last record.Seq
	err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		last, err = w.do(ctx, c)
		return err
	})
	if errors.Is(err, record.ErrMoved) || errors.Is(err, record.ErrTaken) || errors.Is(err, record.ErrBench) {
		return 0, err
	}
	if err != nil {
		return 0, fault("writing", l.where, err)
	}
	return last, nil
}

// take waits for a place among the appends of this process.
func (l *Log) take(ctx context.Context) error {
	select {
	case l.write <- struct{}{}:
		return nil
	case <-l.done:
		return record.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writing is one append.
type writing struct {
	p      record.Partition
	cond   record.Cond
	events []record.Event
	bodies [][]byte
}

// do is one transaction: begun and asked in the first round trip, written and committed in
// the second.
func (w writing) do(ctx context.Context, c *pgx.Conn) (record.Seq, error) {
	f, err := ask(ctx, c, w)
	var fresh []int
	var last record.Seq
	if err == nil {
		fresh, last, err = w.allowed(f)
	}
	if err == nil && len(fresh) > 0 && f.len == 0 {
		err = eventful(ctx, c, w.p)
	}
	// From here on it ends or the connection is lost: breaking it off would leave the outcome
	// unknown.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answered)
	defer cancel()
	if err != nil || len(fresh) == 0 {
		c.Exec(ctx, "ROLLBACK") //nolint:errcheck // a connection that is not rolled back is not used again
		return last, err
	}
	return w.insert(ctx, c, fresh, last)
}

// allowed gives the events that are new, by their place, and the seq to answer without them:
// of a retry the one from before, else the log's last. record.ErrMoved where they may not be
// written.
func (w writing) allowed(f *facts) (fresh []int, last record.Seq, err error) {
	for i, e := range w.events {
		was, there := f.there[e.ID]
		switch {
		case !there:
			fresh = append(fresh, i)
		case !bytes.Equal(was.Body, w.bodies[i]):
			return nil, 0, fmt.Errorf("event %s of %s: %w", e.ID, w.p, record.ErrTaken)
		default:
			last = was.Seq
		}
	}
	if len(w.events) > 0 && len(fresh) == 0 {
		return nil, last, nil // a retry: written before
	}
	if err := w.cond.Holds(f); err != nil {
		return nil, 0, err
	}
	for _, i := range fresh {
		if err := record.Open(f, w.events[i]); err != nil {
			return nil, 0, err
		}
		f.add(w.events[i])
	}
	return fresh, f.len, nil
}
