package landing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/seam"
	"torve/internal/workload"
)

func TestALandingIsTheWorkThenItsAccountThenAMergeWithoutContentOfItsOwn(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "one, changed\n"}, record.Divergence{
		Decision: "unlisted", Claim: "a is first", Evidence: "a.txt:1", Action: "decided", Proposal: "say so",
	})
	base := g.head()
	l := g.lands(j)

	if g.head() != l.Head || l.Onto != base {
		t.Errorf("main is %s, and the landing says %s on %s", g.head(), l.Head, l.Onto)
	}
	account := g.user.Git("rev-parse", l.Head+"^2")
	for rev, want := range map[string]string{l.Head + "^1": base, account + "^": l.Work, l.Work + "^": base} {
		if got := g.user.Git("rev-parse", rev); got != want {
			t.Errorf("%s is %s, and %s is wanted", rev, got, want)
		}
	}
	if got := g.user.Git("diff", "--name-only", base, l.Work); got != "a.txt" {
		t.Errorf("W changes %q, and a.txt alone is the work", got)
	}
	if got := g.user.Git("diff", "--name-only", l.Work, account); got != l.Path+"\n"+carrier.LogPath("T-0001") {
		t.Errorf("L adds %q", got)
	}
	if got := g.user.Git("rev-parse", l.Head+"^{tree}"); got != g.user.Git("rev-parse", account+"^{tree}") {
		t.Error("M has content of its own")
	}
	c, err := g.repo.ReadCommit(g.ctx, l.Work)
	g.must(err)
	want := map[string]string{"Torve-Task": "T-0001", "Torve-Attempt": "1", "Torve-Agent": "command@m1", "Torve-Contract": j.Task.Digest}
	for key, value := range want {
		if c.Trailers()[key] != value {
			t.Errorf("the trailer %s is %q, and %q is wanted", key, c.Trailers()[key], value)
		}
	}
	if c.Title() != "Change T-0001" || c.Author != g.s.Person || c.Committer != g.s.Person {
		t.Errorf("W is %q by %v, committed by %v", c.Title(), c.Author, c.Committer)
	}
	if out := g.user.Git("status", "--porcelain"); out != "" || g.user.Read("a.txt") != "one, changed\n" {
		t.Errorf("the checkout did not follow the target: %q", out)
	}
}

func TestTheLandingFileCarriesItsOwnAccount(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "one, changed\n"})
	l := g.lands(j)
	f, err := carrier.ReadLanding(l.Path, []byte(g.file(l.Path)+"\n"))
	g.must(err)
	if f.Commit != l.Work || f.Tree != l.Tree || f.Onto != l.Onto || f.Base != l.Onto || f.Attempt != 1 || f.Contract != j.Task.Digest {
		t.Errorf("the file names %+v, and the landing is %+v", f, l)
	}
	moments := map[string]int{}
	for _, a := range f.Gate.Checks {
		moments[a.Moment]++
	}
	if moments["arrival"] != 6 || moments["due"] != 6 || f.Gate.Asked != 6 || len(f.Gate.Acceptance) == 0 {
		t.Errorf("the gate's answers are %v, asked %d, acceptance %v", moments, f.Gate.Asked, f.Gate.Acceptance)
	}
	if f.Spent.Attempts != 1 || f.Spent.USD == nil || *f.Spent.USD != 0.25 || f.Spent.Source != "reported" {
		t.Errorf("spent is %+v", f.Spent)
	}
	task := g.task("T-0001")
	if task.State != board.Landed || task.Landing.Path != l.Path || task.Landing.Commit != l.Work || task.Landing.Head != l.Head || task.Landing.Observed {
		t.Errorf("the record has %s, %+v", task.State, task.Landing)
	}
}

// lostRecord is the same repository with an empty record.
func lostRecord(t *testing.T, g *ground) *ground {
	t.Helper()
	g.must(g.log.Check(g.ctx, part))
	g.must(g.log.Close())
	g.log = nil
	g.must(os.RemoveAll(filepath.Join(g.repo.Common, "torve")))
	return groundAt(t, g.user)
}

