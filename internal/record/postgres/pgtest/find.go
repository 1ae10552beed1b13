package pgtest

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// places are where servers are installed, beside the PATH and what pg_config says.
var places = []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin"}

// binaries is the folder of a server's programs: TORVE_TEST_POSTGRES if it is set, else of
// the PATH, else the newest of the places, else pg_config's.
func binaries() (string, error) {
	if dir := os.Getenv("TORVE_TEST_POSTGRES"); dir != "" {
		if !whole(dir) {
			return "", fmt.Errorf("TORVE_TEST_POSTGRES is %s, and postgres and initdb are not there", dir)
		}
		return dir, nil
	}
	if file, err := exec.LookPath("postgres"); err == nil {
		if file, err = filepath.EvalSymlinks(file); err == nil && whole(filepath.Dir(file)) {
			return filepath.Dir(file), nil
		}
	}
	for _, place := range places {
		found, err := filepath.Glob(place)
		if err != nil {
			return "", err
		}
		found = slices.DeleteFunc(found, func(dir string) bool { return !whole(dir) })
		if len(found) > 0 {
			return slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) }), nil
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil && whole(strings.TrimSpace(string(out))) {
		return strings.TrimSpace(string(out)), nil
	}
	return "", fmt.Errorf("postgres and initdb are neither on the PATH, nor in %s, nor where pg_config says", strings.Join(places, ", "))
}

// whole reports whether a folder holds what a server needs.
func whole(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

var digits = regexp.MustCompile(`\d+(\.\d+)?`)

// version is the number in a folder's name: .../postgresql/15/bin.
func version(dir string) float64 {
	n, err := strconv.ParseFloat(digits.FindString(dir), 64)
	if err != nil {
		return 0
	}
	return n
}

// unprivileged is who runs the server: nil for ourselves, for root another user, since the
// server refuses to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("neither the user postgres nor nobody is there, and the server does not run as root")
}

// folder names the folder of a server, which who runs it can make and remove.
func folder(who *syscall.Credential) string {
	place := os.TempDir()
	if who != nil && !open(place) {
		place = "/tmp"
	}
	return filepath.Join(place, "torve-pg-"+strings.ToLower(rand.Text()[:10]))
}

// open reports whether everyone may come to a folder, and add to it.
func open(dir string) bool {
	need := os.FileMode(0o003)
	for ; ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		if err != nil || st.Mode().Perm()&need != need {
			return false
		}
		if need = 0o001; dir == filepath.Dir(dir) {
			return true
		}
	}
}
