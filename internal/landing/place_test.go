package landing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/git/gittest"
)

func TestPullRebaseKeepsALanding(t *testing.T) {
	g := newGround(t)
	origin := filepath.Join(t.TempDir(), "origin.git")
	g.user.Git("init", "-q", "--bare", "-b", "main", origin)
	g.user.Git("remote", "add", "origin", origin)
	g.user.Git("push", "-q", "-u", "origin", "main")
	l := g.lands(g.attempt("T-0001", work{"a.txt": "landed\n"}))

	other := filepath.Join(t.TempDir(), "other")
	g.user.Git("clone", "-q", origin, other)
	o := gittest.At(t, other)
	o.Write("c.txt", "theirs\n")
	o.Commit("Theirs")
	o.Git("push", "-q", "origin", "main")

	g.user.Git("pull", "-q", "--rebase", "origin", "main")
	if got := g.landings("HEAD"); len(got) != 1 || got[0] != l.Path {
		t.Errorf("after pull --rebase the landings are %v, and %s is wanted", got, l.Path)
	}
	if g.user.Read("a.txt") != "landed\n" || g.user.Read("c.txt") != "theirs\n" {
		t.Error("the rebase lost work")
	}
	fresh := lostRecord(t, g)
	mended, err := fresh.s.Repair(fresh.ctx, fresh.board())
	g.must(err)
	if len(mended) != 1 {
		t.Fatalf("mended %v", mended)
	}
	work := fresh.task("T-0001").Landing.Commit
	if work == l.Work || !strings.Contains(g.user.Git("log", "-1", "--format=%B", work), "Torve-Task: T-0001") {
		t.Errorf("after a rebase the work commit is found by its trailers; it is %s", work)
	}
}

func TestAnIgnoredFileOfThePersonSurvivesALandingThatBringsOne(t *testing.T) {
	g := newGround(t)
	g.user.Write(".gitignore", ".env\n")
	g.user.Commit("Ignore")
	g.user.Write(".env", "SECRET=mine\n")
	b := g.blocks(g.attempt("T-0001", work{".env": "SECRET=theirs\n"}))
	if g.user.Read(".env") != "SECRET=mine\n" {
		t.Fatal("the person's .env is overwritten")
	}
	full := filepath.Join(g.user.Dir, ".env")
	if want := "mv " + full + " " + full + ".mine && torve land T-0001"; b.Next != want {
		t.Errorf("next is %q, and %q is wanted", b.Next, want)
	}
	if !strings.Contains(b.Why, ".env") {
		t.Errorf("why does not name the file: %s", b.Why)
	}
}

func TestADirtyTargetIsBlockedAndLandsOnceItIsStashed(t *testing.T) {
	g := newGround(t)
	g.user.Write("a.txt", "mine\n")
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	b := g.blocks(j)
	if g.user.Read("a.txt") != "mine\n" {
		t.Fatal("the person's change is gone")
	}
	if want := "git -C " + g.user.Dir + " stash && torve land T-0001"; b.Next != want {
		t.Errorf("next is %q, and %q is wanted", b.Next, want)
	}
	g.user.Git("stash")
	g.lands(j)
	if g.user.Read("a.txt") != "theirs\n" {
		t.Error("the landing is not in the checkout")
	}
}

func TestALockThatAnotherGitLeftBlocksAndCostsNothing(t *testing.T) {
	for name, detached := range map[string]bool{"index.lock": false, "refs/heads/main.lock": true} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			if detached {
				g.user.Git("checkout", "-q", "--detach")
			}
			lock := filepath.Join(g.user.Dir, ".git", name)
			g.must(os.WriteFile(lock, nil, 0o644))
			j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
			if b := g.blocks(j); !strings.Contains(b.Why, name) || b.Next != "torve land T-0001" || b.Escalate != "" {
				t.Errorf("%+v", b)
			}
			g.must(os.Remove(lock))
			g.lands(j)
		})
	}
}

func TestADirtyFileThatTheLandingDoesNotTouchStaysAndBlocksNothing(t *testing.T) {
	g := newGround(t)
	g.user.Write("b.txt", "mine\n")
	g.user.Write("new.txt", "mine too\n")
	g.lands(g.attempt("T-0001", work{"a.txt": "theirs\n"}))
	if g.user.Read("b.txt") != "mine\n" || g.user.Read("new.txt") != "mine too\n" {
		t.Error("the person's changes are gone")
	}
	if got := g.user.Git("status", "--porcelain"); got != "M b.txt\n?? new.txt" {
		t.Errorf("status is %q", got)
	}
}

func TestATargetInASecondWorktreeMovesThere(t *testing.T) {
	g := newGround(t)
	g.user.Git("checkout", "-q", "-b", "feature")
	second := filepath.Join(t.TempDir(), "second place")
	g.user.Git("worktree", "add", "-q", second, "main")
	l := g.lands(g.attempt("T-0001", work{"a.txt": "landed\n"}))
	w := gittest.At(t, second)
	if w.Read("a.txt") != "landed\n" || w.Git("status", "--porcelain") != "" || w.Git("rev-parse", "HEAD") != l.Head {
		t.Error("the second worktree did not follow")
	}
	if g.user.Read("a.txt") != "one\n" {
		t.Error("the checkout of another branch was touched")
	}
	w.Write("b.txt", "mine\n")
	b := g.blocks(g.attempt("T-0002", work{"b.txt": "theirs\n"}))
	if !strings.HasPrefix(b.Next, "git -C '"+second+"' stash") {
		t.Errorf("next does not quote the place: %s", b.Next)
	}
}

func TestATargetInTheMiddleOfARebaseIsBlocked(t *testing.T) {
	g := newGround(t)
	g.user.Git("checkout", "-q", "-b", "side")
	g.user.Write("a.txt", "side\n")
	g.user.Commit("Side")
	g.user.Git("checkout", "-q", "main")
	g.user.Write("a.txt", "main\n")
	g.user.Commit("Main")
	j := g.attempt("T-0001", work{"b.txt": "landed\n"})
	if out, err := g.user.Try("rebase", "side"); err == nil {
		t.Fatalf("the rebase was to stop at a conflict: %s", out)
	}
	b := g.blocks(j)
	if !strings.Contains(b.Why, "rebase") || !strings.HasPrefix(b.Next, "git -C "+g.user.Dir+" rebase --continue && ") {
		t.Errorf("blocked: %+v", b)
	}
	g.user.Git("rebase", "--abort")
	g.lands(j)
}

func TestATargetThatIsCheckedOutNowhereMovesByItsRef(t *testing.T) {
	g := newGround(t)
	g.user.Git("checkout", "-q", "--detach")
	l := g.lands(g.attempt("T-0001", work{"a.txt": "landed\n"}))
	if g.head() != l.Head || g.user.Read("a.txt") != "one\n" || g.user.Git("status", "--porcelain") != "" {
		t.Error("the target did not move by its ref alone")
	}
}

func TestABareRepositoryLands(t *testing.T) {
	home := newGround(t)
	dir := filepath.Join(t.TempDir(), "bare.git")
	home.user.Git("clone", "-q", "--bare", home.user.Dir, dir)
	g := groundAt(t, gittest.At(t, dir))
	l := g.lands(g.attempt("T-0001", work{"a.txt": "landed\n"}))
	if g.head() != l.Head || g.file("a.txt") != "landed" {
		t.Errorf("main is %s, and %s landed", g.head(), l.Head)
	}
}
