package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
	"torve/internal/record/postgres/pgtest"
)

// sql runs statements in a database, as its owner or as whom the dsn names.
func sql(t testing.TB, dsn, text string) error {
	t.Helper()
	return session(t, dsn)(text)
}

// session is sql over one connection, until the test ends.
func session(t testing.TB, dsn string) func(text string) error {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return func(text string) error {
		_, err := c.PgConn().Exec(t.Context(), text).ReadAll()
		return err
	}
}

// value is the one value that a query gives, as text.
func value(t testing.TB, dsn, query string) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	var v string
	if err := c.QueryRow(t.Context(), "SELECT ("+query+")::text").Scan(&v); err != nil {
		t.Fatal(query, err)
	}
	return v
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// countTables counts the tables of a schema.
const countTables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"

// fresh is a schema with nothing in it, as good as a database and made sooner.
func fresh(t testing.TB) string {
	t.Helper()
	dsn, err := pgtest.Server(t).Schema(t.Context())
	must(t, err)
	return dsn
}

func migrateIt(t testing.TB, dsn string) Migrated {
	t.Helper()
	m, err := Migrate(t.Context(), dsn, Roles{})
	must(t, err)
	return m
}

func TestADatabaseIsMigratedOnceAndThenStays(t *testing.T) {
	dsn := fresh(t)
	have, newest, err := Status(t.Context(), dsn)
	if have != 0 || newest < 1 || err != nil {
		t.Fatalf("before: %d of %d, %v", have, newest, err)
	}
	if n := value(t, dsn, countTables); n != "0" {
		t.Errorf("asking made %s tables", n)
	}
	if m := migrateIt(t, dsn); m.From != 0 || m.To != newest || len(m.Applied) != newest || m.Applied[0] != "0001_record.sql" {
		t.Errorf("migrated %+v", m)
	}
	if n := value(t, dsn, countTables); n != fmt.Sprint(len(tables)) {
		t.Errorf("%s tables, and we know of %d", n, len(tables))
	}
	was := value(t, dsn, "SELECT string_agg(m::text, ' ') FROM torve_migration m")
	if m := migrateIt(t, dsn); m.From != newest || m.To != newest || len(m.Applied) != 0 {
		t.Errorf("again %+v", m)
	}
	if have, _, err := Status(t.Context(), dsn); have != newest || err != nil {
		t.Errorf("after: %d, %v", have, err)
	}
	if is := value(t, dsn, "SELECT string_agg(m::text, ' ') FROM torve_migration m"); is != was {
		t.Errorf("what was remembered changed from %s to %s", was, is)
	}
}

