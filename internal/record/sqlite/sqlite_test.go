package sqlite_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

func TestMain(m *testing.M) {
	if role := os.Getenv("TORVE_RECORD_CHILD"); role != "" {
		os.Exit(child(role))
	}
	goleak.VerifyTestMain(m)
}

// opened remembers where a log of the suite lies. It is the driver's own type, so that the
// suite sees all that the driver offers.
type opened struct {
	*sqlite.Log
	path string
}

func open(t testing.TB) record.Log {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "a b%?#", "record.db"))
}

func openAt(t testing.TB, path string) record.Log {
	t.Helper()
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return opened{l.(*sqlite.Log), path}
}

func TestTheSuiteOfEveryDriver(t *testing.T) {
	recordtest.Run(t, recordtest.Driver{
		Open:  open,
		Again: func(t testing.TB, l record.Log) record.Log { return openAt(t, l.(opened).path) },
		Raw: func(t testing.TB, l record.Log, p record.Partition) recordtest.Raw {
			db := rawOpen(t, l.(opened).path)
			return raw{db, p, guardsOf(t, db)}
		},
	})
}

// rawOpen opens the file as any program may that speaks SQL.
func rawOpen(t testing.TB, path string) *sql.DB {
	t.Helper()
	link := filepath.Join(t.TempDir(), "folder") // a name without the characters of a URL
	if err := os.Symlink(filepath.Dir(path), link); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(link, filepath.Base(path))+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

type raw struct {
	db     *sql.DB
	p      record.Partition
	guards map[string]string
}

func guardsOf(t testing.TB, db *sql.DB) map[string]string {
	t.Helper()
	rows, err := db.Query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		found[name] = text
	}
	if len(found) == 0 {
		t.Fatal("the table has no trigger")
	}
	return found
}

func (r raw) Put(s record.Stored) error {
	set := []any{s.ID, s.Kind, s.Task, s.Claim, s.Body, s.Prev, s.Hash, r.p, s.Seq}
	done, err := r.db.Exec(`UPDATE event SET id = ?, kind = ?, task = ?, claim = ?, body = ?, prev = ?, hash = ?
		WHERE partition = ? AND seq = ?`, set...)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); n == 1 || err != nil {
		return err
	}
	_, err = r.db.Exec(`INSERT INTO event (id, kind, task, claim, body, prev, hash, partition, seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, set...)
	return err
}

func (r raw) Drop(seq record.Seq) error {
	_, err := r.db.Exec("DELETE FROM event WHERE partition = ? AND seq = ?", r.p, seq)
	return err
}

func (r raw) Exec(text string) error {
	_, err := r.db.Exec(text)
	return err
}

func (r raw) Count(query string) (n int, err error) {
	err = r.db.QueryRow(query).Scan(&n)
	return n, err
}

func (r raw) Unguard() error {
	for name := range r.guards {
		if _, err := r.db.Exec(fmt.Sprintf("DROP TRIGGER %q", name)); err != nil {
			return err
		}
	}
	return nil
}

func (r raw) Guard() error {
	for _, text := range r.guards {
		if _, err := r.db.Exec(text); err != nil {
			return err
		}
	}
	return nil
}

func TestReplaceIsNoWayRoundTheTriggers(t *testing.T) {
	l := open(t)
	defer l.Close()
	for _, e := range recordtest.Samples(t)[:2] {
		if _, err := l.Append(t.Context(), "p", record.Always(), e); err != nil {
			t.Fatal(err)
		}
	}
	db := rawOpen(t, l.(opened).path)
	defer db.Close()
	for name, text := range map[string]string{
		"its seq":           `REPLACE INTO event SELECT partition, seq, 'new', kind, task, claim, body, prev, hash FROM event WHERE seq = 2`,
		"its id":            `REPLACE INTO event SELECT partition, 3, id, kind, task, claim, body, prev, hash FROM event WHERE seq = 2`,
		"its rowid":         `REPLACE INTO event (rowid, partition, seq, id, kind, task, claim, body, prev, hash) SELECT rowid, partition, seq, 'new', kind, task, claim, body, prev, hash FROM event WHERE seq = 2`,
		"a seq with a gap":  `INSERT INTO event SELECT partition, 9, 'new', kind, task, claim, body, prev, hash FROM event WHERE seq = 2`,
		"its id, on update": `INSERT INTO event SELECT partition, seq, id, kind, task, claim, body, prev, hash FROM event WHERE seq = 2 ON CONFLICT DO UPDATE SET task = 'T-9'`,
	} {
		if _, err := db.Exec(text); err == nil {
			t.Errorf("a row was replaced by %s", name)
		}
	}
	if err := l.Check(t.Context(), "p"); err != nil {
		t.Error(err)
	}
}
