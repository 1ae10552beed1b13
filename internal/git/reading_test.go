package git

import (
	"os"
	"path/filepath"
	"testing"

	"torve/internal/git/gittest"
)

// TestARefIsReadAsGitReadsIt asks of every shape of ref what git says of it.
func TestARefIsReadAsGitReadsIt(t *testing.T) {
	g := gittest.New(t)
	g.Write("a", "1")
	first := g.Commit("one")
	g.Git("branch", "packed/deep")
	g.Git("tag", "-a", "-m", "t", "annotated")
	g.Git("tag", "light")
	g.Git("pack-refs", "--all")
	g.Write("a", "2")
	second := g.Commit("two") // main is loose and packed, and the loose one counts
	g.Git("branch", "loose")
	g.Git("symbolic-ref", "refs/heads/alias", "refs/heads/loose")
	g.Git("update-ref", "refs/torve/attempts/T-1/1", first)
	if err := os.WriteFile(filepath.Join(g.Dir, ".git", "refs", "heads", "broken"), []byte("nonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := opened(t, g.Dir)
	for _, name := range []string{"main", "packed/deep", "loose", "alias", "broken", "absent", "packed", "../HEAD", ".", "x.lock"} {
		asksLikeGit(t, g, r, "refs/heads/"+name)
	}
	for _, rev := range []string{"refs/tags/annotated", "refs/tags/light", "refs/torve/attempts/T-1/1", "HEAD", "main", first, first + "^{commit}",
		first + "^{tree}", second + "^", "refs/heads/main^{commit}", "refs/heads/main^{tree}", g.Git("rev-parse", "HEAD^{tree}") + "^{commit}",
		g.Git("rev-parse", "refs/tags/annotated"), g.Git("rev-parse", "refs/tags/annotated") + "^{commit}", zeros(first)} {
		asksLikeGit(t, g, r, rev)
	}
	for _, quick := range []string{"refs/heads/main", "refs/heads/packed/deep", "refs/torve/attempts/T-1/1", first + "^{commit}"} {
		if r.quickResolve(ctx, quick) == "" {
			t.Errorf("%s needs a program", quick)
		}
	}
}

func zeros(id string) string {
	b := []byte(id)
	for i := range b {
		b[i] = '0'
	}
	return string(b)
}

func asksLikeGit(t *testing.T, g *gittest.Repo, r *Repo, rev string) {
	t.Helper()
	want, err := g.Try("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{}")
	if err != nil {
		want = ""
	}
	if got, _ := r.Resolve(ctx, rev); got != want {
		t.Errorf("%s is %q, and git says %q", rev, got, want)
	}
}

func TestHeadIsReadAsGitReadsIt(t *testing.T) {
	g := gittest.New(t)
	r := opened(t, g.Dir)
	if _, _, err := r.Head(ctx); err == nil {
		t.Error("a HEAD without a commit was read")
	}
	g.Write("a", "1")
	c := g.Commit("one")
	head := func(dir, branch string) {
		t.Helper()
		b, commit, err := r.headAt(ctx, dir)
		ok(t, err)
		same(t, "branch", b, branch)
		same(t, "commit", commit, c)
		if _, quick := r.quickHead(dir); quick != c {
			t.Errorf("HEAD of %s needs a program", dir)
		}
	}
	head(r.Dir, "main")
	g.Git("pack-refs", "--all")
	head(r.Dir, "main")
	aside := filepath.Join(t.TempDir(), "aside")
	g.Git("worktree", "add", "-q", "-b", "aside", aside)
	head(aside, "aside")
	gittest.At(t, aside).Git("checkout", "-q", "--detach")
	head(aside, "")
}
