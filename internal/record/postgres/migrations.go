package postgres

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/record"
)

// The tables of each version, one file each: the n-th makes version n of what is there.
//
//go:embed migrations/*.sql
var made embed.FS

// migration is one file, or what torve_migration says of one that was applied.
type migration struct {
	version      int
	name, sha256 string
	text         string // "" where it was read from a database
}

// migrations are the files that this program has, in their order.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	all := make([]migration, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		all[i] = migration{i + 1, strings.TrimPrefix(name, "migrations/"), hex.EncodeToString(sum[:]), string(text)}
		if want := fmt.Sprintf("%04d_", i+1); !strings.HasPrefix(all[i].name, want) {
			return nil, fmt.Errorf("the migration %s is the %d. of this program, and is not named %s", all[i].name, i+1, want)
		}
	}
	return all, nil
}

// asker is a connection, a pool or a transaction.
type asker interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// standing compares what was applied to a database with what this program has: the version
// that it has (0: it has no table) and the newest there is. One that is newer, or that was
// made from another text, is an error.
func standing(ctx context.Context, a asker, known []migration) (have int, err error) {
	applied, err := applied(ctx, a)
	if err != nil {
		return 0, err
	}
	for i, was := range applied {
		switch {
		case was.version != i+1:
			return 0, fmt.Errorf("%w: its table torve_migration has version %d in the place of %d", record.ErrDamaged, was.version, i+1)
		case i >= len(known): // the newest is the last
			return 0, &answer{fmt.Sprintf("it is of version %d, and this program reads up to %d", applied[len(applied)-1].version, len(known)), record.ErrNewer}
		case was.sha256 != known[i].sha256:
			return 0, &mended{fmt.Errorf("its tables of version %d were made from %s of SHA-256 %.7s, and this program's %s is %.7s",
				was.version, was.name, was.sha256, known[i].name, known[i].sha256), "use the torve that made them"}
		}
	}
	return len(applied), nil
}

// migrated asks, for whoever opens the record, that its tables are this program's:
// record.ErrBehind where they are missing or older.
func migrated(ctx context.Context, a asker) error {
	known, err := migrations(made)
	if err != nil {
		return err
	}
	have, err := standing(ctx, a, known)
	switch {
	case err != nil:
		return err
	case have == 0:
		if err := foreign(ctx, a); err != nil {
			return err
		}
		return &answer{"it has no tables of torve", record.ErrBehind}
	case have < len(known):
		return &answer{fmt.Sprintf("its tables are of version %d, and this program's are %d", have, len(known)), record.ErrBehind}
	}
	return nil
}

// applied is what torve_migration says, in order; none where there is no such table.
func applied(ctx context.Context, a asker) ([]migration, error) {
	rows, err := a.Query(ctx, "SELECT version, name, sha256 FROM torve_migration ORDER BY version")
	if err != nil {
		return nil, missing(ctx, a, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m migration, err error) {
		return m, row.Scan(&m.version, &m.name, &m.sha256)
	})
	if err != nil {
		return nil, missing(ctx, a, err)
	}
	return all, nil
}

const undefinedTable = "42P01"

// missing tells a table that is not there, which is no error, from one that this role may not
// see: a schema that it may not use is passed over as if it were not there.
func missing(ctx context.Context, a asker, err error) error {
	var said *pgconn.PgError
	if !errors.As(err, &said) || said.Code != undefinedTable {
		return err
	}
	rows, err := a.Query(ctx, `SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relname = 'torve_migration' AND n.nspname = ANY (
			SELECT trim(both ' "' from s) FROM unnest(string_to_array(current_setting('search_path'), ',')) s)
			AND NOT has_schema_privilege(n.oid, 'USAGE')`)
	if err != nil {
		return err
	}
	hidden, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(hidden) == 0 {
		return err
	}
	return &answer{fmt.Sprintf("this role may not use the schema %s, which holds the tables", hidden[0]), record.ErrRefused}
}
