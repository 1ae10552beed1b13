// Package gittest makes scratch repositories for tests, apart from whatever the
// machine's own git configuration says.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a scratch repository.
type Repo struct {
	T   testing.TB
	Dir string
}

// Home points HOME, the XDG folders and git's configuration into a temporary folder.
func Home(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			unset(t, name)
		}
	}
	set := func(name, value string) { t.(interface{ Setenv(string, string) }).Setenv(name, value) }
	set("HOME", home)
	set("XDG_STATE_HOME", filepath.Join(home, "state"))
	set("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	set("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	set("GIT_CONFIG_NOSYSTEM", "1")
	config := "[user]\n\tname = torve test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return home
}

func unset(t testing.TB, name string) {
	old := os.Getenv(name)
	os.Unsetenv(name)
	t.Cleanup(func() { os.Setenv(name, old) })
}

// New makes an empty repository on branch main, in a home of its own.
func New(t testing.TB) *Repo {
	t.Helper()
	Home(t)
	r := &Repo{T: t, Dir: t.TempDir()}
	r.Git("init", "-q", "--template=", "-b", "main")
	return r
}

// At is a repository that is there already.
func At(t testing.TB, dir string) *Repo { return &Repo{T: t, Dir: dir} }

// Git runs git in the repository and gives its trimmed output; it fails the test on an error.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	out, err := r.Try(args...)
	if err != nil {
		r.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Try is Git that gives the error.
func (r *Repo) Try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Write writes a file, with its folders.
func (r *Repo) Write(path, text string) {
	r.T.Helper()
	full := filepath.Join(r.Dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		r.T.Fatal(err)
	}
}

// Read reads a file; it fails the test when there is none.
func (r *Repo) Read(path string) string {
	r.T.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, path))
	if err != nil {
		r.T.Fatal(err)
	}
	return string(data)
}

// Commit adds everything and commits it; it gives the commit's id.
func (r *Repo) Commit(message string) string {
	r.T.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Git("rev-parse", "HEAD")
}
