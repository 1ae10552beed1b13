package sqlite_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

// written is a record of all samples, closed, in a folder of its own.
func written(t testing.TB) string {
	t.Helper()
	path := filepath.Join(gittest.Public(t), "torve", "record.db")
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), part, record.Always(), recordtest.Samples(t)...); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// crashed is the same as a crash leaves it: the last events are in the -wal alone.
func crashed(t testing.TB) string {
	t.Helper()
	from := written(t)
	l, err := sqlite.Open(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	e, err := note("E-last", "only in the log")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), part, record.Always(), e); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(gittest.Public(t), "torve", "record.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + ext)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+ext, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func locked(t testing.TB, path string) {
	t.Helper()
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
}

func listing(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAFolderThatCannotBeWrittenIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		make func(testing.TB) string
		last string
	}{
		"as the last writer left it":          {written, "E-19"},
		"with the log that a crash has left":  {crashed, "E-last"},
		"with an empty log beside the record": {emptyWAL, "E-19"},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.make(t)
			locked(t, path)
			temp := gittest.Public(t)
			if err := os.Chmod(temp, 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", temp)
			before := listing(t, filepath.Dir(path))
			said, ok := start(t, "read", path, "", 0, true).lines(t)
			if !ok || len(said) == 0 || said[len(said)-1] != c.last {
				t.Errorf("a reader who may not write says %v", said)
			}
			if after := listing(t, filepath.Dir(path)); !slices.Equal(before, after) {
				t.Errorf("it left %v where there was %v", after, before)
			}
			if left := listing(t, temp); len(left) != 1 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

func emptyWAL(t testing.TB) string {
	t.Helper()
	path := written(t)
	if err := os.WriteFile(path+"-wal", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheFileAloneWouldBeAPrefixAfterACrash(t *testing.T) {
	path := crashed(t)
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM event").Scan(&n); err != nil || n != len(record.Kinds()) {
		t.Fatalf("%d events, %v: the crash that the tests make is none", n, err)
	}
	if all := ids(t, path); len(all) != n+1 {
		t.Errorf("a writer after the crash finds %d events", len(all))
	}
}

func TestAReadOnlyMountIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		make func(testing.TB) string
		n    int
	}{"closed": {written, 19}, "crashed": {crashed, 20}} {
		t.Run(name, func(t *testing.T) {
			path := c.make(t)
			dir := filepath.Dir(path)
			if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
				t.Skipf("this user may not mount: %v", err)
			}
			t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
			if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
				t.Skipf("this user may not mount read-only: %v", err)
			}
			l, err := sqlite.OpenRead(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if all := idsOf(t, l); len(all) != c.n {
				t.Errorf("%d events", len(all))
			}
			if err := l.Check(t.Context(), part); err != nil {
				t.Error(err)
			}
			if _, err := sqlite.Open(t.Context(), filepath.Join(dir, "new", "record.db")); err == nil {
				t.Error("a record was made there")
			}
		})
	}
}

func TestAFrozenReaderSeesWhatAWriterElsewhereAdds(t *testing.T) {
	path := written(t)
	dir := filepath.Dir(path)
	mount := filepath.Join(gittest.Public(t), "mount")
	if err := os.Mkdir(mount, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(dir, mount, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("this user may not mount: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(mount, unix.MNT_DETACH) })
	if err := unix.Mount("", mount, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("this user may not mount read-only: %v", err)
	}
	l, err := sqlite.OpenRead(t.Context(), filepath.Join(mount, "record.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before := len(idsOf(t, l))
	if said, ok := start(t, "append", path, "other", 5, false).lines(t); !ok {
		t.Fatal(said)
	}
	if after := len(idsOf(t, l)); after != before+5 {
		t.Errorf("%d events after five more than %d", after, before)
	}
	p := start(t, "append", path, "going", 0, false) // and in the middle of its writes
	p.after(t, 3)
	if now := len(idsOf(t, l)); now < before+8 {
		t.Errorf("%d events while the writer goes on from %d", now, before+8)
	}
	p.Kill()
	p.lines(t)
}

func TestAReadMakesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "record.db"), filepath.Join(dir, "torve", "record.db")} {
		if _, err := sqlite.OpenRead(t.Context(), path); !errors.Is(err, record.ErrNone) {
			t.Errorf("a record that is not there: %v", err)
		}
	}
	if left := listing(t, dir); len(left) != 1 {
		t.Errorf("a read left %v", left)
	}
	path := written(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(idsOf(t, l)); n != len(record.Kinds()) {
		t.Errorf("read %d events", n)
	}
	e, err := note("x", "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), part, record.Always(), e); !errors.Is(err, record.ErrReadOnly) {
		t.Errorf("an append to a log that was opened to be read: %v", err)
	}
	_, proposed := l.(record.Ledger).Propose(t.Context(), "bench", recordtest.Plan("Ander", 1400))
	remembered := l.(record.Memories).Remember(t.Context(), "bench", record.Memory{Villager: "Ander", Register: record.Saw, Text: "Mose"})
	if !errors.Is(proposed, record.ErrReadOnly) || !errors.Is(remembered, record.ErrReadOnly) {
		t.Errorf("a bench's rows for a log that was opened to be read: %v, %v", proposed, remembered)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !slices.Equal(before, after) {
		t.Errorf("the file has changed: %v", err)
	}
}

func TestAReaderBesideAWriterSeesWhatIsAppended(t *testing.T) {
	path := written(t)
	l, err := sqlite.OpenRead(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if said, ok := start(t, "append", path, "w", 3, false).lines(t); !ok {
		t.Fatal(said)
	}
	if all := idsOf(t, l); all[len(all)-1] != "w-2" {
		t.Errorf("the last is %s", all[len(all)-1])
	}
}
