package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/failpoint"
	"torve/internal/record"
)

// One statement moves the partition's end and inserts: seq, prev and hash are computed here,
// over the very bytes (R2, R3).
const insertEvent = `WITH moved AS (
	UPDATE partition SET seq = seq + 1, prev = hash,
		hash = encode(sha256(decode(hash, 'hex') || int8send(seq + 1) || $6::bytea), 'hex')
	WHERE partition = $1 RETURNING seq, prev, hash
) INSERT INTO event (partition, seq, id, kind, task, claim, body, prev, hash)
	SELECT $1, seq, $2, $3, $4, $5, $6, prev, hash FROM moved RETURNING seq`

// insert writes the new events after the log's last, and commits.
func (w writing) insert(ctx context.Context, c *pgx.Conn, fresh []int, after record.Seq) (last record.Seq, err error) {
	b := &pgx.Batch{}
	for _, i := range fresh {
		if err := put(b, w.p, w.events[i], w.bodies[i], &last); err != nil {
			return 0, err
		}
	}
	return last, commit(ctx, c, b, w.p, after)
}

// commit sends what is to be written and its commit in one message, and tells who watches.
// What others are told is no part of the transaction: a queue that is full fails no append.
func commit(ctx context.Context, c *pgx.Conn, b *pgx.Batch, p record.Partition, size record.Seq) error {
	done := false
	b.Queue("COMMIT").Exec(func(tag pgconn.CommandTag) error {
		done = tag.String() == "COMMIT"
		return nil
	})
	tell(b, p)
	replan(b, c, size)
	failpoint.Hit(failpoint.RecordInserted)
	if err := c.SendBatch(ctx, b).Close(); err != nil && !done {
		return err
	}
	if !done {
		return errors.New("the transaction was rolled back")
	}
	failpoint.Hit(failpoint.RecordCommitted)
	return nil
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

// replan has a connection forget its plans when the partition is several times what it was
// when they were made: each statement is planned once, and a plan for a small table may walk
// the whole of it. Later on the server itself sees to it, as often as it analyzes the table.
func replan(b *pgx.Batch, c *pgx.Conn, size record.Seq) {
	const planned = "torve planned at"
	if at, _ := c.PgConn().CustomData()[planned].(record.Seq); size >= 4*at+64 {
		c.PgConn().CustomData()[planned] = size
		b.Queue("DISCARD PLANS")
	}
}
