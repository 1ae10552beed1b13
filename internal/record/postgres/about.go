package postgres

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/record"
)

// Inspect asks a database about itself and about what this user may do there. It writes
// nothing. Tables that this program does not read are an error, and what is known beside
// them is given.
func Inspect(ctx context.Context, dsn string) (record.About, error) {
	known, err := migrations(made)
	if err != nil {
		return record.About{}, err
	}
	c, err := dial(ctx, dsn, true)
	if err != nil {
		return record.About{}, fault("reading", Where(dsn), err)
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	a := record.About{Newest: len(known)}
	if a.Tables, err = standing(ctx, c, known); err == nil {
		err = introduce(ctx, c, &a)
	}
	return a, fault("reading", Where(dsn), err)
}

// introduce asks what this user may do with the tables.
func introduce(ctx context.Context, c *pgx.Conn, a *record.About) error {
	var names, may []string
	for _, r := range rights {
		for _, m := range r.may {
			names, may = append(names, r.table), append(may, m)
		}
	}
	var version string
	var encrypted bool
	err := c.QueryRow(ctx, `SELECT current_setting('server_version'),
			NOT pg_is_in_recovery() AND (SELECT bool_and(coalesce(has_table_privilege(to_regclass(t), p), false))
				FROM unnest($1::text[], $2::text[]) AS r (t, p)),
			coalesce((SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()), false),
			coalesce((SELECT pg_has_role(relowner, 'MEMBER') FROM pg_catalog.pg_class WHERE oid = to_regclass('event')), false)`,
		names, may).Scan(&version, &a.Writes, &encrypted, &a.Owner)
	version, _, _ = strings.Cut(version, " ")
	a.Engine, a.Plain = "PostgreSQL "+version, !encrypted && networked(c.Config().Config)
	return err
}

// networked reports whether a server is reached through more than this machine.
func networked(c pgconn.Config) bool {
	if strings.HasPrefix(c.Host, "/") || c.Host == "localhost" {
		return false
	}
	ip := net.ParseIP(c.Host)
	return ip == nil || !ip.IsLoopback()
}

// Removal are the statements that take one partition out of a database, in one transaction.
// The guards let only who owns the tables run them: it is what no verb does.
func Removal(p record.Partition) []string {
	name := "'" + strings.ReplaceAll(string(p), "'", "''") + "'"
	var out []string
	held := []string{"event", "proposal", "memory", "partition"}
	for _, table := range held {
		out = append(out, fmt.Sprintf("ALTER TABLE %s DISABLE TRIGGER USER;", table))
	}
	for _, table := range append(held, "snapshot_part", "snapshot", "lease") {
		out = append(out, fmt.Sprintf("DELETE FROM %s WHERE partition = %s;", table, name))
	}
	for _, trigger := range slices.Sorted(maps.Keys(triggers)) {
		table, _, _ := strings.Cut(trigger, "_")
		out = append(out, fmt.Sprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s;", table, trigger))
	}
	return out
}