func TestASecondLandingOfATaskIsRefusedWithItsPath(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "landed\n"})
	l := g.lands(j)
	before := g.head()
	out, err := g.s.Land(g.ctx, j)
	g.must(err)
	if out.Already == nil || out.Already.Path != l.Path || out.Already.Commit != l.Work {
		t.Fatalf("the second landing: %s", outcome(out))
	}
	if g.head() != before {
		t.Error("the second landing moved the target")
	}
}

func TestWhatTheDueGateRefusesDoesNotLand(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	g.user.Write("a.txt", "mine\n")
	before := g.user.Commit("Mine")
	out, err := g.s.Land(g.ctx, j)
	g.must(err)
	if out.Refused == nil || out.Refused.Verdict.Failed != seam.OnFreshness {
		t.Fatalf("a conflict: %s", outcome(out))
	}
	if g.head() != before {
		t.Error("a refused landing moved the target")
	}
}

func TestWorkIsMergedWithAHeadThatMoved(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	g.user.Write("b.txt", "mine\n")
	moved := g.user.Commit("Mine")
	l := g.lands(j)
	if l.Onto != moved || g.file("a.txt") != "theirs" || g.file("b.txt") != "mine" {
		t.Error("the merge lost a side")
	}
	if got := g.user.Git("rev-parse", l.Work+"^"); got == moved {
		t.Error("W is a child of the head, and its base is wanted")
	}
}

func TestWorkWhoseBaseIsNoLongerOnTheLineIsCutAgainOnTheHead(t *testing.T) {
	g := newGround(t)
	g.user.Write("secret.txt", "taken back\n")
	gone := g.user.Commit("Take back")
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	g.user.Git("reset", "-q", "--hard", "HEAD^")
	g.lands(j)
	if on, err := g.repo.IsAncestor(g.ctx, gone, g.head()); err != nil || on {
		t.Errorf("the commit that was taken off the line came back with the work: %v", err)
	}
	if g.file("a.txt") != "theirs" {
		t.Error("the work is not there")
	}
	if _, err := g.user.Try("show", "main:secret.txt"); err == nil {
		t.Error("the file that was taken back is there again")
	}
}

func TestWorkThatWasCutAgainLandsOnTheHeadThatItWasAskedOn(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "two\n", "c.txt": "new\n"})
	g.user.Write("a.txt", "two\n") // the same change, by a person
	again := g.user.Commit("Same")
	tree := g.merged("T-0001", j.Attempt.Finished.Base, again, j.Attempt.Finished.Tree)
	g.judge("T-0001", j.Claim, "arrival", again, tree, "")
	g.user.Write("a.txt", "one\n") // who takes it back
	g.user.Commit("Take back")
	j.Due = g.due("T-0001", j.Claim, again, tree)
	l := g.lands(j)
	if g.file("a.txt") != "one" || g.file("c.txt") != "new" {
		t.Error("what landed is not what was judged on the later cut")
	}
	if got := g.user.Git("rev-parse", l.Work+"^"); got != again {
		t.Errorf("W stands on %s, and it was asked on %s", got, again)
	}
}

func TestOnlyTheTreeThatWasJudgedLands(t *testing.T) {
	g := newGround(t)
	other := g.tree(g.head(), work{"b.txt": "sneaked in\n"})
	for name, lie := range map[string]func(*workload.Judged, string){
		"another tree":         func(j *workload.Judged, _ string) { j.Tree = other },
		"the moment of asking": func(j *workload.Judged, _ string) { j.Moment = "arrival" },
		"another head":         func(j *workload.Judged, _ string) { j.Head = other },
		"no answer at all":     func(j *workload.Judged, _ string) { *j = workload.Judged{} },
	} {
		id := fmt.Sprintf("T-%04d", len(g.board().Tasks)+1)
		j := g.attempt(id, work{"a.txt": "judged " + id + "\n"})
		honest := j.Due
		j.Due = func(ctx context.Context, head string) (workload.Judged, error) {
			out, err := honest(ctx, head)
			lie(&out, head)
			return out, err
		}
		before := g.head()
		out, err := g.s.Land(g.ctx, j)
		if err == nil || g.head() != before {
			t.Errorf("%s: landed with %s", name, outcome(out))
		}
		g.append(id, j.Claim, 0, record.ByDispatch, record.Released{Why: "ready"})
	}
}

