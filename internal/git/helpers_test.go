package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"torve/internal/git/gittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// at is a time to commit at.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// opened opens a repository for the time of the test.
func opened(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// seeded is a plain repository with one commit.
func seeded(t testing.TB) (*gittest.Repo, *Repo, string) {
	t.Helper()
	g := gittest.New(t)
	c := g.Seed()
	return g, opened(t, g.Dir), c
}

// must fails the test on an error and gives the value.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refuses fails the test unless the error is there and says all of the words.
func refuses(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("nothing was refused; want %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Fatalf("error %q does not say %q", err, w)
		}
	}
}

func same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func sameList(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s: got %q, want %q", what, got, want)
	}
}

// worktree adds one for the test.
func worktree(t testing.TB, r *Repo, commit string) *gittest.Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "worktrees", "T-0001-1")
	ok(t, r.AddWorktree(ctx, dir, commit))
	return gittest.At(t, dir)
}

// paths of a tree.
func paths(t testing.TB, r *Repo, rev string) []string {
	t.Helper()
	var list []string
	for _, e := range must(r.Tree(ctx, rev, ""))(t) {
		list = append(list, e.Path)
	}
	return list
}

// changes of a tree against another, as "A path".
func changes(t testing.TB, r *Repo, a, b string) []string {
	t.Helper()
	var list []string
	for _, d := range must(r.Diff(ctx, a, b))(t) {
		list = append(list, d.Status+" "+d.Path)
	}
	return list
}

// edited is a commit on top of another with text at paths; nil text drops the path.
func edited(t testing.TB, r *Repo, parent, message string, files map[string]string) string {
	t.Helper()
	var edits []Edit
	for path, text := range files {
		e := Edit{Path: path}
		if text != dropped {
			e.Mode, e.ID = modeFile, must(r.WriteBlob(ctx, []byte(text)))(t)
		}
		edits = append(edits, e)
	}
	tree := must(r.EditTree(ctx, parent, edits...))(t)
	return must(r.WriteCommit(ctx, Commit{Tree: tree, Parents: []string{parent}, Author: Person{"p", "p@example.com"}, At: noon, Message: message}, false))(t)
}

// contextWithin ends soon.
func contextWithin(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(ctx, 300*time.Millisecond)
}

const dropped = "\x00"

func write(t testing.TB, path, text string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Dir(path), 0o755))
	ok(t, os.WriteFile(path, []byte(text), 0o644))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
