package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

func TestWhoeverHoldsAReplacedRecordWritesAndReadsNothingMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "torve", "record.db")
	write := func(l record.Log, n int) error {
		e, err := record.New(record.Message{To: "x", Text: fmt.Sprint(n)}, recordtest.At, record.Envelope{Host: "h", Actor: record.Actor{Kind: record.ByPerson, ID: "a"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Append(t.Context(), "p", record.Always(), e)
		return err
	}
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := write(l, 1); err != nil {
		t.Fatal(err)
	}
	away := filepath.Dir(path) + ".away"
	if err := os.Rename(filepath.Dir(path), away); err != nil { // the folder is put back from a copy
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Dir(path), os.DirFS(away)); err != nil {
		t.Fatal(err)
	}
	if err := write(l, 2); !errors.Is(err, record.ErrReplaced) {
		t.Errorf("it wrote to a file that nobody reads: %v", err)
	}
	now, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	n := 0
	for _, err := range now.Read(t.Context(), "p", 1) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d events are in the record", n)
	}
	for _, err := range l.Read(t.Context(), "p", 1) {
		if !errors.Is(err, record.ErrReplaced) {
			t.Errorf("it reads what is not the record: %v", err)
		}
		break
	}
}