func TestMigrationsAtOnceAreOne(t *testing.T) {
	dsn := fresh(t)
	var wg sync.WaitGroup
	did := make([]Migrated, 8)
	for i := range did {
		wg.Go(func() {
			var err error
			if did[i], err = Migrate(t.Context(), dsn, Roles{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	first := 0
	for _, m := range did {
		if len(m.Applied) > 0 {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d of them made the tables", first)
	}
}

// refused asks that Migrate and Status refuse a database alike and change nothing in it.
func refused(t *testing.T, dsn string, is error, words ...string) {
	t.Helper()
	was := value(t, dsn, countTables)
	_, err := Migrate(t.Context(), dsn, Roles{})
	_, _, asked := Status(t.Context(), dsn)
	for _, err := range []error{err, asked} {
		if err == nil || is != nil && !errors.Is(err, is) {
			t.Errorf("%v, and it should be %v", err, is)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
	if n := value(t, dsn, countTables); n != was {
		t.Errorf("there were %s tables, and now %s", was, n)
	}
}

func TestADatabaseOfANewerVersionIsRefused(t *testing.T) {
	dsn := fresh(t)
	m := migrateIt(t, dsn)
	must(t, sql(t, dsn, fmt.Sprintf("INSERT INTO torve_migration VALUES (%d, 'later.sql', 'x')", m.To+1)))
	refused(t, dsn, record.ErrNewer, fmt.Sprintf("it is of version %d, and this program reads up to %d", m.To+1, m.To))
}

func TestAMigrationThatWasAnotherIsNamed(t *testing.T) {
	dsn := fresh(t)
	migrateIt(t, dsn)
	must(t, sql(t, dsn, "UPDATE torve_migration SET sha256 = 'abcdef0123' WHERE version = 1"))
	refused(t, dsn, nil, "0001_record.sql", "abcdef0")
}

func TestAMigrationThatIsMissingAmongThemIsNamed(t *testing.T) {
	dsn := fresh(t)
	migrateIt(t, dsn)
	must(t, sql(t, dsn, "DELETE FROM torve_migration WHERE version = 1"))
	refused(t, dsn, record.ErrDamaged, "torve_migration")
}

func TestADatabaseOfAnotherProgramIsRefusedByName(t *testing.T) {
	dsn := fresh(t)
	must(t, sql(t, dsn, "CREATE TABLE event (id int); CREATE VIEW lease AS SELECT 1; CREATE TABLE others (id int)"))
	refused(t, dsn, nil, "database of another program", "event, lease")
}

func TestADatabaseThatHoldsOtherTablesTooIsMigrated(t *testing.T) {
	dsn := fresh(t)
	must(t, sql(t, dsn, "CREATE TABLE orders (id int)"))
	migrateIt(t, dsn)
}

func TestTheTablesGoWhereTheSearchPathSays(t *testing.T) {
	dsn := pgtest.Server(t).Database(t)
	must(t, sql(t, dsn, `CREATE SCHEMA "Team A"; CREATE SCHEMA b; CREATE TABLE event (id int)`))
	in := func(schema string) string { return dsn + "&options=-csearch_path%3D" + schema }
	migrateIt(t, in(`%22Team%5C%20A%22`))
	migrateIt(t, in("b"))
	got := value(t, dsn, `SELECT string_agg(DISTINCT schemaname, ', ' ORDER BY schemaname) FROM pg_tables WHERE tablename = 'proposal'`)
	if got != "Team A, b" {
		t.Errorf("they are in %s", got)
	}
	if _, err := Migrate(t.Context(), in("nowhere"), Roles{}); err == nil || !strings.Contains(err.Error(), "search_path is nowhere") {
		t.Errorf("into no schema: %v", err)
	}
}

func TestADatabaseInAnotherEncodingIsRefused(t *testing.T) {
	c := pgtest.Server(t)
	c.Exec(t, "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
	t.Cleanup(func() { c.Exec(t, "DROP DATABASE ascii WITH (FORCE)") })
	_, err := Migrate(t.Context(), c.DSN("ascii", "torve"), Roles{})
	if err == nil || !strings.Contains(err.Error(), "is in SQL_ASCII") || !strings.HasPrefix(Mend(err), "createdb -E UTF8") {
		t.Errorf("%v: %s", err, Mend(err))
	}
}

func TestAServerThatIsTooOldIsRefusedWhoeverMadeTheTables(t *testing.T) {
	for version, refused := range map[string]bool{
		"9.6.24": true, "12.22 (Debian 12.22-1.pgdg12+1)": true, "12beta1": true,
		"13.0": false, "13": false, "15.8 (Debian 15.8-0+deb12u1)": false, "18devel": false, "": false, "unknown": false,
	} {
		if err := ofAge(version); (err != nil) != refused || refused && !strings.Contains(err.Error(), "torve needs 13 or later") {
			t.Errorf("of %q it says %v", version, err)
		}
	}
	c, err := pgx.Connect(t.Context(), fresh(t))
	must(t, err)
	defer c.Close(context.WithoutCancel(t.Context()))
	if told := c.PgConn().ParameterStatus("server_version"); told == "" {
		t.Error("the server tells no version")
	}
}

func TestASchemaThatMayNotBeUsedIsNotTakenForAnEmptyOne(t *testing.T) {
	c := pgtest.Server(t)
	dsn := c.Database(t)
	migrateIt(t, dsn)
	role := c.Role(t)
	must(t, sql(t, dsn, "REVOKE USAGE ON SCHEMA public FROM PUBLIC"))
	conn, err := pgx.Connect(t.Context(), as(t, dsn, role))
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := migrated(t.Context(), conn); !errors.Is(err, record.ErrRefused) || !strings.Contains(err.Error(), "public") {
		t.Errorf("it says %v", err)
	}
}

// as is a dsn with another role, whose password is the same.
func as(t testing.TB, dsn, role string) string {
	t.Helper()
	c, err := pgx.ParseConfig(dsn)
	must(t, err)
	return strings.Replace(dsn, "//"+c.User+":", "//"+role+":", 1)
}

// with are migrations: the real first one, and one that adds a table.
func with(t *testing.T, second string) []migration {
	t.Helper()
	first, err := fs.ReadFile(made, "migrations/0001_record.sql")
	must(t, err)
	all, err := migrations(fstest.MapFS{"migrations/0001_record.sql": {Data: first}, "migrations/0002_more.sql": {Data: []byte(second)}})
	must(t, err)
	return all
}

func inside(t *testing.T, dsn string, known []migration) (m Migrated, err error) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer c.Close(context.WithoutCancel(t.Context()))
	return m, pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) (err error) {
		m, err = migrate(t.Context(), tx, known)
		return err
	})
}

func TestAnOlderDatabaseIsBehindUntilItIsMigrated(t *testing.T) {
	dsn := fresh(t)
	known, err := migrations(made)
	must(t, err)
	if m, err := inside(t, dsn, known[:1]); err != nil || m.To != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	must(t, sql(t, dsn, nextRow))
	role, reader := pgtest.Server(t).Role(t), pgtest.Server(t).Role(t)
	must(t, sql(t, dsn, fmt.Sprintf(`GRANT SELECT, INSERT ON event, proposal TO "%[1]s"; GRANT SELECT, INSERT, UPDATE ON partition TO "%[1]s";
		GRANT SELECT ON ALL TABLES IN SCHEMA %[3]s TO "%[2]s"; GRANT USAGE ON SCHEMA %[3]s TO "%[1]s", "%[2]s"`,
		role, reader, value(t, dsn, "SELECT current_schema()"))))
	for _, open := range []func(context.Context, string) (record.Log, error){Open, OpenRead} {
		if _, err := open(t.Context(), dsn); !errors.Is(err, record.ErrBehind) || !strings.Contains(err.Error(), "its tables are of version 1, and this program's are 2") {
			t.Errorf("before it is migrated: %v", err)
		}
	}
	m, err := Migrate(t.Context(), dsn, Roles{})
	if err != nil || m.From != 1 || m.To != 2 || len(m.Applied) != 1 || m.Applied[0] != "0002_memory.sql" {
		t.Errorf("%+v, %v", m, err)
	}
	if n := value(t, dsn, countTables); n != fmt.Sprint(len(tables)) {
		t.Errorf("%s tables", n)
	}
	must(t, sql(t, as(t, dsn, role), nextRow+"; INSERT INTO memory VALUES ('q', 1, 'Ander', 1, 'saw', 'Mose')"))
	if got := code(t, sql(t, as(t, dsn, reader), "INSERT INTO memory VALUES ('q', 2, 'Ander', 1, 'saw', 'Mose')")); got != "42501" {
		t.Errorf("who could read alone is told %q", got)
	}
	l, err := OpenRead(t.Context(), as(t, dsn, reader))
	must(t, err)
	defer l.Close()
	must(t, l.Check(t.Context(), "q"))
	if n := value(t, dsn, "SELECT count(*) || ' ' || (SELECT count(*) FROM proposal) FROM event"); n != "2 2" {
		t.Errorf("%s events and rows", n)
	}
}

func TestAMigrationThatFailsLeavesNothing(t *testing.T) {
	dsn := fresh(t)
	_, err := inside(t, dsn, with(t, "CREATE TABLE more (id int); CREATE TABLE more (id int)"))
	if err == nil || !strings.Contains(err.Error(), "0002_more.sql") {
		t.Errorf("it says %v", err)
	}
	if n := value(t, dsn, countTables); n != "0" {
		t.Errorf("%s tables are left", n)
	}
}

func TestADatabaseWithoutTablesIsBehind(t *testing.T) {
	dsn := fresh(t)
	c, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer c.Close(context.WithoutCancel(t.Context()))
	if err := migrated(t.Context(), c); !errors.Is(err, record.ErrBehind) {
		t.Errorf("it says %v", err)
	}
	migrateIt(t, dsn)
	if err := migrated(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestMigrationsAreNumberedByTheirNames(t *testing.T) {
	if _, err := migrations(fstest.MapFS{"migrations/0002_x.sql": {}}); err == nil {
		t.Error("the first is numbered 2")
	}
	if all, err := migrations(made); err != nil || len(all) == 0 {
		t.Errorf("%d, %v", len(all), err)
	}
}
