package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"torve/internal/record"
	"torve/internal/record/sqlite"
)

// shelved is a record with one event and one snapshot.
func shelved(t *testing.T) (path string, s record.Snapshot) {
	t.Helper()
	path = written(t)
	log, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s = record.Snapshot{Name: "board", Form: "1", Seq: 1, Hash: "ab", Parts: map[string][]byte{"index": []byte("all of it")}}
	if err := log.(record.Snapshots).Keep(t.Context(), part, s); err != nil {
		t.Fatal(err)
	}
	return path, s
}

func TestADamagedSnapshotIsNotGiven(t *testing.T) {
	path, _ := shelved(t)
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE snapshot_part SET body = ?", []byte("all of iT")); err != nil {
		t.Fatal(err)
	}
	db.Close()
	log, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := log.(record.Snapshots).Kept(t.Context(), part, "board"); !errors.Is(err, record.ErrDamaged) {
		t.Errorf("the error is %v", err)
	}
	if err := log.Check(t.Context(), part); err != nil {
		t.Errorf("the events are whole: %v", err)
	}
}

func TestALogThatWasOpenedToBeReadKeepsNothing(t *testing.T) {
	path, s := shelved(t)
	log, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.(record.Snapshots).Keep(t.Context(), part, s); !errors.Is(err, record.ErrReadOnly) {
		t.Errorf("the error is %v", err)
	}
	if got, err := log.(record.Snapshots).Kept(t.Context(), part, "board"); err != nil || string(got.Parts["index"]) != "all of it" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestASnapshotIsReadFromAFolderThatCannotBeWritten(t *testing.T) {
	path, _ := shelved(t)
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	log, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if got, err := log.(record.Snapshots).Kept(t.Context(), part, "board", "index"); err != nil || len(got.Parts) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}
