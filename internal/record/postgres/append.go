package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/failpoint"
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
	var last record.Seq
	err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		last, err = add(ctx, c, p, cond, events, bodies)
		return err
	})
	if errors.Is(err, record.ErrMoved) || errors.Is(err, record.ErrTaken) {
		return 0, err
	}
	if err != nil {
		return 0, fault("writing", l.where, err)
	}
	failpoint.Hit(failpoint.RecordCommitted)
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

// add is one transaction: begun and asked in the first round trip, written and committed in
// the second.
func add(ctx context.Context, c *pgx.Conn, p record.Partition, cond record.Cond, events []record.Event, bodies [][]byte) (record.Seq, error) {
	f, err := ask(ctx, c, p, cond, events)
	var fresh []int
	var last record.Seq
	if err == nil {
		fresh, last, err = allowed(f, cond, events, bodies)
	}
	// From here on it ends or the connection is lost: breaking it off would leave the outcome
	// unknown.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answered)
	defer cancel()
	if err != nil || len(fresh) == 0 {
		c.Exec(ctx, "ROLLBACK") //nolint:errcheck // a connection that is not rolled back is not used again
		return last, err
	}
	failpoint.Hit(failpoint.RecordInserted) // what is inserted goes with its commit, in one message
	return insert(ctx, c, p, events, bodies, fresh)
}

// allowed gives the events that are new, by their place, and where the log stands without
// them; record.ErrMoved when they may not be written.
func allowed(f *facts, cond record.Cond, events []record.Event, bodies [][]byte) (fresh []int, last record.Seq, err error) {
	last = f.len
	for i, e := range events {
		was, there := f.there[e.ID]
		switch {
		case !there:
			fresh = append(fresh, i)
		case !bytes.Equal(was.Body, bodies[i]):
			return nil, 0, fmt.Errorf("event %s: %w", e.ID, record.ErrTaken)
		default:
			last = was.Seq
		}
	}
	if len(events) > 0 && len(fresh) == 0 {
		return nil, last, nil // a retry: written before
	}
	if err := cond.Holds(f); err != nil {
		return nil, 0, err
	}
	for _, i := range fresh {
		if err := record.Open(f, events[i]); err != nil {
			return nil, 0, err
		}
		f.add(events[i])
	}
	return fresh, f.len, nil
}

// One statement moves the partition's end and inserts: seq, prev and hash are computed here,
// over the very bytes (R2, R3).
const insertEvent = `WITH moved AS (
	UPDATE partition SET seq = seq + 1, prev = hash,
		hash = encode(sha256(decode(hash, 'hex') || int8send(seq + 1) || $6::bytea), 'hex')
	WHERE partition = $1 RETURNING seq, prev, hash
) INSERT INTO event (partition, seq, id, kind, task, claim, body, prev, hash)
	SELECT $1, seq, $2, $3, $4, $5, $6, prev, hash FROM moved RETURNING seq`

// insert writes and commits, and tells who watches. What others are told is no part of the
// transaction: a queue that is full fails no append.
func insert(ctx context.Context, c *pgx.Conn, p record.Partition, events []record.Event, bodies [][]byte, fresh []int) (last record.Seq, err error) {
	b, done := &pgx.Batch{}, false
	for _, i := range fresh {
		if err := put(b, p, events[i], bodies[i], &last); err != nil {
			return 0, err
		}
	}
	b.Queue("COMMIT").Exec(func(tag pgconn.CommandTag) error {
		done = tag.String() == "COMMIT"
		return nil
	})
	tell(b, p)
	if err = c.SendBatch(ctx, b).Close(); done {
		return last, nil
	}
	if err == nil {
		err = errors.New("the transaction was rolled back")
	}
	return 0, err
}

// put queues what one event writes: itself, and the row of the ledger that it carries.
func put(b *pgx.Batch, p record.Partition, e record.Event, body []byte, last *record.Seq) error {
	b.Queue(insertEvent, string(p), e.ID, string(e.Kind), e.Task, e.Claim, body).QueryRow(func(row pgx.Row) error {
		return row.Scan(last)
	})
	carried, err := record.ProposalOf(e)
	if err == nil && carried != nil {
		b.Queue(propose, columns(p, *carried)...)
	}
	return err
}
