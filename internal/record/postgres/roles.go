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

// RoleError is the error of a role that cannot be given its rights, or not bound to them.
type RoleError struct {
	Role, Why string
	Missing   bool // the server has no such role
}

// Error names the role.
func (e *RoleError) Error() string { return fmt.Sprintf("the role %q %s", e.Role, e.Why) }

// right is what a role may do with a table.
type right struct {
	table string
	may   []string
}

// rights are what the writer may do; the reader may SELECT from each of them. Nobody has more
// of event, proposal and memory than adding to them (R1).
var rights = []right{
	{"event", []string{"SELECT", "INSERT"}},
	{"proposal", []string{"SELECT", "INSERT"}},
	{"memory", []string{"SELECT", "INSERT"}},
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
		return &RoleError{Role: roles.Writer, Why: "cannot be the writer and the reader"}
	}
	if roles.Writer != "" {
		if err := give(ctx, tx, roles.Writer, rights); err != nil {
			return err
		}
	}
	if roles.Reader != "" {
		return give(ctx, tx, roles.Reader, reading())
	}
	return nil
}

// reading is what the reader may do.
func reading() []right {
	all := slices.Clone(rights)
	for i := range all {
		all[i].may = []string{"SELECT"}
	}
	return all
}

// had are those of the roles that have their rights already, and no others.
func had(ctx context.Context, tx pgx.Tx, roles Roles) (names []string) {
	for role, rights := range map[string][]right{roles.Writer: rights, roles.Reader: reading()} {
		if role == "" {
			continue
		}
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // an unknown role ends it, and not all
			var schema string
			err := tx.QueryRow(ctx, `SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
				WHERE c.oid = to_regclass('event')`).Scan(&schema)
			if err != nil {
				return err
			}
			return bounded(ctx, tx, role, schema, rights)
		})
		if err == nil {
			names = append(names, role)
		}
	}
	return names
}

func give(ctx context.Context, tx pgx.Tx, role string, rights []right) error {
	schema, err := reach(ctx, tx, role)
	if err != nil {
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

// reach lets a role into the database and the schema of the tables, where it may not go yet,
// and gives that schema. One that owns the tables, or is a member of who does, is refused: no
// grant binds it.
func reach(ctx context.Context, tx pgx.Tx, role string) (schema string, err error) {
	var database string
	var connect, usage, owns bool
	err = tx.QueryRow(ctx, `SELECT current_database(), n.nspname, has_database_privilege(r.oid, current_database(), 'CONNECT'),
			has_schema_privilege(r.oid, n.oid, 'USAGE'), pg_has_role(r.oid, c.relowner, 'MEMBER')
		FROM pg_catalog.pg_roles r, pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE r.rolname = $1 AND c.oid = to_regclass('event')`, role).Scan(&database, &schema, &connect, &usage, &owns)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", &RoleError{Role: role, Why: "is not there", Missing: true}
	case err != nil:
		return "", err
	case owns:
		return "", &RoleError{Role: role, Why: "may do everything with the tables, whatever is granted: it owns them, is a member of who does, or is a superuser"}
	}
	to := pgx.Identifier{role}.Sanitize()
	if !connect {
		if _, err := tx.Exec(ctx, "GRANT CONNECT ON DATABASE "+pgx.Identifier{database}.Sanitize()+" TO "+to); err != nil {
			return "", err
		}
	}
	if !usage {
		_, err = tx.Exec(ctx, "GRANT USAGE ON SCHEMA "+pgx.Identifier{schema}.Sanitize()+" TO "+to)
	}
	return schema, err
}

// bounded asks that the role may do what it was given and no more: not through another role
// that it is a member of, nor because everybody may, nor with one column alone.
func bounded(ctx context.Context, tx pgx.Tx, role, schema string, rights []right) error {
	for _, r := range rights {
		for _, may := range []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"} {
			var has, some bool // of the table, and of a column at least
			table := pgx.Identifier{schema, r.table}.Sanitize()
			if err := tx.QueryRow(ctx, `SELECT has_table_privilege($1, $2, $3), $3 IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
				AND has_any_column_privilege($1, $2, CASE WHEN $3 IN ('DELETE', 'TRUNCATE', 'TRIGGER') THEN 'SELECT' ELSE $3 END)`,
				role, table, may).Scan(&has, &some); err != nil {
				return err
			}
			switch given := slices.Contains(r.may, may); {
			case (has || some) && !given:
				return &RoleError{Role: role, Why: fmt.Sprintf("may %s %s all the same: through a role that it is a member of, or as everybody may", may, r.table)}
			case given && !has:
				return &answer{fmt.Sprintf("the role %q may not %s %s, and it is not this user's to grant", role, may, r.table), record.ErrRefused}
			}
		}
	}
	return nil
}
