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
)

// frozen reads a record that SQLite may put nothing beside: a read-only mount, a
// folder of somebody else. Without a write-ahead log the file is read as it lies
// there. With one, as a crash leaves it, reading the file alone would silently give a
// prefix: both are copied to a temporary folder and read there. Whoever writes
// elsewhere is not locked out; what he changes is noticed, and read anew.
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

// restless is how often files are read again that keep changing meanwhile.
const restless = 50

var errRestless = errors.New("it kept changing while it was read from a folder that cannot be written")

func (f *frozen) query(ctx context.Context, ask func(*sql.DB) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range restless {
		if err := f.fresh(ctx); err != nil {
			return err
		}
		err := ask(f.db)
		if f.copy != "" {
			return err // a copy is our own
		}
		if now, failed := markOf(f.path); failed == nil && now == f.was.file {
			return err
		}
	}
	return errRestless
}

// fresh makes db show the files as they are now.
func (f *frozen) fresh(ctx context.Context) error {
	now, err := stampOf(f.path)
	if err != nil {
		return err
	}
	if f.db != nil && now == f.was {
		return nil
	}
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
		if place, err = copied(ctx, dir, f.path); err != nil {
			return err
		}
		how = "&_pragma=query_only(on)"
	}
	if f.db, err = connect(place, how); err != nil {
		return err
	}
	f.was = now
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
