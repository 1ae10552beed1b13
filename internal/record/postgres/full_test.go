package postgres_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

// small is a disk of few megabytes that a server may write to.
func small(t *testing.T) string {
	t.Helper()
	dir := pgtest.Folder(t)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	pgtest.Give(t, dir)
	return dir
}

// long is an event that cannot be made smaller.
func long(t *testing.T) record.Event {
	t.Helper()
	bytes := make([]byte, 15<<10)
	rand.Read(bytes)
	return note(t, hex.EncodeToString(bytes))
}

// The tables are on a small disk, which fills up. What was acknowledged stays, nothing is
// half there, and once there is room the log goes on.
func TestADiskThatIsFullIsSaidAndNothingIsHalfWritten(t *testing.T) {
	t.Parallel()
	c, disk := pgtest.Own(t), small(t)
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(disk, "tables")
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	pgtest.Give(t, place)
	c.Exec(t, "CREATE TABLESPACE small LOCATION '"+place+"'")
	t.Cleanup(func() { c.Stop() }) // it lets go of the disk before that goes
	dsn := c.Database(t) + "&default_tablespace=small"
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	l := plainly(t, dsn)
	written, err := record.Seq(0), error(nil)
	for err == nil {
		var last record.Seq
		if last, err = l.Append(context.Background(), part, record.Always(), long(t), long(t), long(t)); err == nil {
			written = last
		}
		if written > 1000 {
			t.Fatal("the disk does not fill up")
		}
	}
	is(t, dsn, err, record.ErrFull, "writing", "No space left on device")
	if got := record.Seq(len(events(t, l))); got != written || written == 0 {
		t.Errorf("%d events are there, and %d were acknowledged", got, written)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if last := add(t, l, note(t, "there is room again")); last != written+1 {
		t.Errorf("it goes on with event %d after %d", last, written)
	}
	if err := l.Check(t.Context(), part); err != nil || errors.Is(err, record.ErrFull) {
		t.Error(err)
	}
}
