package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"torve/internal/git/gittest"
)

func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a room")
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "in", "file"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNothingIsRemovedWhereSomethingElseIsMounted(t *testing.T) {
	dir, elsewhere := filled(t), t.TempDir()
	kept := filepath.Join(elsewhere, "kept")
	if err := os.WriteFile(kept, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "in", "mounted")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(elsewhere, at, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("needs a bind mount: %v", err)
	}
	defer syscall.Unmount(at, 0) //nolint:errcheck
	if s := Hindered(dir); s == nil || s.Path != at || !strings.Contains(s.Mend, "umount '") {
		t.Errorf("it is not told before: %v", s)
	}
	var s *Stuck
	if err := RemoveTree(dir); !errors.As(err, &s) || s.Path != at || s.Begun || s.Left == 0 {
		t.Errorf("it says %v", err)
	}
	for _, path := range []string{kept, filepath.Join(dir, "in", "file")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if err := syscall.Unmount(at, 0); err != nil {
		t.Fatal(err)
	}
	if err := RemoveTree(dir); err != nil || there(dir) || Hindered(dir) != nil {
		t.Errorf("unmounted, it stays: %v", err)
	}
}

func TestWhatIsImmutableIsNamedWithItsSizeAndTheCommand(t *testing.T) {
	dir := filled(t)
	file := filepath.Join(dir, "in", "file")
	if out, err := exec.Command("chattr", "+i", file).CombinedOutput(); err != nil {
		t.Skipf("needs chattr +i: %v: %s", err, out)
	}
	defer exec.Command("chattr", "-i", file).Run() //nolint:errcheck
	if s := Hindered(dir); s == nil || s.Path != file {
		t.Errorf("it is not told before: %v", s)
	}
	var s *Stuck
	err := RemoveTree(dir)
	if !errors.As(err, &s) || s.Path != file || s.Left == 0 || !strings.Contains(err.Error(), "it is immutable") || !strings.Contains(err.Error(), "chattr -R -i") {
		t.Errorf("it says %v", err)
	}
}

func TestWhatBelongsToAnotherIsNamedWithWho(t *testing.T) {
	if !gittest.Unprivileged(t) {
		return
	}
	dir := filepath.Dir(os.Args[0]) // root made this copy of the test
	if uid, _ := owner(dir); uid != 0 {
		t.Skip("needs a folder of root's")
	}
	for what, err := range map[string]error{"before": Hindered(dir), "after": RemoveTree(dir)} {
		var s *Stuck
		if !errors.As(err, &s) || s.Left == 0 || !strings.Contains(err.Error(), "belongs to root") || !strings.Contains(err.Error(), "chown -R 65534") {
			t.Errorf("%s: it says %v", what, err)
		}
	}
}

func TestSizesAreReadByPeople(t *testing.T) {
	for b, want := range map[Bytes]string{0: "0 B", 1023: "1023 B", 4096: "4.0 KiB", 1 << 20: "1.0 MiB", 5 << 30: "5.0 GiB"} {
		if got := b.String(); got != want {
			t.Errorf("%d is %s, and %s was expected", int64(b), got, want)
		}
	}
	if dir := filled(t); Size(dir) == 0 || Size(filepath.Join(dir, "nothing")) != 0 {
		t.Errorf("%s takes %s", dir, Size(dir))
	}
}
