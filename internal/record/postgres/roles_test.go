package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/record"
	"torve/internal/record/postgres/pgtest"
)

// nextEvent is the statement that a writer adds an event with; the next one of the partition p.
const nextEvent = `INSERT INTO partition (partition) VALUES ('p') ON CONFLICT DO NOTHING;
WITH next AS (UPDATE partition SET seq = seq + 1, prev = hash,
		hash = encode(sha256(decode(hash, 'hex') || int8send(seq + 1) || '{}'::bytea), 'hex') WHERE partition = 'p' RETURNING *)
	INSERT INTO event SELECT partition, seq, 'id' || seq, 'k', '', '', '{}', prev, hash FROM next`

// nextJudged and nextRow are a judging and its row of the ledger, in one transaction.
const nextJudged = `BEGIN; INSERT INTO partition (partition) VALUES ('p') ON CONFLICT DO NOTHING;
WITH next AS (UPDATE partition SET seq = seq + 1, prev = hash,
		hash = encode(sha256(decode(hash, 'hex') || int8send(seq + 1) || '{"row":{}}'::bytea), 'hex') WHERE partition = 'p' RETURNING *)
	INSERT INTO event SELECT partition, seq, 'id' || seq, 'gate.judged', '', '', '{"row":{}}', prev, hash FROM next;`

const nextRow = nextJudged + aRow + "; COMMIT"

const aRow = `INSERT INTO proposal SELECT 'p', coalesce(max(id), 0) + 1, 'T-0001', 7, 'plan', 'm', '', '{}', '', NULL, NULL, '{}', '', 'accepted', NULL, NULL
	FROM proposal WHERE partition = 'p'`

// aMemory is the next row of a bench's memory.
const aMemory = `INSERT INTO memory SELECT 'b', coalesce(max(id), 0) + 1, 'Ander', 1400, 'saw', 'Mose on 9,6' FROM memory WHERE partition = 'b'`

// code is that of the server's refusal; "" when it did what it was told.
func code(t testing.TB, err error) string {
	t.Helper()
	var said *pgconn.PgError
	if err != nil && !errors.As(err, &said) {
		t.Fatal(err)
	}
	if said == nil {
		return ""
	}
	return said.Code
}

func TestEachRoleMayDoWhatItNeedsAndNoMore(t *testing.T) {
	c := pgtest.Server(t)
	dsn := fresh(t)
	writer, reader := c.Role(t), c.Role(t)
	_, err := Migrate(t.Context(), dsn, Roles{Writer: writer, Reader: reader})
	must(t, err)
	const no = "42501" // insufficient_privilege
	reads, writes := session(t, as(t, dsn, reader)), session(t, as(t, dsn, writer))
	for _, try := range []struct{ statement, writer, reader string }{
		{"SELECT count(*) FROM event, partition, proposal, memory, snapshot, snapshot_part, lease, torve_migration", "", ""},
		{nextEvent, "", no},
		{nextRow, "", no},
		{aRow, "23001", no},
		{aMemory, "", no},
		{strings.ReplaceAll(aMemory, "'b'", "'p'"), "23001", no},
		{"SELECT 1 FROM partition WHERE partition = 'p' FOR UPDATE", "", no},
		{"INSERT INTO snapshot VALUES ('p', 'n', 'f', 1, 'h') ON CONFLICT (partition, name) DO UPDATE SET seq = 2; DELETE FROM snapshot", "", no},
		{"INSERT INTO snapshot_part VALUES ('p', 'n', 'f', 's', ''); UPDATE snapshot_part SET sum = ''; DELETE FROM snapshot_part", "", no},
		{"INSERT INTO lease VALUES ('p', 'c', 'h', now(), now()); UPDATE lease SET ends = now(); DELETE FROM lease", "", no},
		{"LISTEN torve", "", ""},
		{"UPDATE event SET kind = 'x'", no, no},
		{"DELETE FROM event", no, no},
		{"TRUNCATE event", no, no},
		{"UPDATE proposal SET verdict = 'refused'", no, no},
		{"DELETE FROM proposal", no, no},
		{"UPDATE memory SET text = ''", no, no},
		{"DELETE FROM memory", no, no},
		{"TRUNCATE memory", no, no},
		{"DELETE FROM partition", no, no},
		{"TRUNCATE partition, lease", no, no},
		{"INSERT INTO torve_migration VALUES (9, 'x', 'x')", no, no},
		{"UPDATE torve_migration SET sha256 = ''", no, no},
		{"ALTER TABLE event DISABLE TRIGGER ALL", no, no},
		{"SET session_replication_role = replica", no, no},
		{"DROP TABLE event", no, no},
		{"CREATE TABLE more (id int)", no, no},
		{"CREATE OR REPLACE FUNCTION torve_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'", no, no},
	} {
		if got := code(t, reads(try.statement)); got != try.reader {
			t.Errorf("to the reader's %s the server says %q, want %q", try.statement, got, try.reader)
		}
		must(t, reads("ROLLBACK"))
		if got := code(t, writes(try.statement)); got != try.writer {
			t.Errorf("to the writer's %s the server says %q, want %q", try.statement, got, try.writer)
		}
	}
}

