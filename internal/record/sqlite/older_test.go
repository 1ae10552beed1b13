package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

// judged is an event that carries a row, or none.
func judged(t testing.TB, id string, row bool) record.Event {
	t.Helper()
	j := recordtest.Accepted("arrival")
	if row {
		j = recordtest.Proposed(j, "T-0001")
	}
	e, err := record.New(j, recordtest.At, record.Envelope{
		ID: id, Task: "T-0001", Attempt: 1, Claim: "C-1", Actor: record.Actor{Kind: record.ByAttempt},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// olders take away from a record what a version has not.
var olders = map[int]string{
	1: "DROP TRIGGER event_first; DROP TABLE memory; DROP TABLE proposal; PRAGMA user_version = 1",
	2: "DROP TRIGGER event_first; DROP TABLE memory; PRAGMA user_version = 2",
}

// older is a record as a program made it that knew of no ledger, closed: two partitions.
func older(t *testing.T, rows bool) string {
	t.Helper()
	path := aged(t, 1, rows)
	if got := number(t, path, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%proposal%'"); got != 0 {
		t.Fatalf("%d things of the ledger are left in the older record", got)
	}
	return path
}

// aged is a record as a program of a version made it.
func aged(t *testing.T, version int, rows bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "torve", "record.db")
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []record.Partition{part, "acme/other"} {
		for i, row := range []bool{false, rows, rows, false} {
			if _, err := l.Append(t.Context(), p, record.Always(), judged(t, fmt.Sprint("E-", i), row)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, path, olders[version]+"; PRAGMA wal_checkpoint(truncate)")
	return path
}

func number(t *testing.T, path, query string) (n int) {
	t.Helper()
	if err := rawOpen(t, path).QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func versionOf(t *testing.T, path string) int { return number(t, path, "PRAGMA user_version") }

func ledgerOf(t *testing.T, l record.Log, p record.Partition) (ids []int64) {
	t.Helper()
	for r, err := range l.(record.Ledger).Proposals(t.Context(), p, "") {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

func TestAnOlderRecordIsReadAndNotWritten(t *testing.T) {
	path := older(t, false)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if n := len(idsOf(t, l)); n != 4 {
		t.Errorf("%d events", n)
	}
	if rows := ledgerOf(t, l, part); rows != nil {
		t.Errorf("it has the rows %v", rows)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) || versionOf(t, path) != 1 {
		t.Errorf("it was written: %v", err)
	}
	w, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Append(t.Context(), part, record.Always(), judged(t, "E-9", true)); err != nil {
		t.Fatal(err)
	}
	if rows := ledgerOf(t, l, part); len(rows) != 1 {
		t.Errorf("who opened it before sees the rows %v", rows)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}

func TestARecordFromBeforeThereWasAMemoryIsReadWithoutOne(t *testing.T) {
	for version := range olders {
		path := aged(t, version, version > 1)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := sqlite.OpenRead(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if rows := memoryOf(t, l, part); rows != nil {
			t.Errorf("version %d remembers %v", version, rows)
		}
		now, err := l.(record.Ledger).Current(t.Context(), part, "T-0001")
		if err != nil || (now != nil) != (version > 1) {
			t.Errorf("version %d has the plan %v, %v", version, now, err)
		}
		if err := errors.Join(l.Check(t.Context(), part), l.Check(t.Context(), "bench")); err != nil {
			t.Error(err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) || versionOf(t, path) != version {
			t.Errorf("version %d was written: %v", version, err)
		}
		w, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		saw := record.Memory{Villager: "Ander", Tick: 1400, Register: record.Saw, Text: "Mose on 9,6"}
		if err := w.(record.Memories).Remember(t.Context(), "bench", saw); err != nil {
			t.Fatal(err)
		}
		if err := w.(record.Memories).Remember(t.Context(), part, saw); !errors.Is(err, record.ErrCarried) {
			t.Errorf("beside events it says %v", err)
		}
		if rows := memoryOf(t, l, "bench"); len(rows) != 1 {
			t.Errorf("who opened it before sees the rows %v", rows)
		}
		if err := errors.Join(l.Check(t.Context(), part), l.Check(t.Context(), "bench")); err != nil || versionOf(t, path) != 3 {
			t.Error(err)
		}
	}
}

func memoryOf(t *testing.T, l record.Log, p record.Partition) (all []record.Memory) {
	t.Helper()
	for m, err := range l.(record.Memories).Memories(t.Context(), p, "") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func TestTheNextWriterBringsAnOlderRecordUpToDate(t *testing.T) {
	path := older(t, true)
	for range 2 {
		l, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []record.Partition{part, "acme/other"} {
			if rows := ledgerOf(t, l, p); fmt.Sprint(rows) != "[1 2]" {
				t.Errorf("%s has the rows %v", p, rows)
			}
			if err := l.Check(t.Context(), p); err != nil {
				t.Error(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if v := versionOf(t, path); v != 3 {
		t.Errorf("it is of version %d", v)
	}
}

func TestManyProcessesBringAnOlderRecordUpToDateAtOnce(t *testing.T) {
	path := older(t, true)
	const many, count = 8, 5
	var all []process
	for i := range many {
		all = append(all, start(t, "append", path, fmt.Sprintf("w%d", i), count, false))
	}
	for _, p := range all {
		if said, ok := p.lines(t); !ok || len(said) != count {
			t.Errorf("a writer ended with %v", said)
		}
	}
	if n := len(ids(t, path)); n != 4+many*count {
		t.Errorf("%d events", n)
	}
	if n := number(t, path, "SELECT count(*) FROM proposal"); n != 4 {
		t.Errorf("%d rows", n)
	}
}

func TestAnUpdateThatFailsLeavesTheOlderRecordAsItWas(t *testing.T) {
	path := older(t, true)
	alter(t, path, "CREATE TABLE proposal (mine)")
	if _, err := sqlite.Open(t.Context(), path); err == nil {
		t.Fatal("it was opened")
	}
	if v := versionOf(t, path); v != 1 {
		t.Errorf("it is of version %d", v)
	}
	if n := number(t, path, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'proposal%'"); n != 1 {
		t.Errorf("%d things of the ledger are there", n)
	}
	alter(t, path, "DROP TABLE proposal")
	if n := len(ids(t, path)); n != 4 {
		t.Errorf("%d events", n)
	}
}

func TestABrokenEventKeepsNoOlderRecordFromItsWriter(t *testing.T) {
	path := older(t, true)
	alter(t, path, `DROP TRIGGER event_no_update;
		UPDATE event SET body = CAST(replace(CAST(body AS TEXT), '"row":{', '"row":{"x":1,') AS BLOB) WHERE seq = 2 AND partition = 'acme/shop'`)
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if rows := ledgerOf(t, l, part); len(rows) != 1 {
		t.Errorf("the rows %v", rows)
	}
	var found *record.Broken
	if err := l.Check(context.Background(), part); !errors.As(err, &found) {
		t.Errorf("check says %v", err)
	}
}

func TestReplaceIsNoWayRoundTheTriggersOfTheLedger(t *testing.T) {
	l := open(t)
	defer l.Close()
	if _, err := l.Append(t.Context(), part, record.Always(), judged(t, "E-1", true), judged(t, "E-2", true)); err != nil {
		t.Fatal(err)
	}
	saw := record.Memory{Villager: "Ander", Tick: 1400, Register: record.Saw, Text: "Mose on 9,6"}
	if err := l.(record.Memories).Remember(t.Context(), "bench", saw, saw); err != nil {
		t.Fatal(err)
	}
	db := rawOpen(t, l.(opened).path)
	for _, text := range []string{
		"REPLACE INTO proposal SELECT * FROM proposal WHERE id = 1",
		"UPDATE OR REPLACE proposal SET id = 1 WHERE id = 2",
		"INSERT INTO proposal SELECT * FROM proposal WHERE id = 1 ON CONFLICT DO UPDATE SET tick = 9",
		"REPLACE INTO memory SELECT * FROM memory WHERE id = 1",
		"UPDATE OR REPLACE memory SET id = 1 WHERE id = 2",
		"INSERT INTO memory SELECT * FROM memory WHERE id = 1 ON CONFLICT DO UPDATE SET tick = 9",
	} {
		if _, err := db.Exec(text); err == nil {
			t.Errorf("the store took %s", text)
		}
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}
