package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

// imports fills a record that must be empty, and asks it.
func imports(t testing.TB, l record.Log, many int) {
	t.Helper()
	if n := len(idsOf(t, l)); n != 0 {
		t.Fatalf("%d events are there before", n)
	}
	last, err := l.(record.Imports).Import(t.Context(), part, recordtest.Stream(t, many))
	if err != nil || int(last) != many {
		t.Fatalf("the last of %d events got the seq %d, %v", many, last, err)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}

func TestAnImportThatIsKilledLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	for range 3 {
		p := start(t, "import", path, "", 0, false)
		p.after(t, 10) // more than SQLite holds in memory: a part of it is in the files
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		p.lines(t)
	}
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	imports(t, l, 100)
}

func TestAnImportOntoAFullDiskLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("this user may not mount: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	path := filepath.Join(dir, "record.db")
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.(record.Imports).Import(t.Context(), part, recordtest.Stream(t, 5000)); err == nil || !strings.Contains(err.Error(), "full") {
		t.Fatalf("5 MB on a disk of 2: %v", err)
	}
	imports(t, l, 100)
}

func TestAReaderMayNotImport(t *testing.T) {
	l, err := sqlite.OpenRead(t.Context(), written(t))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.(record.Imports).Import(t.Context(), "new", recordtest.Stream(t, 1)); err != record.ErrReadOnly {
		t.Errorf("it says %v", err)
	}
}

// BenchmarkImport fills a partition; its figure is one event.
func BenchmarkImport(b *testing.B) {
	l := open(b)
	defer l.Close()
	if last, err := l.(record.Imports).Import(b.Context(), part, recordtest.Stream(b, b.N)); err != nil || int(last) != b.N {
		b.Fatal(last, err)
	}
	st, err := os.Stat(l.(opened).path + "-wal")
	if err == nil {
		b.ReportMetric(float64(st.Size())/float64(b.N), "bytes-of-log/op")
	}
}
