package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// Check asks that the guards of R1 stand, R2 to R7 of every event of the partition, and that
// its counter stands where its events end. Guards that are gone hide no event that was
// changed: both are named then, joined.
func (l *Log) Check(ctx context.Context, p record.Partition) error {
	var broken *record.Broken
	err := fault("checking", l.where, l.with(ctx, guarded))
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	if rows := l.checkRows(ctx, p); broken != nil {
		return errors.Join(broken, rows)
	} else {
		return rows
	}
}

// checkRows asks what does not need the guards. Others may append meanwhile: the counter is
// read before the events and after them, and they end between the two.
func (l *Log) checkRows(ctx context.Context, p record.Partition) error {
	before, err := l.counter(ctx, p)
	if err != nil {
		return err
	}
	beside, err := l.beside(ctx, p)
	if err != nil {
		return err
	}
	var last record.Stored
	if err := record.CheckEvents(counted(record.Pages(l.page).Stored(ctx, p), before, &last), beside); err != nil {
		return err
	}
	after, err := l.counter(ctx, p)
	switch {
	case err != nil:
		return err
	case last.Seq < before.Seq:
		return &record.Broken{Rule: "R2", Seq: before.Seq, Why: fmt.Sprintf("the partition's counter says it, and the last event is %d", last.Seq)}
	case last.Seq > after.Seq:
		return &record.Broken{Rule: "R2", Seq: last.Seq, Why: fmt.Sprintf("it is more than the partition's counter says, which is %d", after.Seq)}
	}
	return nil
}

// counted yields rows, remembers the last of them, and asks of the counter's that it has the
// counter's hash.
func counted(rows iter.Seq2[record.Stored, error], counter record.Stored, last *record.Stored) iter.Seq2[record.Stored, error] {
	return func(yield func(record.Stored, error) bool) {
		for row, err := range rows {
			if err == nil && row.Seq == counter.Seq && row.Hash != counter.Hash {
				err = &record.Broken{Rule: "R3", Seq: row.Seq, Why: "the partition's counter has another hash"}
			}
			if *last = row; !yield(row, err) {
				return
			}
		}
	}
}

// counter is the seq and the hash that a partition's counter says; 0 where it has none.
func (l *Log) counter(ctx context.Context, p record.Partition) (end record.Stored, err error) {
	err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		err := c.QueryRow(ctx, "SELECT seq, hash FROM partition WHERE partition = $1", string(p)).Scan(&end.Seq, &end.Hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return end, fault("checking", l.where, err)
}