func TestGrantingAgainIsHarmlessAndARoleIsWhatItWasLastNamed(t *testing.T) {
	c := pgtest.Server(t)
	dsn := fresh(t)
	one, two := c.Role(t), c.Role(t)
	for _, r := range []Roles{{one, two}, {one, two}, {two, one}} {
		_, err := Migrate(t.Context(), dsn, r)
		must(t, err)
	}
	if got := code(t, sql(t, as(t, dsn, two), nextEvent)); got != "" {
		t.Errorf("the new writer is told %q", got)
	}
	if got := code(t, sql(t, as(t, dsn, one), nextEvent)); got != "42501" {
		t.Errorf("the writer that is a reader now is told %q", got)
	}
}

func TestARoleIsLetInWhereThePublicIsNot(t *testing.T) {
	c := pgtest.Server(t)
	dsn := c.Database(t)
	role := c.Role(t)
	name := value(t, dsn, "SELECT current_database()")
	must(t, sql(t, dsn, "REVOKE ALL ON DATABASE "+name+" FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC"))
	_, err := Migrate(t.Context(), dsn, Roles{Reader: role})
	must(t, err)
	if got := value(t, as(t, dsn, role), "SELECT count(*) FROM event"); got != "0" {
		t.Errorf("%s events", got)
	}
}

func TestARoleOfAnyNameIsQuoted(t *testing.T) {
	c := pgtest.Server(t)
	dsn := fresh(t)
	odd := `An "odd" rôle; DROP TABLE event`
	c.Exec(t, "CREATE ROLE "+pgx.Identifier{odd}.Sanitize())
	t.Cleanup(func() { c.Exec(t, "DROP ROLE "+pgx.Identifier{odd}.Sanitize()) })
	_, err := Migrate(t.Context(), dsn, Roles{Writer: odd})
	must(t, err)
	if n := value(t, dsn, "SELECT has_table_privilege('"+odd+"', 'event', 'INSERT')"); n != "true" {
		t.Errorf("it may add: %s", n)
	}
	must(t, sql(t, dsn, "DROP OWNED BY "+pgx.Identifier{odd}.Sanitize()))
}

func TestARoleThatCannotBeBoundIsRefusedAndNothingIsMade(t *testing.T) {
	c := pgtest.Server(t)
	dsn := c.Database(t)
	owner, member := c.Role(t), c.Role(t)
	c.Exec(t, "GRANT "+owner+" TO "+member)
	must(t, sql(t, dsn, "ALTER SCHEMA public OWNER TO "+owner))
	another := c.Role(t)
	migrated := c.Database(t)
	migrateIt(t, migrated)
	through := c.Role(t)
	c.Exec(t, "GRANT "+through+" TO "+another)
	must(t, sql(t, migrated, "GRANT DELETE ON event TO "+through))
	for name, try := range map[string]struct {
		by    string
		roles Roles
		says  string
	}{
		"one that is not there":            {dsn, Roles{Writer: "nobody there"}, `the role "nobody there" is not there`},
		"PUBLIC, which is no role":         {dsn, Roles{Writer: "public"}, `the role "public" is not there`},
		"a superuser as the writer":        {dsn, Roles{Writer: "torve"}, `"torve" may do everything`},
		"a superuser as the reader":        {dsn, Roles{Reader: "torve"}, `"torve" may do everything`},
		"the owner":                        {as(t, dsn, owner), Roles{Writer: owner}, "may do everything"},
		"a member of the owner":            {as(t, dsn, owner), Roles{Reader: member}, "may do everything"},
		"one that may through another":     {migrated, Roles{Writer: another}, "may DELETE event all the same"},
		"one role as writer and as reader": {dsn, Roles{Writer: owner, Reader: owner}, "cannot be the writer and the reader"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Migrate(t.Context(), try.by, try.roles)
			if err == nil || !strings.Contains(err.Error(), try.says) {
				t.Errorf("it says %v", err)
			}
			var role *RoleError
			if !errors.As(err, &role) || role.Missing != strings.Contains(try.says, "is not there") {
				t.Errorf("%v", err)
			}
			if n := value(t, dsn, countTables); n != "0" {
				t.Errorf("%s tables were made", n)
			}
		})
	}
}

