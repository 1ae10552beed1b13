package postgres

import "context"

// Roles are the database's roles that Migrate gives their rights; "" for none.
type Roles struct {
	Writer string // may add events, and change none
	Reader string // may only read
}

// Migrated says which versions of the tables there were, and are.
type Migrated struct{ From, To int }

// Migrate makes the tables of the newest version, in one transaction, and gives the roles
// their rights. A database of a newer version is record.ErrNewer.
func Migrate(ctx context.Context, dsn string, roles Roles) (Migrated, error) { panic("unwritten") }

// Status gives the version of a database's tables (0: it has none) and the newest that this
// program makes. It writes nothing.
func Status(ctx context.Context, dsn string) (have, newest int, err error) { panic("unwritten") }
