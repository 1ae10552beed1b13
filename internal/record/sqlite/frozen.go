package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// frozen reads a record that SQLite may put nothing beside: a read-only mount, a
// folder of somebody else. Without a write-ahead log the file is read as it lies
// there. With one, as a crash leaves it, reading the file alone would silently give a
// prefix: both are copied to a temporary folder and read there. Whoever writes
// elsewhere is not locked out, so every answer is asked again when the files changed
// meanwhile.
type frozen struct {
	path string

	mu   sync.Mutex
	db   *sql.DB
	was  stamp
	copy string // the temporary folder; "" when the file is read in place
}

// stamp tells one state of the two files from another.
type stamp struct{ file, wal mark }

type mark struct {
	there bool
	size  int64
	at    time.Time
}

// restless is how often an answer is taken again from files that keep changing.
const restless = 20

func (f *frozen) query(ctx context.Context, ask func(*sql.DB) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range restless {
		now, err := stampOf(f.path)
		if err != nil {
			return err
		}
		if f.db == nil || now != f.was {
			if err := f.reopen(now); err != nil {
				return err
			}
		}
		err = ask(f.db)
		if then, again := stampOf(f.path); again == nil && then == now {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("it changed %d times while it was read from a folder that cannot be written", restless)
}

func (f *frozen) reopen(now stamp) error {
	if err := f.drop(); err != nil {
		return err
	}
	place, how := f.path, "&mode=ro&immutable=1"
	if now.wal.there {
		dir, err := os.MkdirTemp("", "torve-record-")
		if err != nil {
			return fmt.Errorf("making a folder to read a copy in: %w", err)
		}
		f.copy = dir
		place, how = filepath.Join(dir, "record.db"), "&_pragma=query_only(on)"
		for _, ext := range []string{"-wal", ""} {
			if err := copyFile(place+ext, f.path+ext); err != nil {
				return err
			}
		}
	}
	db, err := connect(place, how)
	if err != nil {
		return err
	}
	f.db, f.was = db, now
	return nil
}

func (f *frozen) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.drop()
}

func (f *frozen) drop() error {
	var errs []error
	if f.db != nil {
		errs = append(errs, f.db.Close())
	}
	if f.copy != "" {
		errs = append(errs, os.RemoveAll(f.copy))
	}
	f.db, f.copy = nil, ""
	return errors.Join(errs...)
}

func stampOf(path string) (stamp, error) {
	file, err := markOf(path)
	if err != nil {
		return stamp{}, err
	}
	wal, err := markOf(path + "-wal")
	return stamp{file, wal}, err
}

func markOf(path string) (mark, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return mark{}, nil
	}
	if err != nil {
		return mark{}, err
	}
	return mark{true, info.Size(), info.ModTime()}, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it went meanwhile: the stamps will differ, and the answer is taken again
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
