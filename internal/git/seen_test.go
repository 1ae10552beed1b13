package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// unchanged is a repository whose configuration is old enough to be known.
func unchanged(t *testing.T) (r *Repo, dir string) {
	t.Helper()
	g, r, _ := seeded(t)
	g.Write(".gitignore", "*.log\n")
	g.Write("kept.txt", "kept\n")
	g.Commit("more")
	g.Write("a.log", "ignored\n")
	g.Write(".wt/.gitignore", "*\n")
	time.Sleep(settled + 100*time.Millisecond)
	_ = must(r.configList(ctx))(t)
	_ = must(r.Status(ctx, g.Dir))(t) // who asks once alone watches nothing
	return r, g.Dir
}

func TestAWorkTreeWhereNobodyWasIsNotAskedForTwice(t *testing.T) {
	r, dir := unchanged(t)
	first := must(r.Status(ctx, dir))(t)
	write(t, filepath.Join(dir, ".wt", "T-0001.state.json"), "{}\n")
	write(t, filepath.Join(dir, "a.log"), "more\n")
	asked := false
	again, err := r.watched(ctx, r.Common, real(dir), func() (Status, error) { asked = true; return Status{}, nil })
	ok(t, err)
	if asked || !slices.Equal(again.Paths, first.Paths) {
		t.Errorf("asked %v: %+v, and it was %+v", asked, again, first)
	}
}

// Whatever changes in it, git is asked, and its answer is the one that is given.
func TestAWorkTreeWhereSomebodyWasIsAskedForAnew(t *testing.T) {
	r, dir := unchanged(t)
	for _, by := range []struct {
		what string
		do   func()
		want []string
	}{
		{"nothing", func() {}, nil},
		{"bytes", func() { write(t, filepath.Join(dir, "kept.txt"), "KEPT\n") }, []string{"kept.txt"}},
		{"bytes of one size at one time", func() {
			info := must(os.Stat(filepath.Join(dir, "kept.txt")))(t)
			ok(t, os.WriteFile(filepath.Join(dir, "kept.txt"), []byte("kept\n"), 0o644))
			ok(t, os.Chtimes(filepath.Join(dir, "kept.txt"), info.ModTime(), info.ModTime()))
		}, nil},
		{"a new file", func() { write(t, filepath.Join(dir, "d", "new"), "x\n") }, []string{"d/new"}},
		{"what is ignored", func() { write(t, filepath.Join(dir, "d", ".gitignore"), "*\n") }, nil},
		{"what is ignored here", func() { write(t, filepath.Join(r.Common, "info", "exclude"), "!a.log\n") }, nil},
		{"what is ignored no more", func() { write(t, filepath.Join(dir, ".gitignore"), "x\n") }, []string{".gitignore", "a.log"}},
		{"the index", func() { _ = must(r.Run(ctx, "add", ".gitignore"))(t) }, []string{".gitignore", "a.log"}},
		{"HEAD", func() { _ = must(r.Run(ctx, "commit", "-qm", "x"))(t) }, []string{"a.log"}},
	} {
		by.do()
		sameList(t, "after "+by.what, must(r.Status(ctx, dir))(t).Paths, by.want...)
	}
}
