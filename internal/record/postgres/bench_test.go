package postgres_test

import (
	"crypto/rand"
	"fmt"
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

const line = "a line of some length, as people write them"

// BenchmarkWrites sets the record beside a bare insert of the same bytes, which is what no
// append can be under: on one server, one after the other.
func BenchmarkWrites(b *testing.B) {
	dsn := durable(b)
	b.Run("insert", func(b *testing.B) {
		c := connect(b, dsn)
		if _, err := c.Exec(b.Context(), "CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, body bytea NOT NULL)"); err != nil {
			b.Fatal(err)
		}
		body, err := note(b, line).Body()
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := c.Exec(b.Context(), "INSERT INTO bare (body) VALUES ($1)", body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append", func(b *testing.B) { appends(b, plainly(b, dsn)) })
	b.Run("append/16", func(b *testing.B) {
		b.SetParallelism(8) // times the processors
		logs := make(chan record.Log, 16)
		for range cap(logs) {
			l := plainly(b, dsn)
			add(b, l, note(b, line)) // it is connected
			logs <- l
		}
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			l := <-logs
			for pb.Next() {
				if _, err := l.Append(b.Context(), "many", record.Always(), note(b, line)); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("claim", func(b *testing.B) { claims(b, plainly(b, dsn)) })
}

func appends(b *testing.B, l record.Log) {
	for b.Loop() {
		if _, err := l.Append(b.Context(), part, record.TaskAt("T-0001", 0), note(b, line)); err != nil {
			b.Fatal(err)
		}
	}
}

func claims(b *testing.B, l record.Log) {
	var last record.Seq
	p := record.Partition("claims/" + rand.Text()) // one that nobody claimed in
	for i := 0; b.Loop(); i++ {
		task := fmt.Sprintf("T-%d", i)
		e, err := record.New(record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"}, recordtest.At,
			record.Envelope{Task: task, Claim: task, Actor: record.Actor{Kind: record.ByDispatch}})
		if err != nil {
			b.Fatal(err)
		}
		if last, err = l.Append(b.Context(), p, record.ClaimsAt(last).And(record.TaskAt(task, 0)), e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay reads and decodes; its figure is one event.
func BenchmarkReplay(b *testing.B) {
	l := plainly(b, fresh(b))
	all := make([]record.Event, 5000)
	for i := range all {
		all[i] = note(b, line)
	}
	add(b, l, all...)
	read := 0
	for b.Loop() {
		for e, err := range l.Read(b.Context(), part, 1) {
			if err != nil {
				b.Fatal(err)
			}
			if _, err := record.Decode(e); err != nil {
				b.Fatal(err)
			}
			read++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(read), "ns/event")
}
