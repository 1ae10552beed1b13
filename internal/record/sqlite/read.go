package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"torve/internal/record"
)

// Read yields events a page at a time; between pages nothing is held.
func (l *Log) Read(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		_, err := l.pages(ctx, p, max(from, 1), yield)
		if err != nil {
			yield(record.Event{}, err)
		}
	}
}

// Watch is Read, and then asks again every pause until ctx ends.
func (l *Log) Watch(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		next, err := max(from, 1), error(nil)
		for {
			if next, err = l.pages(ctx, p, next, yield); next == 0 || ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(record.Event{}, err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-l.done:
				yield(record.Event{}, record.ErrClosed)
				return
			case <-tick.C:
			}
		}
	}
}

// pages yields what there is from next on, and gives where to go on; 0 when the
// consumer has had enough. A place where the seqs have a gap is an error: what comes
// after it is not the record.
func (l *Log) pages(ctx context.Context, p record.Partition, next record.Seq, yield func(record.Event, error) bool) (record.Seq, error) {
	hash := "" // of the event before; not known where the reading begins
	for {
		rows, more, err := l.page(ctx, p, next)
		if err != nil {
			return next, err
		}
		for _, row := range rows {
			if row.Seq != next {
				return next, &record.Broken{Rule: "R2", Seq: row.Seq, Why: fmt.Sprintf("event %d is missing before it", next)}
			}
			if err := row.Follows(hash); err != nil {
				return next, err
			}
			e, err := event(p, row)
			if err != nil {
				return next, err
			}
			hash = row.Hash
			if next++; !yield(e, nil) {
				return 0, nil
			}
		}
		if !more {
			return next, nil
		}
	}
}

func event(p record.Partition, row record.Stored) (record.Event, error) {
	e, err := record.ParseBody(row.Body)
	if err != nil {
		return e, &record.Broken{Rule: "R6", Seq: row.Seq, Why: err.Error()}
	}
	if err := row.Says(e); err != nil {
		return e, &record.Broken{Rule: "R6", Seq: row.Seq, Why: err.Error()}
	}
	e.Partition, e.Seq, e.Prev, e.Hash = p, row.Seq, row.Prev, row.Hash
	return e, nil
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
		FROM event WHERE partition = ? AND seq >= ? ORDER BY seq LIMIT ?`, string(p), int64(from), page)
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
		if size += len(r.Body); size > pageBytes {
			return got, true, nil
		}
	}
	return got, len(got) == page, rows.Err()
}