func TestARoleThatMayMoreInSomeOtherWayIsRefused(t *testing.T) {
	c := pgtest.Server(t)
	dsn := fresh(t)
	migrateIt(t, dsn)
	for may, grant := range map[string]string{
		"UPDATE event":      "UPDATE (kind) ON event",
		"INSERT event":      "INSERT (id) ON event",
		"TRUNCATE proposal": "TRUNCATE ON proposal",
		"TRIGGER event":     "TRIGGER ON event",
		"REFERENCES event":  "REFERENCES (seq) ON event",
		"DELETE lease":      "DELETE ON lease",
	} {
		role, through := c.Role(t), c.Role(t)
		c.Exec(t, "GRANT "+through+" TO "+role)
		must(t, sql(t, dsn, "GRANT "+grant+" TO "+through))
		_, err := Migrate(t.Context(), dsn, Roles{Reader: role})
		var told *RoleError
		if !errors.As(err, &told) || !strings.Contains(err.Error(), "may "+may+" all the same") {
			t.Errorf("with %s: %v", grant, err)
		}
		must(t, sql(t, dsn, "GRANT "+grant+" TO "+role))
		c.Exec(t, "REVOKE "+through+" FROM "+role)
		if _, err := Migrate(t.Context(), dsn, Roles{Reader: role}); err != nil {
			t.Errorf("with its own %s, which is taken from it: %v", grant, err)
		}
	}
}

func TestOneWhoDoesNotOwnTheTablesGrantsNothing(t *testing.T) {
	c := pgtest.Server(t)
	dsn := fresh(t)
	migrateIt(t, dsn)
	mine, other := c.Role(t), c.Role(t)
	_, err := Migrate(t.Context(), dsn, Roles{Reader: mine})
	must(t, err)
	if _, err := Migrate(t.Context(), as(t, dsn, mine), Roles{Reader: other}); !errors.Is(err, record.ErrRefused) {
		t.Errorf("it says %v", err)
	}
	if _, err := Migrate(t.Context(), as(t, dsn, mine), Roles{}); err != nil {
		t.Errorf("to find that there is nothing to do needs no right: %v", err)
	}
}

