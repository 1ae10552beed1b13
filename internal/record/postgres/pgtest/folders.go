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
	if err == nil {
		var dir string
		if dir, err = folder(who); err == nil {
			t.Cleanup(func() {
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			})
			return dir
		}
	}
	t.Fatalf("making a folder for a server: %v", err)
	return ""
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
