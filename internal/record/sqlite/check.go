package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"torve/internal/record"
)

// Check asks SQLite whether the file is sound, that the guards of R1 stand, and R2 to R7
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
		return errors.Join(broken, l.checkRows(ctx, p))
	case err != nil:
		return fault("checking", l.path, err)
	}
	return l.checkRows(ctx, p)
}

// checkRows asks R2 to R7.
func (l *Log) checkRows(ctx context.Context, p record.Partition) error {
	beside, err := l.beside(ctx, p)
	if err != nil {
		return err
	}
	return record.CheckEvents(record.Pages(l.page).Stored(ctx, p), beside)
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

// guarded asks that the triggers stand that the file's version has.
func guarded(ctx context.Context, db *sql.DB) error {
	have, err := userVersion(ctx, db)
	if err != nil {
		return err
	}
	want := maps.Clone(guards)
	if have > 1 {
		maps.Copy(want, ledgerGuards)
	}
	if have > 2 {
		maps.Copy(want, memoryGuards)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		var is string
		err := db.QueryRowContext(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", name).Scan(&is)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if is != want[name] {
			return &record.Broken{Rule: "R1", Why: fmt.Sprintf("the trigger %s, which keeps the record append-only, is not as it was made", name)}
		}
	}
	return nil
}
