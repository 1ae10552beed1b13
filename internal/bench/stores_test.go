package bench

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/sqlite"
)

// store is one home of the record.
type store struct {
	name  string
	env   []string                      // by which the program takes it
	open  func(b *testing.B) record.Log // one of its own
	floor func(b *testing.B) (insert func(body []byte) error)
	bare  string // what the floor is
}

// stores are the two, side by side. Where no server can be had, the benchmark is skipped for
// it by name, and its rows are left out.
func stores(b *testing.B, do func(b *testing.B, i int, s store)) {
	b.Run("embedded", func(b *testing.B) { do(b, 0, embedded()) })
	b.Run("postgres", func(b *testing.B) { do(b, 1, shared(b)) })
}

func embedded() store {
	return store{name: "embedded", bare: "a bare insert into SQLite",
		open: func(b *testing.B) record.Log {
			log, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "record.db"))
			must(b, err)
			return log
		},
		floor: func(b *testing.B) func([]byte) error {
			db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "x.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
			must(b, err)
			b.Cleanup(func() { db.Close() })
			_, err = db.Exec("CREATE TABLE t (x BLOB)")
			must(b, err)
			insert, err := db.Prepare("INSERT INTO t VALUES (?)")
			must(b, err)
			return func(body []byte) error {
				_, err := insert.Exec(body)
				return err
			}
		}}
}

// shared is a server that writes to the disk what it commits, as a team's does.
func shared(b *testing.B) store {
	server := pgtest.Own(b, "fsync=on", "synchronous_commit=on", "full_page_writes=on")
	fresh := func(b *testing.B) string {
		dsn := server.Database(b)
		_, err := postgres.Migrate(b.Context(), dsn, postgres.Roles{})
		must(b, err)
		return dsn
	}
	return store{name: "postgres", bare: "a bare INSERT into the same server", env: []string{"TORVE_DSN=" + fresh(b)},
		open: func(b *testing.B) record.Log {
			log, err := postgres.Open(b.Context(), fresh(b))
			must(b, err)
			return log
		},
		floor: func(b *testing.B) func([]byte) error {
			c, err := pgx.Connect(b.Context(), server.Database(b))
			must(b, err)
			b.Cleanup(func() { c.Close(context.Background()) })
			_, err = c.Exec(b.Context(), "CREATE TABLE t (x bytea)")
			must(b, err)
			return func(body []byte) error {
				_, err := c.Exec(b.Context(), "INSERT INTO t VALUES ($1)", body)
				return err
			}
		}}
}

func BenchmarkRecord(b *testing.B) {
	const n = 300
	stores(b, func(b *testing.B, i int, s store) {
		floor := func() time.Duration {
			insert := s.floor(b)
			began := time.Now()
			for body := make([]byte, 300); len(body) < 300+n; body = append(body, 0) {
				must(b, insert(body[:300]))
			}
			return time.Since(began)
		}
		timeOf := func(events func(i int) (record.Cond, record.Event)) func() time.Duration {
			return func() time.Duration {
				log := s.open(b)
				defer log.Close()
				began := time.Now()
				for i := range n {
					cond, e := events(i)
					_, err := log.Append(b.Context(), partition, cond, e)
					must(b, err)
				}
				return time.Since(began)
			}
		}
		notes := timeOf(func(i int) (record.Cond, record.Event) {
			return record.TaskAt(id(0), record.Seq(i)), event(b, i, id(0), 0, "", record.ByPerson, record.Message{Text: "a line of some length, as people write them"})
		})
		claims := timeOf(func(i int) (record.Cond, record.Event) {
			return record.ClaimsAt(record.Seq(i)).And(record.TaskAt(id(i), 0)),
				event(b, i, id(i), 0, "C-"+id(i), record.ByDispatch, record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"})
		})
		got := best(4, notes, claims, floor)
		rate(b, 70+i, "durable appends, "+s.name, n, got[0], got[2], s.bare, "")
		rate(b, 72+i, "claims, "+s.name, n, got[1], got[2], s.bare, "")
	})
}

// BenchmarkLongRecord is what is asked of a long record, on both stores: writing that history
// takes the longest.
func BenchmarkLongRecord(b *testing.B) {
	for n, h := range []history{
		{tasks: 10_000, landed: 9_900, record: true},
		{tasks: 100_000, landed: 99_000, record: true},
	} {
		b.Run(fmt.Sprint(h.tasks), func(b *testing.B) {
			p := h.write(b)
			stores(b, func(b *testing.B, i int, s store) {
				if i > 0 {
					startWith(b, nil, p.Dir, "torve", "record", "copy", "--to", s.env[0][len("TORVE_DSN="):])
				}
				long{h, p, s, 20*n + i}.measure(b)
			})
		})
	}
}

// long is a long record in one of the stores.
type long struct {
	history
	place
	store
	row int
}

// of names the record that a row is about.
func (l long) of() string {
	return fmt.Sprintf("%d tasks and %d events, %s", l.tasks, l.events, l.name)
}

func (l long) torve(b *testing.B, args ...string) func() time.Duration {
	return func() time.Duration {
		took, _ := startWith(b, l.env, l.Dir, append([]string{"torve"}, args...)...)
		return took
	}
}

func (l long) measure(b *testing.B) {
	ask := func(row, rounds int, what, aim string, args ...string) {
		got := best(rounds, l.torve(b, args...), torve(b, l.Dir, "version"))
		above(b, l.row+row, what+", "+l.of(), got[0], got[1], noop, aim)
		size(b, 100+l.row+row, "memory of "+what+", "+l.of(), memoryWith(b, l.env, l.Dir, append([]string{"torve"}, args...)...),
			memory(b, l.Dir, "torve", "version"), noop)
	}
	ask(2, 1, "`status` from the events alone", "", "status")
	l.torve(b, "mint")() // it has written, and leaves a snapshot
	aim := ""
	if l.tasks == 10_000 {
		aim = "50 ms above"
	}
	ask(0, 8, "`status`", aim, "status")
	ask(4, 5, "`why` of a task", "", "why", id(7))
	ask(6, 3, "`context`", "", "context")
	ask(8, 2, "`dispatch --dry-run`", "", "dispatch", "--no-mint", "--dry-run")
	ask(10, 2, "`mint` with nothing new", "", "mint")
	got := best(1, func() time.Duration {
		l.more(b, 600)
		return l.torve(b, "mint")()
	}, torve(b, l.Dir, "version"))
	above(b, l.row+12, "`mint` that leaves another snapshot, 600 events later, "+l.of(), got[0], got[1], noop, "")
}

// more writes events that change nothing but make another snapshot worth its writing.
func (l long) more(b *testing.B, n int) {
	b.Helper()
	open := func() (record.Log, error) {
		return sqlite.Open(b.Context(), filepath.Join(l.Dir, ".git", "torve", "record.db"))
	}
	if len(l.env) > 0 {
		open = func() (record.Log, error) { return postgres.Open(b.Context(), l.env[0][len("TORVE_DSN="):]) }
	}
	log, err := open()
	must(b, err)
	defer log.Close()
	var events []record.Event
	for i := range n {
		events = append(events, event(b, i, id(i), 0, "", record.ByPerson, record.Message{Text: "look at this one"}))
	}
	_, err = log.Append(b.Context(), partition, record.Always(), events...)
	must(b, err)
}