func TestTheTablesRefuseByThemselvesWhatIsNotAppendOnly(t *testing.T) {
	dsn := fresh(t)
	migrateIt(t, dsn)
	must(t, sql(t, dsn, nextRow))
	must(t, sql(t, dsn, aMemory))
	for range 3 {
		must(t, sql(t, dsn, nextEvent))
	}
	does := session(t, dsn)
	for _, statement := range []string{
		"UPDATE event SET kind = 'x'", "UPDATE event SET kind = 'x' WHERE false", "DELETE FROM event", "TRUNCATE event",
		"INSERT INTO event SELECT * FROM event ON CONFLICT (partition, seq) DO UPDATE SET kind = 'x'",
		"MERGE INTO event e USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE",
		"SET session_replication_role = replica; DELETE FROM event",
		"INSERT INTO event SELECT partition, 9, 'x', kind, task, claim, body, prev, hash FROM event WHERE seq = 4",
		"INSERT INTO event SELECT partition, 2, 'x', kind, task, claim, body, prev, hash FROM event WHERE seq = 4",
		"INSERT INTO event SELECT partition, 5, 'x', kind, task, claim, body, hash, hash FROM event WHERE seq = 4",
		strings.ReplaceAll("CREATE TEMP TABLE event (LIKE S.event); INSERT INTO S.event SELECT partition, 1, 'x', kind, task, claim, body, '', hash FROM S.event WHERE seq = 1",
			"S.", value(t, dsn, "SELECT current_schema()")+"."),
		`INSERT INTO event SELECT partition, 5, 'x', kind, task, claim, body, hash, encode(sha256(decode(hash, 'hex') || int8send(5) || body), 'hex') FROM event WHERE seq = 4`,
		"UPDATE partition SET seq = seq + 1", "UPDATE partition SET seq = seq - 1", "UPDATE partition SET hash = ''",
		"UPDATE partition SET partition = 'q'", "INSERT INTO partition VALUES ('q', 5)", "DELETE FROM partition", "TRUNCATE partition",
		"UPDATE proposal SET kind = 'step'", "DELETE FROM proposal", "TRUNCATE proposal",
		strings.Replace(aRow, "+ 1", "+ 2", 1), strings.Replace(aRow, "+ 1", "", 1),
		"UPDATE memory SET text = 'x'", "DELETE FROM memory", "TRUNCATE memory", "SET session_replication_role = replica; DELETE FROM memory",
		"INSERT INTO memory SELECT * FROM memory ON CONFLICT (partition, id) DO UPDATE SET text = 'x'",
		strings.Replace(aMemory, "+ 1", "+ 2", 1), strings.Replace(aMemory, "+ 1", "", 1), strings.ReplaceAll(aMemory, "'b'", "'p'"),
		strings.ReplaceAll(nextEvent, "'p'", "'b'"),
	} {
		if got := code(t, does(statement)); got != "23001" {
			t.Errorf("to %s the server says %q", statement, got)
		}
		must(t, does("ROLLBACK"))
	}
	must(t, sql(t, dsn, nextEvent))
	if got := value(t, dsn, "SELECT string_agg(seq || ' ' || (hash = (SELECT hash FROM partition))::text, ', ' ORDER BY seq) FROM event"); got != "1 false, 2 false, 3 false, 4 false, 5 true" {
		t.Error(got)
	}
}

// TestNobodyWithTheWritersRightsMakesTheLedgerAnotherThanItsEventsCarry asks it of who adds
// rows and events apart, which could never be mended.
func TestNobodyWithTheWritersRightsMakesTheLedgerAnotherThanItsEventsCarry(t *testing.T) {
	dsn := fresh(t)
	role := pgtest.Server(t).Role(t)
	_, err := Migrate(t.Context(), dsn, Roles{Writer: role})
	must(t, err)
	does := session(t, as(t, dsn, role))
	judged := strings.TrimPrefix(nextJudged, "BEGIN; ")
	all := func(texts ...string) string { return "BEGIN; " + strings.Join(append(texts, "COMMIT"), "; ") }
	must(t, does(nextRow))
	must(t, does(all(judged, aRow, judged, nextEvent, aRow)))
	must(t, does(all(judged, judged, aRow, aRow)))
	for _, text := range []string{
		aRow, all(aRow, nextEvent), all(judged), all(judged, nextEvent), all(judged, aRow, aRow), all(judged, judged, aRow),
		all(judged, "SAVEPOINT s", aRow), all("SAVEPOINT s", judged, "RELEASE s", aRow), all("SAVEPOINT s", judged, "RELEASE s", judged, aRow),
		all("SAVEPOINT s", judged, aRow), all(judged, aRow, "SAVEPOINT s", aRow), all(judged, "SAVEPOINT s", aRow, "RELEASE s", aRow),
		all(judged, aRow, "SET CONSTRAINTS ALL IMMEDIATE", aRow),
	} {
		if got := code(t, does(text)); got != "23001" {
			t.Errorf("to %s the server says %q", text, got)
		}
		must(t, does("ROLLBACK"))
	}
	if got := value(t, dsn, "SELECT count(*) FROM proposal"); got != "5" {
		t.Errorf("there are %s rows", got)
	}
	must(t, does(nextRow))
}

