package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

func BenchmarkAppend(b *testing.B) { timed(b, recordtest.BenchAppend) }

func BenchmarkClaim(b *testing.B) { timed(b, recordtest.BenchClaim) }

// BenchmarkReplay reads and decodes; its figure is one event.
func BenchmarkReplay(b *testing.B) { timed(b, recordtest.BenchReplay) }

// timed takes a figure on an empty record of its own.
func timed(b *testing.B, figure func(*testing.B, record.Log)) {
	l := open(b)
	defer l.Close()
	figure(b, l)
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