func TestAYesThatTheRecordDoesNotHoldDoesNotLand(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	tree := g.merged("T-0001", g.head(), g.head(), j.Attempt.Finished.Tree)
	j.Due = func(_ context.Context, head string) (workload.Judged, error) {
		return workload.Judged{Moment: "due", Verdict: seam.Accepted(), Tree: tree, Head: head}, nil
	}
	before := g.head()
	if out, err := g.s.Land(g.ctx, j); err == nil || g.head() != before {
		t.Errorf("landed: %s", outcome(out))
	}
}

func TestALandingFileThatIsThereAlreadyIsNotWrittenOver(t *testing.T) {
	g := newGround(t)
	tree := g.tree(g.head(), work{"x.yaml": "new\n"})
	c, err := g.repo.WriteCommit(g.ctx, git.Commit{Tree: tree, Parents: []string{g.head()}, Author: g.s.Person, Committer: g.s.Person, At: noon, Message: "x\n"}, false)
	g.must(err)
	l := landable{grounds: judged{g: g.tree(g.head(), nil)}, commit: c, onto: g.head(), path: "x.yaml"}
	g.must(g.s.sound(g.ctx, l))
	l.path = "a.txt"
	if err := g.s.sound(g.ctx, l); err == nil {
		t.Error("a path that the head holds is sound as the one new file")
	}
}

func TestAHolderThatLostItsClaimLandsNothing(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	g.append("T-0001", j.Claim, 0, record.ByDispatch, record.Released{Why: "died"})
	before := g.head()
	out, err := g.s.Land(g.ctx, j)
	if !errors.Is(err, record.ErrMoved) || g.head() != before {
		t.Errorf("%s, %v", outcome(out), err)
	}
}

func TestASignatureThatCannotBeMadeIsAnErrorAndNothingMoves(t *testing.T) {
	g := newGround(t)
	g.user.Git("config", "gpg.program", filepath.Join(t.TempDir(), "no-such-program"))
	g.s.Sign = true
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	before := g.head()
	if out, err := g.s.Land(g.ctx, j); err == nil || g.head() != before {
		t.Errorf("landed unsigned: %s", outcome(out))
	}
}

func TestConcurrentLandingsOfDifferentTasksByTwoStationsAllLand(t *testing.T) {
	g := newGround(t)
	const many = 6
	var jobs []Job
	for i := range many {
		jobs = append(jobs, g.attempt(fmt.Sprintf("T-%04d", i+1), work{fmt.Sprintf("f%d.txt", i): "landed\n"}))
	}
	second, err := git.Open(g.ctx, g.user.Dir)
	g.must(err)
	t.Cleanup(func() { _ = second.Close() })
	other := *g.s
	other.Repo = second
	other.Now = noonAlways
	g.s.Now = noonAlways
	var wg sync.WaitGroup
	for i, j := range jobs {
		wg.Go(func() {
			s := g.s
			if i%2 == 1 {
				s = &other
			}
			out, err := s.Land(g.ctx, j)
			if err != nil || out.Landed == nil {
				t.Errorf("%s: %s, %v", j.Task.ID, outcome(out), err)
			}
		})
	}
	wg.Wait()
	if got := g.landings("main"); len(got) != many {
		t.Errorf("%d landing files, and %d landed: %v", len(got), many, got)
	}
	for i := range many {
		if got := g.user.Read(fmt.Sprintf("f%d.txt", i)); got != "landed\n" {
			t.Errorf("f%d.txt is %q", i, got)
		}
	}
	if got := g.user.Git("status", "--porcelain"); got != "" {
		t.Errorf("the checkout is not clean: %q", got)
	}
}

func TestAfterTwoLossesTheTaskIsGatedInsideTheLock(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "theirs\n"})
	honest, asked := j.Due, 0
	j.Due = func(ctx context.Context, head string) (workload.Judged, error) {
		out, err := honest(ctx, head)
		release, free, lerr := g.repo.TryLock("target-main")
		g.must(lerr)
		if free {
			release()
		}
		if inside := asked >= losses; free == inside {
			t.Errorf("question %d: the target's lock is free: %v", asked, free)
		}
		if asked < losses {
			g.user.Write("b.txt", fmt.Sprintf("mine, %d\n", asked))
			g.user.Commit("Mine")
		}
		asked++
		return out, err
	}
	g.lands(j)
	if asked != losses+1 {
		t.Errorf("the gate was asked %d times, and %d is wanted", asked, losses+1)
	}
}
