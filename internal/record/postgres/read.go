package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// Read yields events a page at a time; between pages nothing is held. After a lost connection
// it goes on from the event that comes next.
func (l *Log) Read(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return record.Pages(l.page).Read(ctx, p, from)
}

// page fetches rows from a seq on, and whether there may be more.
func (l *Log) page(ctx context.Context, p record.Partition, from record.Seq) (rows []record.Stored, more bool, err error) {
	err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, more, err = fetch(ctx, c, p, from)
		return err
	})
	return rows, more, fault("reading", l.where, err)
}

// onePage ends in the server where it ends here: no body is sent that nobody reads.
const onePage = `SELECT seq, prev, hash, body, id, task, kind, claim FROM (
		SELECT *, sum(octet_length(body)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) - octet_length(body) AS before
		FROM event WHERE partition = $1 AND seq >= $2 ORDER BY seq LIMIT $3
	) page WHERE before <= $4 ORDER BY seq`

func fetch(ctx context.Context, c *pgx.Conn, p record.Partition, from record.Seq) ([]record.Stored, bool, error) {
	rows, err := c.Query(ctx, onePage, string(p), int64(from), record.PageRows, record.PageBytes)
	if err != nil {
		return nil, false, err
	}
	size := 0
	got, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r record.Stored, err error) {
		err = row.Scan(&r.Seq, &r.Prev, &r.Hash, &r.Body, &r.ID, &r.Task, &r.Kind, &r.Claim)
		size += len(r.Body)
		return r, err
	})
	return got, len(got) == record.PageRows || size > record.PageBytes, err
}
