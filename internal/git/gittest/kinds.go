package gittest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Kind is a kind of repository that a person may have.
type Kind struct {
	Name string
	// Make gives the repository to work in, with one commit on main.
	Make func(testing.TB) *Repo
}

// Kinds are the kinds, each of which all commands are to work the same on.
func Kinds() []Kind {
	return []Kind{
		{"a plain repository", plain},
		{"a linked worktree as the main checkout", linked},
		{"a bare repository with worktrees", bareWithWorktree},
		{"a detached HEAD", detached},
		{"a SHA-256 repository", sha256},
		{"a shallow clone", shallow},
		{"a partial clone", partial},
		{"a repository with alternates", alternates},
		{"a sparse checkout", sparse},
		{"a repository with a submodule", submodule},
		{"a folder with a space, a quote, a newline and 漢字 in its name", oddFolder},
		{"a git dir kept elsewhere", separate},
	}
}

// Seed writes what every kind holds in its first commit.
func (r *Repo) Seed() string {
	r.T.Helper()
	r.Write("a.txt", "one\ntwo\nthree\n")
	r.Write("dir/b.txt", "b\n")
	r.Write(".gitignore", "*.log\n.env\nbuild/\n")
	return r.Commit("seed")
}

func plain(t testing.TB) *Repo {
	r := New(t)
	r.Seed()
	return r
}

func linked(t testing.TB) *Repo {
	r := plain(t)
	r.Git("checkout", "-q", "-b", "elsewhere")
	dir := filepath.Join(t.TempDir(), "linked")
	r.Git("worktree", "add", "-q", dir, "main")
	return At(t, dir)
}

func bareWithWorktree(t testing.TB) *Repo {
	r := plain(t)
	top := t.TempDir()
	r.Git("clone", "-q", "--bare", r.Dir, filepath.Join(top, "shop.git"))
	bare := At(t, filepath.Join(top, "shop.git"))
	bare.Git("worktree", "add", "-q", filepath.Join(top, "main"), "main")
	return At(t, filepath.Join(top, "main"))
}

func detached(t testing.TB) *Repo {
	r := plain(t)
	r.Git("checkout", "-q", "--detach")
	return r
}

func sha256(t testing.TB) *Repo {
	Home(t)
	r := At(t, t.TempDir())
	r.Git("init", "-q", "--template=", "-b", "main", "--object-format=sha256")
	r.Seed()
	return r
}

func shallow(t testing.TB) *Repo {
	r := plain(t)
	r.Seed()
	return r.Clone("--depth=1", "file://"+r.Dir)
}

func partial(t testing.TB) *Repo {
	r := plain(t)
	r.Git("config", "uploadpack.allowFilter", "true")
	r.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	return r.Clone("--filter=blob:none", "file://"+r.Dir)
}

func alternates(t testing.TB) *Repo {
	r := plain(t)
	return r.Clone("--shared", r.Dir)
}

func sparse(t testing.TB) *Repo {
	r := New(t)
	r.Write("outside/far/away.txt", "not checked out\n")
	r.Seed()
	r.Git("sparse-checkout", "set", "dir")
	return r
}

func submodule(t testing.TB) *Repo {
	other := plain(t)
	r := At(t, t.TempDir())
	r.Git("init", "-q", "--template=", "-b", "main")
	r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.Dir, "vendored")
	r.Seed()
	return r
}

func oddFolder(t testing.TB) *Repo {
	Home(t)
	r := At(t, filepath.Join(t.TempDir(), "it's \"odd\"\n漢字 dir"))
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.Git("init", "-q", "--template=", "-b", "main")
	r.Seed()
	return r
}

func separate(t testing.TB) *Repo {
	Home(t)
	r := At(t, t.TempDir())
	r.Git("init", "-q", "--template=", "-b", "main", "--separate-git-dir", filepath.Join(t.TempDir(), "kept"))
	r.Seed()
	return r
}

// Clone clones into a folder of its own, in the same home.
func (r *Repo) Clone(args ...string) *Repo {
	r.T.Helper()
	dir := filepath.Join(r.T.TempDir(), "clone")
	r.Git(append(append([]string{"clone", "-q"}, args...), dir)...)
	return At(r.T, dir)
}

// Hook writes a hook that is run as a shell script.
func (r *Repo) Hook(name, script string) {
	r.T.Helper()
	path := filepath.Join(r.Git("rev-parse", "--path-format=absolute", "--git-common-dir"), "hooks", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		r.T.Fatal(err)
	}
}

// Unprivileged reports whether the test runs as a user whom file modes bind. For root it
// runs the test once more as nobody, with that one's outcome, and gives false.
func Unprivileged(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	dir := Public(t)
	test := filepath.Join(dir, "test")
	copyProgram(t, os.Args[0], test)
	scratch := filepath.Join(dir, "tmp")
	if err := os.Mkdir(scratch, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(scratch, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(test, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = scratch
	cmd.Env = append(os.Environ(), "TMPDIR="+scratch)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
	return false
}

// Public is a temporary folder that every user may pass to: the test's own, but where
// that one stands below a folder of root's alone, one in the machine's.
func Public(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for up := filepath.Dir(dir); up != filepath.Dir(up); up = filepath.Dir(up) {
		if info, err := os.Stat(up); err != nil || info.Mode().Perm()&0o001 == 0 {
			return machines(t)
		}
	}
	return dir
}

func machines(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gittest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
