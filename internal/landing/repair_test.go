package landing

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/git/gittest"
	"torve/internal/record"
)

// dying is a record whose process dies before one kind of event is written.
type dying struct {
	record.Log
	at record.Kind
}

var errDied = errors.New("the process died here")

func (d dying) Append(ctx context.Context, p record.Partition, c record.Cond, events ...record.Event) (record.Seq, error) {
	if events[0].Kind == d.at {
		return 0, errDied
	}
	return d.Log.Append(ctx, p, c, events...)
}

func TestACrashBetweenGitAndTheRecordIsRepairedFromGit(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "landed\n"})
	g.s.Log = dying{g.log, record.KindLanded}
	if _, err := g.s.Land(g.ctx, j); !errors.Is(err, errDied) {
		t.Fatalf("landing gave %v", err)
	}
	g.s.Log = g.log
	if s := g.task("T-0001").State; s != board.Ready {
		t.Fatalf("the record has it %s already", s)
	}
	mended, err := g.s.Repair(g.ctx, g.board())
	g.must(err)
	if len(mended) != 1 || mended[0] != "T-0001" {
		t.Fatalf("mended %v", mended)
	}
	l := g.task("T-0001").Landing
	if l == nil || !l.Observed || l.Contract != j.Task.Digest || g.task("T-0001").State != board.Landed {
		t.Fatalf("the record has %+v", l)
	}
	if got := g.user.Git("log", "-1", "--format=%s", l.Commit); got != "Change T-0001" {
		t.Errorf("the work commit is %q", got)
	}
	again, err := g.s.Repair(g.ctx, g.board())
	g.must(err)
	if len(again) != 0 {
		t.Errorf("the second repair mended %v", again)
	}
}

func TestALostRecordLearnsItsLandingsFromGit(t *testing.T) {
	g := newGround(t)
	first := g.lands(g.attempt("T-0001", work{"a.txt": "landed\n"}))
	g.lands(g.attempt("T-0002", work{"b.txt": "landed\n"}))
	g = lostRecord(t, g)
	mended, err := g.s.Repair(g.ctx, g.board())
	g.must(err)
	if strings.Join(mended, " ") != "T-0001 T-0002" {
		t.Errorf("mended %v, and the older landing comes first", mended)
	}
	if l := g.task("T-0001").Landing; l.Path != first.Path || l.Commit != first.Work || l.Tree != first.Tree || l.Onto != first.Onto {
		t.Errorf("the record learnt %+v, and %+v landed", l, first)
	}
}

func TestAnObservedLandingIsRecordedAlthoughTheTaskIsHeld(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "landed\n"})
	g.s.Log = dying{g.log, record.KindLanded}
	if _, err := g.s.Land(g.ctx, j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	g.s.Log = g.log
	out, err := g.s.Land(g.ctx, j)
	g.must(err)
	if out.Already == nil || g.task("T-0001").State != board.Landed {
		t.Errorf("the holder's next try: %s, and the record has it %s", outcome(out), g.task("T-0001").State)
	}
}

func TestAWorkCommitThatIsNotInThisCloneIsTheCommitThatFirstAddedTheLandingFile(t *testing.T) {
	g := newGround(t)
	before := g.head()
	l := g.lands(g.attempt("T-0001", work{"a.txt": "landed\n"}))
	g.user.Git("reset", "-q", "--soft", before)
	squashed := g.user.Commit("Squash it all")
	clone := filepath.Join(t.TempDir(), "clone")
	g.user.Git("clone", "-q", "--no-local", "--single-branch", "--branch", "main", g.user.Dir, clone)
	c := groundAt(t, gittest.At(t, clone))
	mended, err := c.s.Repair(c.ctx, c.board())
	c.must(err)
	if len(mended) != 1 || c.task("T-0001").Landing.Commit != squashed || c.task("T-0001").Landing.Path != l.Path {
		t.Errorf("mended %v: %+v", mended, c.task("T-0001").Landing)
	}
	if _, err := c.user.Try("cat-file", "-e", l.Work); err == nil {
		t.Error("the work commit is in the clone: the test shows nothing")
	}
}

