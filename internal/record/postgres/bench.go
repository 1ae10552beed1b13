package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// bench is an append of rows that no event carries, to one table of a partition that has no
// event.
type bench struct {
	p    record.Partition
	rows int              // how many they are
	last string           // asks the id of the table's last row in the partition
	put  func(*pgx.Batch) // queues what writes them

	first int64  // the id of the first of them
	sent  string // the transaction whose commit was sent, "" for none
}

// bench writes the rows in one transaction, and gives the first one's id. Unlike an event a
// row has no id by which a second one would be known, so that an append whose connection was
// lost in its commit asks the server first what became of that transaction.
func (l *Log) bench(ctx context.Context, b bench) (first int64, err error) {
	if l.write == nil {
		return 0, record.ErrReadOnly
	}
	if b.rows == 0 {
		return 0, l.usable()
	}
	if err := l.take(ctx); err != nil {
		return 0, err
	}
	defer func() { <-l.write }()
	err = l.with(ctx, b.do)
	switch {
	case err == nil:
		return b.first, nil
	case errors.Is(err, record.ErrCarried):
		return 0, err
	case b.sent != "" && lost(err):
		err = fmt.Errorf("whether it was written is not known: %w", err)
	}
	return 0, fault("writing", l.where, err)
}

// do is one transaction, begun and asked in the first round trip, written and committed in the
// second.
func (b *bench) do(ctx context.Context, c *pgx.Conn) error {
	var events record.Seq
	var last int64
	var id, became string
	asks := &pgx.Batch{}
	asks.Queue(begin)
	asks.Queue(found, string(b.p))
	asks.Queue(hold, string(b.p)).QueryRow(func(row pgx.Row) error { return row.Scan(&events) })
	// What was sent before held the partition, and by now has come to its end.
	asks.Queue(`SELECT pg_current_xact_id()::text, coalesce(pg_xact_status(nullif($1, '')::xid8), '')`, b.sent).
		QueryRow(func(row pgx.Row) error { return row.Scan(&id, &became) })
	asks.Queue(b.last, string(b.p)).QueryRow(func(row pgx.Row) error { return row.Scan(&last) })
	err := c.SendBatch(ctx, asks).Close()
	if err == nil && events != 0 && became != "committed" {
		err = fmt.Errorf("%s holds %d events: %w", b.p, events, record.ErrCarried)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answered)
	defer cancel()
	if err != nil || became == "committed" {
		c.Exec(ctx, "ROLLBACK") //nolint:errcheck // a connection that is not rolled back is not used again
		return err
	}
	b.first, b.sent = last+1, id
	writes := &pgx.Batch{}
	b.put(writes)
	return commit(ctx, c, writes, b.p, record.Seq(last)+record.Seq(b.rows))
}

// eventful asks of a partition without events, which is held, that it may have some: that it
// is no bench's.
func eventful(ctx context.Context, c *pgx.Conn, p record.Partition) error {
	var bench bool
	// By their ends, so that nothing but an index will do.
	err := c.QueryRow(ctx, `SELECT coalesce((SELECT id FROM proposal WHERE partition = $1 ORDER BY id LIMIT 1),
		(SELECT id FROM memory WHERE partition = $1 ORDER BY id LIMIT 1)) IS NOT NULL`, string(p)).Scan(&bench)
	if err == nil && bench {
		return fmt.Errorf("%s takes no event: %w", p, record.ErrBench)
	}
	return err
}
