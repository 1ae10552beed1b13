package sqlite

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"torve/internal/record"
)

// Read yields events a page at a time; between pages nothing is held.
func (l *Log) Read(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return record.Pages(l.page).Read(ctx, p, from)
}

// Watch is Read, and then asks again every pause until ctx ends.
func (l *Log) Watch(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return record.Pages(l.page).Watch(ctx, p, from, func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.done:
			return record.ErrClosed
		case <-time.After(pause):
			return nil
		}
	})
}

// page fetches rows from a seq on, and whether there may be more.
func (l *Log) page(ctx context.Context, p record.Partition, from record.Seq) (rows []record.Stored, more bool, err error) {
	if err := l.usable(); err != nil {
		return nil, false, err
	}
	err = l.rows.query(ctx, func(db *sql.DB) error {
		rows, more, err = fetch(ctx, db, p, from)
		return err
	})
	return rows, more, fault("reading", l.path, err)
}

func fetch(ctx context.Context, db *sql.DB, p record.Partition, from record.Seq) ([]record.Stored, bool, error) {
	rows, err := db.QueryContext(ctx, `SELECT seq, prev, hash, body, id, task, kind, claim
		FROM event WHERE partition = ? AND seq >= ? ORDER BY seq LIMIT ?`, string(p), int64(from), record.PageRows)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	var got []record.Stored
	for size := 0; rows.Next(); {
		var r record.Stored
		if err := rows.Scan(&r.Seq, &r.Prev, &r.Hash, &r.Body, &r.ID, &r.Task, &r.Kind, &r.Claim); err != nil {
			return nil, false, err
		}
		got = append(got, r)
		if size += len(r.Body); size > record.PageBytes {
			return got, true, nil
		}
	}
	return got, len(got) == record.PageRows, rows.Err()
}
