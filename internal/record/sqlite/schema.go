package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"torve/internal/failpoint"
	"torve/internal/record"
)

// version is the schema's, in SQLite's user_version; an empty file has 0, one from before
// there was a ledger has 1, and one from before there was a memory 2.
const version = 3

// The events. The columns beside the body are what rows are found by; the body
// says the same. The triggers keep it append-only against everything that speaks SQL:
// REPLACE deletes without asking a trigger of DELETE, so an INSERT must bring the next
// seq and an id that is new.
const table = `
CREATE TABLE event (
	partition TEXT NOT NULL,
	seq INTEGER NOT NULL,
	id TEXT NOT NULL,
	kind TEXT NOT NULL,
	task TEXT NOT NULL,
	claim TEXT NOT NULL,
	body BLOB NOT NULL,
	prev TEXT NOT NULL,
	hash TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_seq ON event (partition, seq);
CREATE UNIQUE INDEX event_id ON event (partition, id);
CREATE INDEX event_task ON event (partition, task, seq) WHERE task <> '';
CREATE INDEX event_moves ON event (partition, seq)
	WHERE kind IN ('task.claimed', 'task.released', 'task.minted', 'task.reminted', 'task.withdrawn');
CREATE INDEX event_claim ON event (partition, task, seq) WHERE kind IN ('task.claimed', 'task.released');
`

// guards are the triggers of events, by name; Check asks that they stand.
var guards = map[string]string{
	"event_no_update": `CREATE TRIGGER event_no_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'the record is append-only (R1)'); END`,
	"event_no_delete": `CREATE TRIGGER event_no_delete BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'the record is append-only (R1)'); END`,
	"event_next": `CREATE TRIGGER event_next BEFORE INSERT ON event
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM event WHERE partition = NEW.partition)
	OR EXISTS (SELECT 1 FROM event WHERE partition = NEW.partition AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the record grows at its end alone (R1, R2)'); END`,
}

// steps bring a file from the version that is its place to the next.
var steps = [version]func(context.Context, *sql.Conn) error{makeEvents, makeLedger, makeMemory}

// prepare asks that the file is a record of this version, and makes an empty one or an
// older one so.
func prepare(ctx context.Context, c *sql.Conn, path string) error {
	have, err := userVersion(ctx, c)
	if err != nil || have >= version {
		return refuse(have, err)
	}
	if have == 0 {
		if err := empty(ctx, c); err != nil {
			return err
		}
		if err := useWAL(ctx, c, path); err != nil {
			return err
		}
		failpoint.Hit(failpoint.RecordMade)
	}
	return transact(ctx, c, func() error {
		// Another process may have been first.
		have, err := userVersion(ctx, c)
		if err != nil || have >= version {
			return refuse(have, err)
		}
		for _, step := range steps[have:] {
			if err := step(ctx, c); err != nil {
				return err
			}
		}
		_, err = c.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
		return err
	})
}

func makeEvents(ctx context.Context, c *sql.Conn) error {
	if err := empty(ctx, c); err != nil {
		return err
	}
	return execute(ctx, c, table, guards)
}

// execute makes tables and their triggers.
func execute(ctx context.Context, c *sql.Conn, tables string, triggers map[string]string) error {
	for _, text := range append([]string{tables}, slices.Collect(maps.Values(triggers))...) {
		if _, err := c.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// useWAL turns the write-ahead log on, which stays in the file. SQLite does not wait
// for a lock here, so that we do: several processes may open a new record at once.
func useWAL(ctx context.Context, c *sql.Conn, path string) error {
	for {
		var mode string
		err := c.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode)
		switch {
		case err == nil && mode == "wal":
			return nil
		case err == nil:
			return fmt.Errorf("the file system of %s holds no write-ahead log (journal mode %s)", path, mode)
		case !busy(err):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// asker is a connection or a pool.
type asker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func userVersion(ctx context.Context, a asker) (int, error) {
	var v int
	err := a.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

// known asks that there is a record of a version that is read, without making one. A file that
// has no table yet is one that somebody is just making.
func known(ctx context.Context, a asker) error {
	have, err := userVersion(ctx, a)
	if err != nil || have != 0 {
		return refuse(have, err)
	}
	if err := empty(ctx, a); err != nil {
		return err
	}
	return record.ErrNone
}

// empty asks that a file of no version is not another program's. Both are asked at
// once, as another process may make the record between two questions.
func empty(ctx context.Context, a asker) error {
	var tables, have int
	err := a.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM sqlite_schema), user_version FROM pragma_user_version").Scan(&tables, &have)
	if err == nil && tables != 0 && have == 0 {
		return errors.New("it is a database of another program")
	}
	return err
}

func refuse(have int, err error) error {
	if err != nil {
		return err
	}
	if have > version {
		return fmt.Errorf("it is of version %d, and this program reads up to %d: %w", have, version, record.ErrNewer)
	}
	return nil
}
