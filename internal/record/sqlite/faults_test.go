package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"torve/internal/record"
	"torve/internal/record/sqlite"
)

// opens opens a file both ways and gives what each says.
func opens(t *testing.T, path string) map[string]error {
	t.Helper()
	said := map[string]error{}
	for name, open := range map[string]func(context.Context, string) (record.Log, error){
		"to write": sqlite.Open, "to read": sqlite.OpenRead,
	} {
		l, err := open(t.Context(), path)
		if err == nil {
			l.Close()
		}
		said[name] = err
	}
	return said
}

func TestAFileThatIsNoRecordIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database\n", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	for how, err := range opens(t, path) {
		if !errors.Is(err, record.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", how, err)
		}
	}
}

func TestADamagedRecordIsNamed(t *testing.T) {
	path := written(t)
	events := 4096 * (number(t, path, "SELECT rootpage FROM sqlite_schema WHERE name = 'event'") - 1)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data[events:][:4096] { // what opens it stays
		data[events+i] = 0xa5
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var said error
	for _, err := range l.Read(t.Context(), part, 1) {
		said = err
	}
	if !errors.Is(said, record.ErrDamaged) {
		t.Errorf("a read says %v", said)
	}
	if err := l.Check(t.Context(), part); !errors.Is(err, record.ErrDamaged) {
		t.Errorf("check says %v", err)
	}
}

func TestARecordOfANewerVersionIsRefusedByName(t *testing.T) {
	path := written(t)
	alter(t, path, "PRAGMA user_version = 7")
	for how, err := range opens(t, path) {
		if !errors.Is(err, record.ErrNewer) || !strings.Contains(err.Error(), "version 7") {
			t.Errorf("%s: %v", how, err)
		}
	}
}

func TestAnotherProgramsDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	alter(t, path, "CREATE TABLE theirs (x)")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for how, err := range opens(t, path) {
		if err == nil || !strings.Contains(err.Error(), "another program") {
			t.Errorf("%s: %v", how, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("it was changed: %v", err)
	}
}

func TestAnEmptyFileIsNoRecordYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	said := opens(t, path)
	if errors.Is(said["to read"], record.ErrNone) == (said["to read"] == nil) || said["to write"] != nil {
		t.Errorf("%v", said)
	}
}

func alter(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(text); err != nil {
		t.Fatal(err)
	}
}

func TestAFullDiskLosesNothingAndTheRecordGoesOn(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("this user may not mount: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 600<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "record.db")
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	write := func() error {
		e, err := note(fmt.Sprint("e", acknowledged), strings.Repeat("x", 4000))
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Append(t.Context(), part, record.Always(), e)
		return err
	}
	for ; acknowledged < 1000; acknowledged++ {
		if err = write(); err != nil {
			break
		}
	}
	if !errors.Is(err, record.ErrFull) {
		t.Fatalf("after %d events: %v", acknowledged, err)
	}
	if n := len(idsOf(t, l)); n != acknowledged {
		t.Errorf("%d of %d acknowledged events are there", n, acknowledged)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if n := len(ids(t, path)); n != acknowledged+1 {
		t.Errorf("%d events of %d are there afterwards", n, acknowledged+1)
	}
}

func TestAnAppendStopsWaitingWithItsContext(t *testing.T) {
	l := open(t)
	defer l.Close()
	db := rawOpen(t, l.(opened).path)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	e, err := note("x", "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := l.Append(ctx, part, record.Always(), e); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an append under a held lock: %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it waited %v", took)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), part, record.Always(), e); err != nil {
		t.Errorf("after the lock is free: %v", err)
	}
}
