package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// NoRole is the error of a role that the server does not have.
type NoRole struct{ Role string }

// Error names it.
func (n *NoRole) Error() string { return fmt.Sprintf("there is no role %q", n.Role) }

// right is what a role may do with a table.
type right struct {
	table string
	may   []string
}

// rights are what the writer may do; the reader may SELECT from each of them. Nobody has more
// of event and proposal than adding to them (R1).
var rights = []right{
	{"event", []string{"SELECT", "INSERT"}},
	{"proposal", []string{"SELECT", "INSERT"}},
	{"partition", []string{"SELECT", "INSERT", "UPDATE"}},
	{"snapshot", []string{"SELECT", "INSERT", "UPDATE", "DELETE"}},
	{"snapshot_part", []string{"SELECT", "INSERT", "UPDATE", "DELETE"}},
	{"lease", []string{"SELECT", "INSERT", "UPDATE", "DELETE"}},
	{"torve_migration", []string{"SELECT"}},
}

// grant gives the roles their rights to the tables that are there, and takes from them what
// else they were given to these tables.
func grant(ctx context.Context, tx pgx.Tx, roles Roles) error {
	if roles.Writer != "" && roles.Writer == roles.Reader {
		return fmt.Errorf("the role %q cannot be the writer and the reader", roles.Writer)
	}
	if roles.Writer != "" {
		if err := give(ctx, tx, roles.Writer, rights); err != nil {
			return err
		}
	}
	if roles.Reader != "" {
		reading := slices.Clone(rights)
		for i := range reading {
			reading[i].may = []string{"SELECT"}
		}
		return give(ctx, tx, roles.Reader, reading)
	}
	return nil
}

func give(ctx context.Context, tx pgx.Tx, role string, rights []right) error {
	var schema string
	err := tx.QueryRow(ctx, `SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.oid = to_regclass('torve_migration')`).Scan(&schema)
	if err != nil {
		return err
	}
	if err := reach(ctx, tx, role, schema); err != nil {
		return err
	}
	to := pgx.Identifier{role}.Sanitize()
	for _, r := range rights {
		table := pgx.Identifier{schema, r.table}.Sanitize()
		_, err := tx.Conn().PgConn().Exec(ctx, fmt.Sprintf("REVOKE ALL ON %s FROM %s; GRANT %s ON %s TO %s",
			table, to, strings.Join(r.may, ", "), table, to)).ReadAll()
		if err != nil {
			return err
		}
	}
	return bounded(ctx, tx, role, schema, rights)
}

// reach lets a role into the database and the schema where it may not go yet.
func reach(ctx context.Context, tx pgx.Tx, role, schema string) error {
	var database string
	var connect, usage bool
	err := tx.QueryRow(ctx, `SELECT current_database(), has_database_privilege(oid, current_database(), 'CONNECT'),
		has_schema_privilege(oid, $2, 'USAGE') FROM pg_catalog.pg_roles WHERE rolname = $1`, role, schema).Scan(&database, &connect, &usage)
	if errors.Is(err, pgx.ErrNoRows) {
		return &NoRole{role}
	}
	if err != nil {
		return err
	}
	to := pgx.Identifier{role}.Sanitize()
	if !connect {
		if _, err := tx.Exec(ctx, "GRANT CONNECT ON DATABASE "+pgx.Identifier{database}.Sanitize()+" TO "+to); err != nil {
			return err
		}
	}
	if !usage {
		_, err = tx.Exec(ctx, "GRANT USAGE ON SCHEMA "+pgx.Identifier{schema}.Sanitize()+" TO "+to)
	}
	return err
}

// bounded asks that the role may do what it was given and no more: not by being the owner, a
// superuser, or a member of a role that may.
func bounded(ctx context.Context, tx pgx.Tx, role, schema string, rights []right) error {
	for _, r := range rights {
		for _, may := range []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"} {
			var has bool
			table := pgx.Identifier{schema, r.table}.Sanitize()
			if err := tx.QueryRow(ctx, "SELECT has_table_privilege($1, $2, $3)", role, table, may).Scan(&has); err != nil {
				return err
			}
			switch given := slices.Contains(r.may, may); {
			case has && !given:
				return fmt.Errorf("the role %q may %s %s, whatever is granted here: it is a superuser, owns the tables, or is a member of a role that may", role, may, r.table)
			case given && !has:
				return fmt.Errorf("the role %q may not %s %s, and it is not this user's to grant: %w", role, may, r.table, record.ErrRefused)
			}
		}
	}
	return nil
}
