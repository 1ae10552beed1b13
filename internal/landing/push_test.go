package landing

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/git/gittest"
	"torve/internal/workload"
)

// origin gives the ground a bare remote, and a station that pushes to it.
func (g *ground) origin() *gittest.Repo {
	g.Helper()
	dir := filepath.Join(g.TempDir(), "origin.git")
	g.user.Git("init", "-q", "--bare", "-b", "main", dir)
	g.user.Git("remote", "add", "origin", dir)
	g.user.Git("push", "-q", "origin", "main")
	g.s.Push = "origin"
	return gittest.At(g.TB, dir)
}

func TestALandingIsPushedAndTheLocalBranchIsThePersonsOwn(t *testing.T) {
	g := newGround(t)
	origin := g.origin()
	before := g.head()
	l := g.lands(g.attempt("T-0001", work{"a.txt": "landed\n"}))
	if got := origin.Git("rev-parse", "main"); got != l.Head {
		t.Errorf("origin's main is %s, and %s landed", got, l.Head)
	}
	if got := g.user.Git("rev-parse", "refs/remotes/origin/main"); got != l.Head {
		t.Errorf("the remote's branch as known here is %s", got)
	}
	if g.head() != before || g.user.Git("status", "--porcelain") != "" {
		t.Error("the local branch moved")
	}
	g.user.Git("pull", "-q", "--ff-only", "origin", "main")
	if g.user.Read("a.txt") != "landed\n" {
		t.Error("a pull does not bring the landing")
	}
}

func TestAPushThatLostTheRaceIsGatedAgainOnTheNewHead(t *testing.T) {
	g := newGround(t)
	origin := g.origin()
	other := filepath.Join(t.TempDir(), "other")
	g.user.Git("clone", "-q", origin.Dir, other)
	o := gittest.At(t, other)
	j := g.attempt("T-0001", work{"a.txt": "landed\n"})
	honest, asked := j.Due, 0
	j.Due = func(ctx context.Context, head string) (w workload.Judged, err error) {
		w, err = honest(ctx, head)
		if asked++; asked == 1 {
			o.Write("c.txt", "theirs\n")
			o.Commit("Theirs")
			o.Git("push", "-q", "origin", "main")
		}
		return w, err
	}
	l := g.lands(j)
	if asked != 2 || origin.Git("show", "main:c.txt") != "theirs" || origin.Git("rev-parse", "main") != l.Head {
		t.Errorf("asked %d times, main is %s", asked, origin.Git("log", "--oneline", "main"))
	}
}

func TestAPushThatTheRemoteRefusesNeedsAPerson(t *testing.T) {
	g := newGround(t)
	origin := g.origin()
	before := origin.Git("rev-parse", "main")
	hook := filepath.Join(origin.Dir, "hooks", "pre-receive")
	g.must(os.WriteFile(hook, []byte("#!/bin/sh\necho 'main is protected' >&2\nexit 1\n"), 0o755))
	out, err := g.s.Land(g.ctx, g.attempt("T-0001", work{"a.txt": "landed\n"}))
	g.must(err)
	b := out.Blocked
	if b == nil || b.Escalate != "push_refused" || !strings.Contains(b.Why, "main is protected") || b.Next != "torve requeue T-0001" {
		t.Fatal(outcome(out))
	}
	if origin.Git("rev-parse", "main") != before || g.task("T-0001").State != board.Ready {
		t.Error("a refused push moved something")
	}
}

func TestARemoteThatCannotBeReachedIsAnError(t *testing.T) {
	g := newGround(t)
	g.origin()
	j := g.attempt("T-0001", work{"a.txt": "landed\n"})
	g.user.Git("remote", "set-url", "origin", filepath.Join(t.TempDir(), "nowhere"))
	if out, err := g.s.Land(g.ctx, j); err == nil {
		t.Error(outcome(out))
	}
}
