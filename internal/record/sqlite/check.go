package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"torve/internal/record"
)

// Check asks SQLite whether the file is sound, that the guards of R1 stand, and R2 to R6
// of every event of the partition. Guards that are gone hide no event that was changed:
// both are named then, joined.
func (l *Log) Check(ctx context.Context, p record.Partition) error {
	if err := l.usable(); err != nil {
		return err
	}
	err := l.rows.query(ctx, func(db *sql.DB) error { return errors.Join(sound(ctx, db), guarded(ctx, db)) })
	var broken *record.Broken
	switch {
	case errors.Is(err, record.ErrDamaged):
		return fault("checking", l.path, err)
	case errors.As(err, &broken):
		return errors.Join(broken, record.CheckEvents(l.stored(ctx, p)))
	case err != nil:
		return fault("checking", l.path, err)
	}
	return record.CheckEvents(l.stored(ctx, p))
}

func sound(ctx context.Context, db *sql.DB) error {
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("%w: %s", record.ErrDamaged, said)
	}
	return nil
}

func guarded(ctx context.Context, db *sql.DB) error {
	for _, name := range slices.Sorted(maps.Keys(guards)) {
		var have string
		err := db.QueryRowContext(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", name).Scan(&have)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if have != guards[name] {
			return &record.Broken{Rule: "R1", Why: fmt.Sprintf("the trigger %s, which keeps the record append-only, is not as it was made", name)}
		}
	}
	return nil
}

// stored yields the rows as they lie there, gaps and all.
func (l *Log) stored(ctx context.Context, p record.Partition) iter.Seq2[record.Stored, error] {
	return func(yield func(record.Stored, error) bool) {
		for next, more := record.Seq(0), true; more; {
			var rows []record.Stored
			var err error
			if rows, more, err = l.page(ctx, p, next); err != nil {
				yield(record.Stored{}, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				next = row.Seq + 1
			}
		}
	}
}
