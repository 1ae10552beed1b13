package pgtest

import (
	"os"
	"testing"
)

// Folder is a folder of whoever runs the servers, that goes at the test's end: for what a
// test gives a server to read, or to write to.
func Folder(t testing.TB) string {
	t.Helper()
	who, err := unprivileged()
	dir := folder(who)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		t.Fatalf("making a folder for a server: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	Give(t, dir)
	return dir
}

// Give makes a file the servers' own.
func Give(t testing.TB, name string) {
	t.Helper()
	who, err := unprivileged()
	if err == nil && who != nil {
		err = os.Chown(name, int(who.Uid), int(who.Gid))
	}
	if err != nil {
		t.Fatalf("giving %s to a server: %v", name, err)
	}
}
