package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

var _ record.Imports = (*Log)(nil)

// imported is how long an import may be waited for: the source of its events may be a pipe,
// and at the commit the store asks once more of every event that the counter knows it.
const imported = 10 * time.Minute

// Import copies the events in, a page at a time, in one transaction that holds the partition.
// The counter is moved once, at the end. An error of the events comes back as it is.
func (l *Log) Import(ctx context.Context, p record.Partition, events iter.Seq2[record.Event, error]) (record.Seq, error) {
	if l.write == nil {
		return 0, record.ErrReadOnly
	}
	if err := l.take(ctx); err != nil {
		return 0, err
	}
	defer func() { <-l.write }()
	if err := l.usable(); err != nil {
		return 0, err
	}
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		return 0, fault("filling", l.where, err)
	}
	f := filling{conn: c.Conn(), p: p}
	err = f.fill(ctx, events)
	if err != nil && !f.sent {
		f.undo(ctx)
	}
	c.Release()
	if f.sent && err != nil && lost(err) {
		err = l.stands(ctx, f, err)
	}
	switch {
	case err == nil:
		return f.last.Seq, nil
	case f.theirs != nil:
		return 0, f.theirs
	case errors.Is(err, record.ErrNotEmpty), errors.Is(err, record.ErrBench):
		return 0, err
	}
	return 0, fault("filling", l.where, err)
}

// filling is one import, over one connection.
type filling struct {
	conn   *pgx.Conn
	p      record.Partition
	last   record.Event
	theirs error // the events' own, not the store's
	sent   bool  // the commit was sent: it may have been done
}

func (f *filling) fill(ctx context.Context, events iter.Seq2[record.Event, error]) error {
	if err := f.begin(ctx); err != nil {
		return err
	}
	var page []record.Entry
	size := 0
	for e, err := range record.Chained(events) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			f.theirs = err
			return err
		}
		page, size = append(page, e), size+len(e.Bytes)
		if len(page) < record.PageRows && size < record.PageBytes {
			continue
		}
		if err := f.copy(ctx, page); err != nil {
			return err
		}
		page, size = page[:0], 0
	}
	if err := f.copy(ctx, page); err != nil {
		return err
	}
	return f.commit(ctx)
}

// undo lets go of the partition. A connection that does not hear it is not used again.
func (f *filling) undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connecting)
	defer cancel()
	f.conn.Exec(ctx, "ROLLBACK") //nolint:errcheck // the first error is the one to tell
}

// begin takes the partition, which must have no event.
func (f *filling) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answered)
	defer cancel()
	var there record.Seq
	b := &pgx.Batch{}
	b.Queue(begin)
	b.Queue(fmt.Sprintf("SET LOCAL idle_in_transaction_session_timeout = %d", imported.Milliseconds()))
	b.Queue(fmt.Sprintf("SET LOCAL statement_timeout = %d", imported.Milliseconds()))
	b.Queue(found, string(f.p))
	b.Queue(hold, string(f.p)).QueryRow(func(row pgx.Row) error { return row.Scan(&there) })
	if err := f.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	if there != 0 {
		return fmt.Errorf("%s holds %d events: %w", f.p, there, record.ErrNotEmpty)
	}
	return eventful(ctx, f.conn, f.p)
}

// copy inserts a page of events, each of which the store asks for its place and its hash, and
// the rows of the ledger that they carry.
func (f *filling) copy(ctx context.Context, page []record.Entry) error {
	if len(page) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answered)
	defer cancel()
	rows, ledger := make([][]any, len(page)), &pgx.Batch{}
	for i, e := range page {
		rows[i] = []any{string(f.p), int64(e.Seq), e.ID, string(e.Kind), e.Task, e.Claim, e.Bytes, e.Prev, e.Hash}
		row, err := record.ProposalOf(e.Event)
		if err != nil {
			return err
		}
		if row != nil {
			ledger.Queue(propose, columns(f.p, *row)...)
		}
	}
	_, err := f.conn.CopyFrom(ctx, pgx.Identifier{"event"},
		[]string{"partition", "seq", "id", "kind", "task", "claim", "body", "prev", "hash"}, pgx.CopyFromRows(rows))
	if err != nil {
		return err
	}
	f.last = page[len(page)-1].Event
	if ledger.Len() == 0 {
		return nil
	}
	return f.conn.SendBatch(ctx, ledger).Close()
}

// commit moves the counter to the last event, and tells who watches.
func (f *filling) commit(ctx context.Context) error {
	b := &pgx.Batch{}
	b.Queue("UPDATE partition SET seq = $2, prev = $3, hash = $4 WHERE partition = $1 AND $2 > 0",
		string(f.p), int64(f.last.Seq), f.last.Prev, f.last.Hash)
	f.sent = true
	// From here on it ends or the connection is lost: breaking it off would leave the outcome
	// unknown.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), imported)
	defer cancel()
	return commit(ctx, f.conn, b, f.p, f.last.Seq)
}

// stands asks, after the connection was lost in the commit, whether it was done: nil where the
// last event is there, else the error as it was. It waits for a commit that is under way.
func (l *Log) stands(ctx context.Context, f filling, was error) error {
	there := false
	err := l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		b := &pgx.Batch{}
		b.Queue(begin)
		b.Queue(found, string(f.p))
		b.Queue(hold, string(f.p))
		b.Queue("SELECT EXISTS (SELECT FROM event WHERE partition = $1 AND seq = $2 AND hash = $3)",
			string(f.p), int64(f.last.Seq), f.last.Hash).QueryRow(func(row pgx.Row) error { return row.Scan(&there) })
		b.Queue("ROLLBACK")
		return c.SendBatch(ctx, b).Close()
	})
	switch {
	case err != nil:
		return fmt.Errorf("whether it was written is not known: %w", err)
	case there:
		return nil
	}
	return was
}
