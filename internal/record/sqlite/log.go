// Package sqlite is the record in one embedded file, through SQLite in WAL mode.
// Several processes may append at once: each append is one immediate transaction,
// durable when it returns.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"torve/internal/record"

	_ "modernc.org/sqlite" // the driver
)

const (
	// patience is how long an append waits for other processes' appends, each of
	// which takes milliseconds.
	patience = time.Minute
	// pause is how often Watch asks for more.
	pause = 75 * time.Millisecond
)

// Log is one file, opened to write or to read.
type Log struct {
	path  string
	file  os.FileInfo // what stood at path when it was opened; nil where a copy of it is read
	rows  source
	write chan *writer // holds the one writer while nobody writes; nil when read-only
	done  chan struct{}
	close func() error
}

var _ record.Log = (*Log)(nil)

// source is where rows are read from: the live file, or a frozen one.
type source interface {
	query(ctx context.Context, ask func(*sql.DB) error) error
	close() error
}

// live reads beside whoever writes.
type live struct{ db *sql.DB }

func (l live) query(_ context.Context, ask func(*sql.DB) error) error { return ask(l.db) }
func (l live) close() error                                           { return l.db.Close() }

func newLog(path string, rows source, w *writer) *Log {
	l := &Log{path: path, rows: rows, done: make(chan struct{})}
	if _, beside := rows.(live); beside {
		l.file, _ = os.Stat(path) // it was just opened; what is not there is told at the first use
	}
	if w != nil {
		l.write = make(chan *writer, 1)
		l.write <- w
	}
	l.close = sync.OnceValue(l.shut)
	return l
}

// Close waits for an append that is under way. It may be called twice.
func (l *Log) Close() error { return l.close() }

func (l *Log) shut() error {
	close(l.done)
	var err error
	if l.write != nil {
		err = (<-l.write).close()
	}
	return errors.Join(err, l.rows.close())
}

// usable is record.ErrClosed once Close was called, and record.ErrReplaced once the path
// names another file: one who goes on with the old would write what nobody reads.
func (l *Log) usable() error {
	select {
	case <-l.done:
		return record.ErrClosed
	default:
	}
	if l.file == nil {
		return nil
	}
	now, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", l.path, record.ErrReplaced)
	case err != nil:
		return fmt.Errorf("looking whether %s is still the record: %w", l.path, err)
	case !os.SameFile(l.file, now):
		return fmt.Errorf("%s: %w", l.path, record.ErrReplaced)
	}
	return nil
}
