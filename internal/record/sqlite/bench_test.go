package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

func BenchmarkAppend(b *testing.B) {
	l := open(b)
	defer l.Close()
	for b.Loop() {
		e, err := note("", "a line of some length, as people write them")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Append(b.Context(), part, record.TaskAt("T-0001", 0), e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClaim(b *testing.B) {
	l := open(b)
	defer l.Close()
	var last record.Seq
	for i := 0; b.Loop(); i++ {
		task := fmt.Sprintf("T-%d", i)
		e, err := record.New(record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"}, recordtest.At,
			record.Envelope{Task: task, Claim: task, Actor: record.Actor{Kind: record.ByDispatch}})
		if err != nil {
			b.Fatal(err)
		}
		if last, err = l.Append(b.Context(), part, record.ClaimsAt(last).And(record.TaskAt(task, 0)), e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay reads and decodes; its figure is one event.
func BenchmarkReplay(b *testing.B) {
	l := open(b)
	defer l.Close()
	const n = 5000
	all := make([]record.Event, 0, n)
	for i := range n {
		e, err := note(fmt.Sprint(i), "a line of some length, as people write them")
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, e)
	}
	if _, err := l.Append(b.Context(), part, record.Always(), all...); err != nil {
		b.Fatal(err)
	}
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

func BenchmarkOpen(b *testing.B) {
	path := written(b)
	b.Run("to write", func(b *testing.B) {
		for b.Loop() {
			l, err := sqlite.Open(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			l.Close()
		}
	})
	b.Run("to read", func(b *testing.B) {
		for b.Loop() {
			l, err := sqlite.OpenRead(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			l.Close()
		}
	})
}

// BenchmarkFloor is a bare durable insert: what no append can be under.
func BenchmarkFloor(b *testing.B) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "x.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (x BLOB)"); err != nil {
		b.Fatal(err)
	}
	insert, err := db.Prepare("INSERT INTO t VALUES (?)")
	if err != nil {
		b.Fatal(err)
	}
	for body := make([]byte, 300); b.Loop(); {
		if _, err := insert.Exec(body); err != nil {
			b.Fatal(err)
		}
	}
}
