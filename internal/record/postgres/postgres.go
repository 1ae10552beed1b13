// Package postgres is the record in a PostgreSQL database, for a team that shares one.
// Any number of partitions stand in one database, apart from each other.
package postgres

import (
	"context"

	_ "github.com/jackc/pgx/v5/pgxpool"

	"torve/internal/record"
)

// Open opens the record in a database to write; dsn is a URL or a list of key=value pairs as
// libpq takes them. It makes no table: a database that was not migrated is record.ErrBehind.
func Open(ctx context.Context, dsn string) (record.Log, error) { panic("unwritten") }

// OpenRead opens it to read: every transaction is a read-only one, so that a role which may
// only read is enough.
func OpenRead(ctx context.Context, dsn string) (record.Log, error) { panic("unwritten") }

// Where names the database of a dsn for people: host, port, database and user, and never a
// password or another setting.
func Where(dsn string) string { panic("unwritten") }
