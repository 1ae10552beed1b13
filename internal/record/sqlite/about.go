package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"

	"golang.org/x/sys/unix"

	"torve/internal/record"
)

// Inspect asks the record at path about itself. It writes nothing.
func Inspect(ctx context.Context, path string) (record.About, error) {
	rows, err := readable(ctx, path)
	if err != nil {
		return record.About{}, fault("reading", path, err)
	}
	defer rows.close() //nolint:errcheck // nothing was written
	a := record.About{Newest: version}
	err = rows.query(ctx, func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT 'SQLite ' || sqlite_version(), user_version FROM pragma_user_version").Scan(&a.Engine, &a.Tables)
	})
	a.Writes = unix.Access(path, unix.W_OK) == nil && unix.Access(filepath.Dir(path), unix.W_OK) == nil
	a.Owner = a.Writes // whose file it is
	return a, fault("reading", path, err)
}
