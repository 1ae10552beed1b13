package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"torve/internal/record"
)

// fault says what was being done with which file, and marks damage as such.
func fault(doing, path string, err error) error {
	switch {
	case err == nil:
		return nil
	case is(err, lib.SQLITE_CORRUPT), is(err, lib.SQLITE_NOTADB):
		return fmt.Errorf("%s the record %s: %w: %w", doing, path, record.ErrDamaged, err)
	case is(err, lib.SQLITE_FULL):
		return fmt.Errorf("%s the record %s: %w: %w", doing, path, record.ErrFull, err)
	case is(err, lib.SQLITE_READONLY):
		return fmt.Errorf("%s the record %s: %w (%w)", doing, path, record.ErrUnwritable, err)
	}
	return fmt.Errorf("%s the record %s: %w", doing, path, err)
}

func busy(err error) bool { return is(err, lib.SQLITE_BUSY) }

// is reports whether an error is SQLite's of that primary code.
func is(err error, code int) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == code
}
