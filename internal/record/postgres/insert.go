package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/failpoint"
	"torve/internal/record"
)

// One statement inserts events and moves the partition's end: seq, prev and hash are computed
// here, over the very bytes (R2, R3).
const insertEvents = `WITH RECURSIVE chain AS (
	SELECT 0 AS n, seq, prev, hash FROM partition WHERE partition = $1
	UNION ALL SELECT n + 1, seq + 1, hash,
		encode(sha256(decode(hash, 'hex') || int8send(seq + 1) || ($6::bytea[])[n + 1]), 'hex') COLLATE "C"
	FROM chain WHERE n < cardinality($6::bytea[])
), moved AS (
	UPDATE partition SET seq = c.seq, prev = c.prev, hash = c.hash FROM chain c
	WHERE partition.partition = $1 AND c.n = cardinality($6::bytea[])
) INSERT INTO event (partition, seq, id, kind, task, claim, body, prev, hash)
	SELECT $1, seq, ($2::text[])[n], ($3::text[])[n], ($4::text[])[n], ($5::text[])[n], ($6::bytea[])[n], prev, hash
	FROM chain WHERE n > 0 ORDER BY n RETURNING seq`

// most is how many events one statement inserts.
const most = 100

// insert writes the new events after a log's last, and commits.
func (w writing) insert(ctx context.Context, c *pgx.Conn, fresh []int, after record.Seq) (last record.Seq, err error) {
	b := &pgx.Batch{}
	for some := range slices.Chunk(fresh, most) {
		if err := w.put(b, some, &last); err != nil {
			return 0, err
		}
	}
	return last, commit(ctx, c, b, w.p, after+record.Seq(len(fresh)))
}

// put queues what some events write: themselves, and the rows of the ledger that they carry.
func (w writing) put(b *pgx.Batch, some []int, last *record.Seq) error {
	var ids, kinds, tasks, claims []string
	var bodies [][]byte
	var ledger []record.Proposal
	for _, i := range some {
		e := w.events[i]
		ids, kinds, tasks, claims = append(ids, e.ID), append(kinds, string(e.Kind)), append(tasks, e.Task), append(claims, e.Claim)
		bodies = append(bodies, w.bodies[i])
		row, err := record.ProposalOf(e)
		if err != nil {
			return err
		}
		if row != nil {
			ledger = append(ledger, *row)
		}
	}
	b.Queue(insertEvents, string(w.p), ids, kinds, tasks, claims, bodies).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{last}, func() error { return nil })
		return err
	})
	for _, row := range ledger {
		b.Queue(propose, columns(w.p, row)...)
	}
	return nil
}

// commit sends what is to be written and its commit in one message, and tells who watches.
// What others are told is no part of the transaction: a queue that is full fails no append.
// size is the partition's, with what is written.
func commit(ctx context.Context, c *pgx.Conn, b *pgx.Batch, p record.Partition, size record.Seq) error {
	replan(b, c, size) // before what the guards ask at the commit
	done := false
	b.Queue("COMMIT").Exec(func(tag pgconn.CommandTag) error {
		done = tag.String() == "COMMIT"
		return nil
	})
	tell(b, p)
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