// TestABenchStaysABenchWhoeverWritesToIt asks it of who has the writer's rights and any client.
func TestABenchStaysABenchWhoeverWritesToIt(t *testing.T) {
	dsn := fresh(t)
	role := pgtest.Server(t).Role(t)
	_, err := Migrate(t.Context(), dsn, Roles{Writer: role})
	must(t, err)
	does := session(t, as(t, dsn, role))
	row := strings.ReplaceAll(aRow, "'p'", "'b'")
	must(t, does(row))
	must(t, does(aMemory))
	for _, text := range []string{
		strings.ReplaceAll(nextEvent, "'p'", "'b'"), strings.ReplaceAll(nextRow, "'p'", "'b'"),
		"BEGIN; " + aRow + "; " + nextEvent + "; COMMIT", // its own row, before its first event
		"BEGIN; " + strings.ReplaceAll(aMemory, "'b'", "'c'") + "; " + strings.ReplaceAll(nextEvent, "'p'", "'c'") + "; COMMIT",
	} {
		if got := code(t, does(text)); got != "23001" {
			t.Errorf("to %s the server says %q", text, got)
		}
		must(t, does("ROLLBACK"))
	}
	must(t, does(row))
	must(t, does(nextRow)) // another is none
	log, err := Open(t.Context(), dsn)
	must(t, err)
	defer log.Close()
	must(t, log.Check(t.Context(), "b"))
}

func TestNobodyWithTheWritersRightsEndsAPartitionBeforeItBegan(t *testing.T) {
	dsn := fresh(t)
	role := pgtest.Server(t).Role(t)
	_, err := Migrate(t.Context(), dsn, Roles{Writer: role})
	must(t, err)
	does := session(t, as(t, dsn, role))
	for _, text := range []string{
		"INSERT INTO partition VALUES ('p', 0, '', 'deadbeef')", "INSERT INTO partition VALUES ('p', 0, 'deadbeef', '')",
		"INSERT INTO partition VALUES ('p', -1, '', '')", "INSERT INTO partition VALUES ('p', 1, '', '')",
	} {
		if got := code(t, does(text)); got != "23001" {
			t.Errorf("to %s the server says %q", text, got)
		}
	}
	must(t, does("INSERT INTO partition VALUES ('p', 0, '', '')"))
	if got := code(t, does("UPDATE partition SET hash = 'deadbeef'")); got != "23001" {
		t.Errorf("the server says %q", got)
	}
	must(t, does(nextEvent))
}

func TestEveryTableAndColumnThatIsReadInPsqlHasItsComment(t *testing.T) {
	dsn := fresh(t)
	migrateIt(t, dsn)
	for _, table := range tables {
		if value(t, dsn, "SELECT coalesce(obj_description('"+table+"'::regclass), '')") == "" {
			t.Errorf("table %s has none", table)
		}
	}
	got := value(t, dsn, `SELECT coalesce(string_agg(attrelid::regclass || '.' || attname, ', '), '') FROM pg_attribute
		WHERE attrelid IN ('event'::regclass, 'partition'::regclass, 'proposal'::regclass, 'memory'::regclass, 'lease'::regclass, 'torve_migration'::regclass)
			AND attnum > 0 AND col_description(attrelid, attnum) IS NULL AND NOT (attrelid = 'lease'::regclass AND attname = 'partition')`)
	if got != "" {
		t.Errorf("these columns have none: %s", got)
	}
}

func TestWhatAWriterWritesIsReadAsTheCommentsSay(t *testing.T) {
	dsn := fresh(t)
	migrateIt(t, dsn)
	must(t, sql(t, dsn, nextEvent))
	comment := value(t, dsn, "SELECT obj_description('event'::regclass)")
	_, query, found := strings.Cut(comment, "Read it: ")
	if !found {
		t.Fatal(comment)
	}
	must(t, sql(t, dsn, query))
}

func TestEveryTableIsGranted(t *testing.T) {
	for _, table := range tables {
		if !slices.ContainsFunc(rights, func(r right) bool { return r.table == table }) {
			t.Errorf("no role has a right to %s", table)
		}
	}
}
