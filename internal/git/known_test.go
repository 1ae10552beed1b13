package git

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/git/gittest"
)

// byGit are the refs as git lists them.
func byGit(t *testing.T, g *gittest.Repo) map[string]string {
	refs := map[string]string{}
	for l := range strings.Lines(g.Git("for-each-ref", "--format=%(refname) %(objectname)")) {
		name, id, _ := strings.Cut(line(l), " ")
		refs[name] = id
	}
	return refs
}

func TestRefsReadFromTheirFilesAreThoseThatGitLists(t *testing.T) {
	g, r, c := seeded(t)
	g.Git("branch", "a/b")
	g.Git("branch", "packed")
	g.Git("tag", "-a", "-m", "a tag", "v1")
	g.Git("update-ref", "refs/remotes/origin/main", c)
	g.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	g.Git("symbolic-ref", "refs/remotes/gone/HEAD", "refs/remotes/gone/main")
	g.Git("pack-refs", "--all")
	g.Write("a.txt", "more\n")
	g.Commit("more")
	g.Git("branch", "-D", "packed")
	g.Git("update-ref", "refs/torve/attempts/T-0001/1", "HEAD")
	refs, ok := r.refFiles()
	if !ok || !maps.Equal(refs, byGit(t, g)) {
		t.Errorf("read %v, %v; git lists %v", refs, ok, byGit(t, g))
	}
}

func TestWhereARefIsOddGitIsAsked(t *testing.T) {
	for name, spoil := range map[string]func(common string) error{
		"a name": func(c string) error {
			return os.WriteFile(c+"/refs/heads/a..b", []byte(strings.Repeat("a", 40)+"\n"), 0o644)
		},
		"no content": func(c string) error { return os.WriteFile(c+"/refs/heads/x", nil, 0o644) },
		"no id":      func(c string) error { return os.WriteFile(c+"/refs/heads/x", []byte("hello\n"), 0o644) },
		"zero": func(c string) error {
			return os.WriteFile(c+"/refs/heads/x", []byte(strings.Repeat("0", 40)+"\n"), 0o644)
		},
		"a link":       func(c string) error { return os.Symlink("main", c+"/refs/heads/x") },
		"a worktree's": func(c string) error { return os.MkdirAll(c+"/refs/bisect", 0o755) },
		"packed":       func(c string) error { return os.WriteFile(c+"/packed-refs", []byte("junk\n"), 0o644) },
	} {
		_, r, _ := seeded(t)
		if err := spoil(r.Common); err != nil {
			t.Fatal(err)
		}
		if refs, ok := r.refFiles(); ok {
			t.Errorf("%s: read %v", name, refs)
		}
	}
}

// settle makes every file of configuration older than a change that may come now.
func settledRepo(t *testing.T) (*gittest.Repo, *Repo) {
	g, r, _ := seeded(t)
	for _, path := range r.configPaths() {
		if s, ok := stampOf(path); ok && s != (stamp{}) {
			for !s.settledBy(time.Now().Add(-settledFine)) {
				time.Sleep(settledFine / 2)
			}
		}
	}
	return g, r
}

func TestConfigurationThatStandsStillIsReadOnceAndEachChangeIsSeen(t *testing.T) {
	g, r := settledRepo(t)
	was := must(r.Guarded(ctx))(t)
	k := r.lazily.memory.config
	if k == nil || len(k.files) == 0 {
		t.Fatal("nothing was remembered of configuration that stands still")
	}
	if again := must(r.Guarded(ctx))(t); r.lazily.memory.config != k || len(was.Changed(again, nil)) != 0 {
		t.Error("it was read again, or is another")
	}
	config := filepath.Join(r.Common, "config")
	info, err := os.Stat(config)
	ok(t, err)
	g.Git("config", "alias.x", "!true")
	changed := time.Now()
	ok(t, os.Chtimes(config, info.ModTime(), info.ModTime())) // as somebody would who hides it
	if faults := was.Changed(must(r.Guarded(ctx))(t), nil); len(faults) != 1 || !strings.Contains(faults[0], "alias.x") {
		t.Errorf("the change is seen as %q", faults)
	}
	if r.lazily.memory.config.stands() && time.Since(changed) < settledFine {
		t.Error("what was changed a moment ago is remembered: a change within one tick would not be seen")
	}
}

func TestConfigurationThatBringsInOtherFilesIsAlwaysRead(t *testing.T) {
	g, _ := settledRepo(t)
	g.Git("config", "include.path", "other")
	time.Sleep(settled + time.Second/5)
	r := opened(t, g.Dir)
	was := must(r.Guarded(ctx))(t)
	ok(t, os.WriteFile(filepath.Join(r.Common, "other"), []byte("[alias]\n\tx = !true\n"), 0o644))
	if faults := was.Changed(must(r.Guarded(ctx))(t), nil); len(faults) != 1 {
		t.Errorf("the change is seen as %q", faults)
	}
}

func TestAnIndexThatSomebodyTouchedIsNotTakenForOurs(t *testing.T) {
	_, r, c := seeded(t)
	dir := filepath.Join(t.TempDir(), "w")
	ok(t, r.AddWorktree(ctx, dir, c))
	admin := must(r.adminOf(dir))(t)
	tree := must(r.TreeID(ctx, c))(t)
	same(t, "as it was made", r.indexOf(admin), tree)
	w := gittest.At(t, dir)
	ok(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.log\n"), 0o644))
	ok(t, os.WriteFile(filepath.Join(dir, "x.log"), []byte("kept\n"), 0o644))
	w.Git("add", "-f", "x.log")
	same(t, "with a file added", r.indexOf(admin), "")
	snap := must(r.Snapshot(ctx, dir, c, nil))(t)
	same(t, "a path that was added is tracked, ignored or not", string(must(r.File(ctx, snap, "x.log"))(t)), "kept\n")
	ok(t, r.Equal(ctx, dir, snap, nil))
	same(t, "made anew", r.indexOf(admin), snap)
	same(t, "against another base it is still tracked", must(r.Snapshot(ctx, dir, c, nil))(t), snap)
	w.Git("update-index", "--assume-unchanged", "a.txt")
	ok(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hidden\n"), 0o644))
	same(t, "with a file hidden", r.indexOf(admin), "")
	same(t, "a file that is hidden is seen", string(must(r.File(ctx, must(r.Snapshot(ctx, dir, c, nil))(t), "a.txt"))(t)), "hidden\n")
}

func TestWhoCommitsHereIsAskedAgainWhenTheConfigurationMoves(t *testing.T) {
	g, r := settledRepo(t)
	for i := range 3 {
		name := fmt.Sprintf("Person %d", i)
		g.Git("config", "user.name", name)
		same(t, "the name", must(r.Identity(ctx))(t).Name, name)
		same(t, "the name, asked again", must(r.Identity(ctx))(t).Name, name)
	}
}