// moving is a record in which another acts just before one kind of event is written.
type moving struct {
	record.Log
	at  record.Kind
	act func()
}

func (m *moving) Append(ctx context.Context, p record.Partition, c record.Cond, events ...record.Event) (record.Seq, error) {
	if act := m.act; act != nil && events[0].Kind == m.at {
		m.act = nil
		act()
	}
	return m.Log.Append(ctx, p, c, events...)
}

func TestALandingWhoseClaimWasLostAfterGitMovedIsRecordedAsObserved(t *testing.T) {
	g := newGround(t)
	j := g.attempt("T-0001", work{"a.txt": "landed\n"})
	g.s.Log = &moving{Log: g.log, at: record.KindLanded, act: func() {
		g.append("T-0001", j.Claim, 0, record.ByDispatch, record.Released{Why: "died"})
	}}
	l := g.lands(j)
	if r := g.task("T-0001").Landing; r == nil || !r.Observed || r.Path != l.Path {
		t.Errorf("the record has %+v", r)
	}
}

func TestALandingFileThatDoesNotReadIsNotRecorded(t *testing.T) {
	g := newGround(t)
	g.user.Write(".torve/execution/T-0001-1-20260131T120000Z.yaml", "schema: torve/landing/v1\ntask: T-0002\n")
	g.user.Commit("Break")
	mended, err := g.s.Repair(g.ctx, g.board())
	g.must(err)
	if len(mended) != 0 || g.board().Events != 0 {
		t.Errorf("mended %v", mended)
	}
}

func TestAttestWritesTheLandingFileOfWorkDoneByHand(t *testing.T) {
	g := newGround(t)
	g.mint("T-0001")
	g.append("T-0001", "", 0, record.ByDispatch, record.Escalation{Reason: "refused", Check: "law", Detail: "no"})
	g.user.Write("a.txt", "by hand\n")
	sha := g.user.Commit("By hand")
	out, err := g.s.Attest(g.ctx, g.task("T-0001"), "HEAD")
	g.must(err)
	if out.Landed == nil {
		t.Fatal(outcome(out))
	}
	l := out.Landed
	if l.Work != sha || l.Onto != sha || g.head() != l.Head || g.user.Git("rev-parse", l.Head+"^@") != sha {
		t.Errorf("landed %+v on %s", l, sha)
	}
	if got := g.user.Git("diff", "--name-only", sha, l.Head); got != l.Path {
		t.Errorf("the attestation changes %q, and its landing file alone is wanted", got)
	}
	if text := g.file(l.Path); !strings.Contains(text, "attested_by: Ada Example <ada@example.com>") || !strings.Contains(text, "attempt: 0") {
		t.Errorf("the file says\n%s", text)
	}
	task := g.task("T-0001")
	if task.State != board.Landed || task.Escalation != nil || task.Landing.Attested == "" || task.Landing.Commit != sha {
		t.Errorf("the record has %s, %+v", task.State, task.Landing)
	}
}

func TestAttestIsRefusedWhereTheStateOrTheCommitDoesNotAllowIt(t *testing.T) {
	g := newGround(t)
	g.user.Git("checkout", "-q", "-b", "side")
	g.user.Write("c.txt", "aside\n")
	aside := g.user.Commit("Aside")
	g.user.Git("checkout", "-q", "main")
	free := g.mint("T-0001").ID
	held := g.attempt("T-0002", work{"a.txt": "x\n"}).Task
	g.lands(g.attempt("T-0003", work{"b.txt": "x\n"}))
	before := g.head()
	for name, c := range map[string]struct {
		task board.Task
		sha  string
	}{
		"a commit that is not on the line":   {g.task(free), aside},
		"a commit that is not there":         {g.task(free), "0123456789012345678901234567890123456789"},
		"a task that is held":                {held, before},
		"a task that landed":                 {g.task("T-0003"), before},
		"a task that was never on the board": {board.Task{ID: "T-0009", State: board.Withdrawn}, before},
	} {
		_, err := g.s.Attest(g.ctx, c.task, c.sha)
		var no *NotAllowed
		if !errors.As(err, &no) || no.Why == "" || no.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if g.head() != before {
		t.Error("the target moved")
	}
}
