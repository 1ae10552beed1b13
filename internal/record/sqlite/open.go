package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"torve/internal/record"
)

// Open opens the record at path to write, making its folder and the file where they
// are missing; any number of processes may do so at once.
func Open(ctx context.Context, path string) (record.Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("making the record's folder: %w", err)
	}
	db, err := connect(path, "")
	if err != nil {
		return nil, err
	}
	w, err := newWriter(ctx, db)
	if err != nil {
		return nil, errors.Join(fault("opening", path, err), db.Close())
	}
	if err := prepare(ctx, w.conn, path); err != nil {
		return nil, errors.Join(fault("opening", path, err), w.close(), db.Close())
	}
	return newLog(path, live{db}, w), nil
}

// OpenRead opens the record at path to read. It makes nothing, writes nothing and
// needs no more than read permission; where there is no record it is record.ErrNone.
func OpenRead(ctx context.Context, path string) (record.Log, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0:
		return nil, fmt.Errorf("%s: %w", path, record.ErrNone)
	case err != nil:
		return nil, fmt.Errorf("opening the record: %w", err)
	}
	rows, err := readable(ctx, path)
	if err != nil {
		return nil, fault("opening", path, err)
	}
	err = rows.query(ctx, func(db *sql.DB) error { return known(ctx, db) })
	if err != nil {
		return nil, errors.Join(fault("opening", path, err), rows.close())
	}
	return newLog(path, rows, nil), nil
}

// readable picks how to read: beside its writers where SQLite may make its own files
// beside the record, frozen where it may not.
func readable(ctx context.Context, path string) (source, error) {
	if unix.Access(filepath.Dir(path), unix.W_OK) != nil || unix.Access(path, unix.W_OK) != nil {
		return &frozen{path: path}, nil
	}
	db, err := connect(path, "&mode=ro")
	if err != nil {
		return nil, err
	}
	return live{db}, nil
}

// connect makes a pool over the file; a connection is opened when one is needed.
// Each waits for a lock within patience, and syncs every commit to the disk.
func connect(path, more string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the record: %w", err)
	}
	name := url.URL{Scheme: "file", Path: abs}
	dsn := fmt.Sprintf("%s?_pragma=busy_timeout(%d)&_pragma=synchronous(full)&_pragma=trusted_schema(off)%s",
		strings.Replace(name.String(), "file://", "file:", 1), patience.Milliseconds(), more)
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("opening the record: %w", err)
	}
	return db, nil
}
