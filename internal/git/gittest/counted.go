package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Counted puts a git that notes each start in front of the real one, and gives the starts
// so far: the verb and what follows it, without what is said before the verb.
func Counted(t testing.TB) (starts func() []string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	list := filepath.Join(dir, "starts")
	script := fmt.Sprintf("#!/bin/sh\nfor a; do case $a in -c|-C) s=1;; *) [ \"$s\" ] && s= || printf '%%s ' \"$a\";; esac; done >> '%s'; echo >> '%[1]s'\nexec '%s' \"$@\"\n", list, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		data, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
}
