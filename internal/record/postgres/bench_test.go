package postgres_test

import (
	"testing"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/recordtest"
)

// durable is a server that writes to the disk what it commits, with the record's tables.
func durable(b *testing.B) string {
	b.Helper()
	dsn := pgtest.Own(b, "fsync=on").Database(b)
	if _, err := postgres.Migrate(b.Context(), dsn, postgres.Roles{}); err != nil {
		b.Fatal(err)
	}
	return dsn
}

// BenchmarkWrites sets the record beside a bare insert of the same bytes, which is what no
// append can be under: on one server, one after the other.
func BenchmarkWrites(b *testing.B) {
	dsn := durable(b)
	b.Run("insert", func(b *testing.B) {
		c := connect(b, dsn)
		if _, err := c.Exec(b.Context(), "CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, body bytea NOT NULL)"); err != nil {
			b.Fatal(err)
		}
		body, err := note(b, recordtest.Line).Body()
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := c.Exec(b.Context(), "INSERT INTO bare (body) VALUES ($1)", body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append", func(b *testing.B) { recordtest.BenchAppend(b, plainly(b, dsn)) })
	b.Run("append/16", func(b *testing.B) {
		b.SetParallelism(8) // times the processors
		logs := make(chan record.Log, 16)
		for range cap(logs) {
			l := plainly(b, dsn)
			add(b, l, note(b, recordtest.Line)) // it is connected
			logs <- l
		}
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			l := <-logs
			for pb.Next() {
				if _, err := l.Append(b.Context(), "many", record.Always(), note(b, recordtest.Line)); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("claim", func(b *testing.B) { recordtest.BenchClaim(b, plainly(b, dsn)) })
}

// BenchmarkReplay reads and decodes; its figure is one event.
func BenchmarkReplay(b *testing.B) { recordtest.BenchReplay(b, plainly(b, fresh(b))) }
