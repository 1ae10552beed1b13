package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Roles are the database's roles that Migrate gives their rights; "" for none.
type Roles struct {
	Writer string // may add events, and change none
	Reader string // may only read
}

// Migrated says which versions of the tables there were, and are, and which files were applied.
type Migrated struct {
	From, To int
	Applied  []string
	Had      []string // the roles that had their rights already
}

// lock is the advisory lock that one who migrates holds ("torve" in bytes): of two at once,
// the second finds that it is done.
const lock = 0x746f727665

// Migrate makes the tables of the newest version, in one transaction, and gives the roles
// their rights: all of it or nothing. Done again it changes nothing. A database of a newer
// version is record.ErrNewer; a role that is missing or cannot be bound is a *RoleError.
func Migrate(ctx context.Context, dsn string, roles Roles) (Migrated, error) {
	known, err := migrations(made)
	if err != nil {
		return Migrated{}, err
	}
	c, err := dial(ctx, dsn, false)
	if err != nil {
		return Migrated{}, fault("migrating", Where(dsn), err)
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // what counts was committed
	var done Migrated
	// Whatever the dsn says: who waited for the lock sees what was made meanwhile.
	err = pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) (err error) {
		if done, err = migrate(ctx, tx, known); err != nil {
			return err
		}
		done.Had = had(ctx, tx, roles)
		return grant(ctx, tx, roles)
	})
	if err != nil {
		return Migrated{}, fault("migrating", Where(dsn), err)
	}
	return done, nil
}

// dial opens one connection.
func dial(ctx context.Context, dsn string, read bool) (*pgx.Conn, error) {
	c, err := settings(dsn, read)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, c.ConnConfig)
	if err != nil {
		return nil, err
	}
	if err := ofAge(conn.PgConn().ParameterStatus("server_version")); err != nil {
		conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was asked of it
		return nil, err
	}
	return conn, nil
}

// migrate is the transaction's inside.
func migrate(ctx context.Context, tx pgx.Tx, known []migration) (Migrated, error) {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lock)); err != nil {
		return Migrated{}, err
	}
	from, err := present(ctx, tx, known)
	if err != nil {
		return Migrated{}, err
	}
	done := Migrated{From: from, To: len(known)}
	if from == 0 {
		if err := fit(ctx, tx); err != nil {
			return done, err
		}
	}
	for _, m := range known[from:] {
		if err := apply(ctx, tx, m); err != nil {
			return done, fmt.Errorf("%s: %w", m.name, err)
		}
		done.Applied = append(done.Applied, m.name)
	}
	return done, nil
}

// present is the version that is there; 0 where there is no table, asked without the error
// that would end the transaction.
func present(ctx context.Context, tx pgx.Tx, known []migration) (int, error) {
	var there bool
	if err := tx.QueryRow(ctx, "SELECT to_regclass('torve_migration') IS NOT NULL").Scan(&there); err != nil {
		return 0, err
	}
	if !there {
		return 0, foreign(ctx, tx)
	}
	return standing(ctx, tx, known)
}

func apply(ctx context.Context, tx pgx.Tx, m migration) error {
	// Many statements without a parameter go as they are, in one message.
	if _, err := tx.Conn().PgConn().Exec(ctx, m.text).ReadAll(); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO torve_migration (version, name, sha256) VALUES ($1, $2, $3)", m.version, m.name, m.sha256)
	return err
}

// Status gives the version of a database's tables (0: it has none) and the newest that this
// program makes. It writes nothing.
func Status(ctx context.Context, dsn string) (have, newest int, err error) {
	known, err := migrations(made)
	if err != nil {
		return 0, 0, err
	}
	c, err := dial(ctx, dsn, true)
	if err != nil {
		return 0, 0, fault("reading", Where(dsn), err)
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	if have, err = standing(ctx, c, known); err == nil && have == 0 {
		err = foreign(ctx, c)
	}
	if err != nil {
		return 0, 0, fault("reading", Where(dsn), err)
	}
	return have, len(known), nil
}

// foreign refuses a schema that has a table by one of our names and was never migrated: it is
// another program's, and nothing in it is ours to change.
func foreign(ctx context.Context, a asker) error {
	rows, err := a.Query(ctx, `SELECT c.relname FROM pg_catalog.pg_class c
		WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relname = ANY ($1) ORDER BY c.relname`, tables)
	if err != nil {
		return err
	}
	theirs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(theirs) == 0 {
		return err
	}
	return &mended{fmt.Errorf("it is a database of another program: it has %s, and torve made no table here", strings.Join(theirs, ", ")),
		"name another database, or a schema of its own by ?options=-csearch_path%3DNAME"}
}

// tables are all of ours.
var tables = []string{"event", "lease", "memory", "partition", "proposal", "snapshot", "snapshot_part", "torve_migration"}

// oldest is the oldest server that has all that is asked of one.
const oldest = 13

// ofAge asks it of the version that a server tells at each connection ("15.8 (Debian ...)",
// "17beta1"): tables may have been carried to an older one. What is no number is let pass.
func ofAge(version string) error {
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(version)
	}
	if n, err := strconv.Atoi(version[:end]); err == nil && n < oldest {
		return fmt.Errorf("the server is PostgreSQL %s, and torve needs %d or later", version, oldest)
	}
	return nil
}

// fit asks of a database, before the first table is made, what cannot be mended afterwards.
func fit(ctx context.Context, tx pgx.Tx) error {
	var encoding, path string
	var schema *string
	err := tx.QueryRow(ctx, `SELECT current_setting('server_encoding'),
		current_setting('search_path'), current_schema()`).Scan(&encoding, &path, &schema)
	switch {
	case err != nil:
		return err
	case encoding != "UTF8":
		return &mended{fmt.Errorf("the database is in %s, and torve writes UTF-8", encoding), "createdb -E UTF8 -T template0 torve"}
	case schema == nil:
		return &mended{errors.New("there is no schema to make the tables in: search_path is " + path), "name one that is there by ?options=-csearch_path%3DNAME"}
	}
	return nil
}
