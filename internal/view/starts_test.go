package view_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/truth"
	"torve/internal/view"
)

// counted puts a git that notes each start in front of the real one, and gives the starts.
func counted(t *testing.T) func() []string {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	list := filepath.Join(dir, "starts")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> '%s'\nexec '%s' \"$@\"\n", list, real)
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

func TestABoardIsReadWithFewStartsOfGit(t *testing.T) {
	for name, c := range map[string]struct {
		most int // opening the repository, asking what the target follows; without a record, history
		read func(*shop) (*truth.Reading, view.Options)
	}{
		"with a record": {2, (*shop).here},
		"in a clone":    {3, (*shop).clone},
	} {
		t.Run(name, func(t *testing.T) {
			s := night(t)
			s.Git("status")
			starts := counted(t)
			r, o := c.read(s)
			status(t, r, o)
			all := starts()
			if strings.Contains(all[0], "clone") {
				all = all[1:] // the test's own
			}
			if len(all) > c.most {
				t.Errorf("git was started %d times:\n%s", len(all), strings.Join(all, "\n"))
			}
		})
	}
}
