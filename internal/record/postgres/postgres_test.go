package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/recordtest"
)

// opened remembers where a log of the suite lies. It is the driver's own type, so that the
// suite sees all that the driver offers.
type opened struct {
	*postgres.Log
	dsn string
}

// fresh is the dsn of a schema with the record's tables.
func fresh(t testing.TB) string {
	t.Helper()
	dsn, err := pgtest.Server(t).Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	return dsn
}

func open(t testing.TB) record.Log { return openAt(t, fresh(t)) }

func openAt(t testing.TB, dsn string) record.Log {
	t.Helper()
	l, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	return opened{l.(*postgres.Log), dsn}
}

func TestTheSuiteOfEveryDriver(t *testing.T) {
	recordtest.Run(t, recordtest.Driver{
		Open:  open,
		Again: func(t testing.TB, l record.Log) record.Log { return openAt(t, l.(opened).dsn) },
		Raw: func(t testing.TB, l record.Log, p record.Partition) recordtest.Raw {
			return raw{connect(t, l.(opened).dsn), p}
		},
	})
}

// connect opens the database as any program may that speaks SQL.
func connect(t testing.TB, dsn string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

type raw struct {
	*pgxpool.Pool
	p record.Partition
}

func (r raw) Put(s record.Stored) error {
	set := []any{s.ID, string(s.Kind), s.Task, s.Claim, s.Body, s.Prev, s.Hash, string(r.p), int64(s.Seq)}
	done, err := r.Pool.Exec(context.Background(), `UPDATE event SET id = $1, kind = $2, task = $3, claim = $4, body = $5, prev = $6, hash = $7
		WHERE partition = $8 AND seq = $9`, set...)
	if err != nil || done.RowsAffected() == 1 {
		return err
	}
	_, err = r.Pool.Exec(context.Background(), `INSERT INTO event (id, kind, task, claim, body, prev, hash, partition, seq)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, set...)
	return err
}

func (r raw) Drop(seq record.Seq) error {
	_, err := r.Pool.Exec(context.Background(), "DELETE FROM event WHERE partition = $1 AND seq = $2", string(r.p), int64(seq))
	return err
}

func (r raw) Exec(text string) error {
	_, err := r.Pool.Exec(context.Background(), text)
	return err
}

func (r raw) Count(query string) (n int, err error) {
	return n, r.QueryRow(context.Background(), query).Scan(&n)
}

func (r raw) Unguard() error { return r.triggers("DISABLE TRIGGER USER") }

func (r raw) Guard() error {
	if err := r.triggers("ENABLE TRIGGER USER"); err != nil {
		return err
	}
	rows, err := r.Query(context.Background(), `SELECT format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', tgrelid::regclass, tgname) FROM pg_trigger
		WHERE NOT tgisinternal AND tgrelid IN ('event'::regclass, 'proposal'::regclass, 'memory'::regclass, 'partition'::regclass)`)
	if err != nil {
		return err
	}
	var texts []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		if err := r.Exec(text); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r raw) triggers(do string) error {
	for _, table := range []string{"event", "proposal", "memory", "partition"} {
		if err := r.Exec(fmt.Sprintf("ALTER TABLE %s %s", table, do)); err != nil {
			return err
		}
	}
	return nil
}
