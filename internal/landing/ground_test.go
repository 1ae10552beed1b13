package landing

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/sqlite"
	"torve/internal/seam"
	"torve/internal/truth"
	"torve/internal/workload"
)

const (
	part record.Partition = "acme/shop"
	host                  = "build-7"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// ground is a scratch repository with a record, and a station that lands in it.
type ground struct {
	testing.TB
	user *gittest.Repo // the person's checkout
	repo *git.Repo
	log  record.Log
	s    *Station
	ctx  context.Context
}

func newGround(t testing.TB) *ground {
	t.Helper()
	user := gittest.New(t)
	user.Write("a.txt", "one\n")
	user.Write("b.txt", "two\n")
	user.Commit("Begin")
	return groundAt(t, user)
}

func groundAt(t testing.TB, user *gittest.Repo) *ground {
	t.Helper()
	g := &ground{TB: t, user: user, ctx: context.Background()}
	var err error
	if g.repo, err = git.Open(g.ctx, user.Dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.repo.Close() })
	if g.log, err = sqlite.Open(g.ctx, filepath.Join(g.repo.Common, "torve", "record.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if g.log == nil { // lost by the test, checked before
			return
		}
		if err := g.log.Check(context.Background(), part); err != nil {
			t.Errorf("the record is not sound: %v", err)
		}
		_ = g.log.Close()
	})
	tick := noon
	g.s = &Station{
		Repo: g.repo, Log: g.log, Partition: part, Host: host, Target: "main",
		Now:    func() time.Time { tick = tick.Add(time.Second); return tick },
		Person: git.Person{Name: "Ada Example", Email: "ada@example.com"},
	}
	return g
}

func (g *ground) must(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *ground) append(task, claim string, attempt int, actor string, payloads ...record.Payload) {
	g.Helper()
	var events []record.Event
	for _, p := range payloads {
		e, err := record.New(p, noon, record.Envelope{Task: task, Claim: claim, Attempt: attempt, Host: host, Actor: record.Actor{Kind: actor, ID: "test"}})
		g.must(err)
		events = append(events, e)
	}
	_, err := g.log.Append(g.ctx, part, record.Always(), events...)
	g.must(err)
}

func (g *ground) board() *board.Board {
	g.Helper()
	b, err := board.Fold(g.log.Read(g.ctx, part, 1))
	g.must(err)
	return b
}

func (g *ground) task(id string) board.Task { g.Helper(); return *g.board().Tasks[id] }

func (g *ground) head() string { g.Helper(); return g.user.Git("rev-parse", "refs/heads/main") }

// file reads a path on the target.
func (g *ground) file(path string) string {
	g.Helper()
	return g.user.Git("show", "refs/heads/main:"+path)
}

// landings lists the landing files in a revision's tree.
func (g *ground) landings(rev string) []string {
	g.Helper()
	return strings.Fields(g.user.Git("ls-tree", "-r", "--name-only", rev, ".torve/execution/"))
}

// mint puts a task on the board.
func (g *ground) mint(id string) contract.Contract {
	g.Helper()
	c := contract.Default()
	c.ID, c.Title, c.Scope.Allow = id, "Change "+id, []string{"**"}
	g.append(id, "", 0, record.ByMint, record.Minted{
		Digest: c.Digest(), Contract: c.Canonical(), Owner: "ada@example.com", Path: contract.PathOf(id), Commit: g.head(),
	})
	return c
}

// work is what an attempt changed: path → content, "" drops it.
type work map[string]string

// attempt mints, claims and keeps accepted work, cut from the present head.
func (g *ground) attempt(id string, w work, notes ...record.Divergence) Job {
	g.Helper()
	c := g.mint(id)
	base := g.head()
	tree := g.tree(base, w)
	kept, err := g.repo.WriteCommit(g.ctx, git.Commit{Tree: tree, Parents: []string{base}, Author: g.s.Person, Committer: g.s.Person, At: noon, Message: "Keep\n"}, false)
	g.must(err)
	ref := "refs/torve/attempts/" + id + "/1"
	g.must(g.repo.UpdateRefs(g.ctx, git.RefUpdate{Ref: ref, New: kept}))
	claim := "claim-of-" + id
	g.append(id, claim, 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "1"})
	agent := record.Agent{Adapter: "command", Model: "m1"}
	g.append(id, claim, 1, record.ByAttempt, record.Started{Mode: "first", Agent: agent, Base: base, Worktree: "/w", Walls: "none", Contract: c.Digest(), Prompt: c.Digest()})
	for _, n := range notes {
		g.append(id, claim, 1, record.ByAgent, n)
	}
	usd := 0.25
	g.append(id, claim, 1, record.ByAttempt, record.Finished{
		End: "done", Seconds: new(3.0), Base: base, Head: kept, Tree: tree, Ref: ref, Changes: len(w), Lines: 1,
		Usage: record.Usage{USD: &usd, Source: "reported"}, Agent: agent, Regime: c.Digest(),
	})
	g.judge(id, claim, "arrival", base, g.merged(id, base, base, tree), "")
	t := g.task(id)
	if t.State != board.Ready {
		g.Fatalf("%s is %s after its arrival", id, t.State)
	}
	return Job{Task: t, Claim: claim, Attempt: t.Attempts[0], Due: g.due(id, claim, base, tree)}
}

func (g *ground) tree(rev string, w work) string {
	g.Helper()
	tree, err := g.repo.TreeID(g.ctx, rev)
	g.must(err)
	var edits []git.Edit
	for path, text := range w {
		e := git.Edit{Path: path}
		if text != "" {
			e.Mode = "100644"
			e.ID, err = g.repo.WriteBlob(g.ctx, []byte(text))
			g.must(err)
		}
		edits = append(edits, e)
	}
	tree, err = g.repo.EditTree(g.ctx, tree, edits...)
	g.must(err)
	return tree
}

// merged is G over a head: the work with its log, merged; "" when it conflicts.
func (g *ground) merged(id, base, head, tree string) string {
	g.Helper()
	t := g.task(id)
	if log := truth.LogOf(&t, base); len(log.Entries) > 0 {
		data, err := carrier.WriteLog(log)
		g.must(err)
		blob, err := g.repo.WriteBlob(g.ctx, data)
		g.must(err)
		tree, err = g.repo.EditTree(g.ctx, tree, git.Edit{Path: carrier.LogPath(id), Mode: "100644", ID: blob})
		g.must(err)
	}
	c, err := g.repo.WriteCommit(g.ctx, git.Commit{Tree: tree, Parents: []string{base}, Author: g.s.Person, Committer: g.s.Person, At: noon, Message: "Ask\n"}, false)
	g.must(err)
	m, err := g.repo.Merge(g.ctx, base, head, c)
	g.must(err)
	return m.Tree
}

// judge records the six answers: yes, or a no of the check named.
func (g *ground) judge(id, claim, moment, head, tree, no string) {
	g.Helper()
	t := g.task(id)
	j := record.Judged{Moment: moment, Tree: tree, Head: head, Contract: t.Digest, Verdict: "accepted",
		Acceptance: []record.Ran{{Line: "true", Output: t.Digest, Tests: 7, Tree: cmp.Or(tree, head)}}}
	for _, check := range record.Checks {
		a := record.Answer{Check: check, Said: "yes"}
		if moment == "due" && check != "reach" && check != "freshness" {
			a.Said = "-"
		}
		if check == no {
			a.Said, a.Note = "no", "it says no"
			j.Verdict, j.Check, j.Reason = "refused", no, "it says no"
		}
		j.Checks = append(j.Checks, a)
	}
	actor := record.ByAttempt
	g.append(id, claim, 1, actor, j)
}

// due asks about the merge with a head, as the attempt station does: a conflict is
// refused by freshness.
func (g *ground) due(id, claim, base, tree string) func(context.Context, string) (workload.Judged, error) {
	return func(_ context.Context, head string) (workload.Judged, error) {
		merged, no := g.merged(id, base, head, tree), ""
		out := workload.Judged{Moment: "due", Verdict: seam.Accepted(), Tree: merged, Head: head}
		if merged == "" {
			no = "freshness"
			out.Verdict = seam.Refused(no, "it says no")
		}
		g.judge(id, claim, "due", head, merged, no)
		return out, nil
	}
}

// lands lands and wants it to have landed.
func (g *ground) lands(j Job) Landed {
	g.Helper()
	out, err := g.s.Land(g.ctx, j)
	g.must(err)
	if out.Landed == nil {
		g.Fatalf("it did not land: %s", outcome(out))
	}
	return *out.Landed
}

// blocks lands and wants it blocked, with nothing moved.
func (g *ground) blocks(j Job) Blocked {
	g.Helper()
	before := g.head()
	out, err := g.s.Land(g.ctx, j)
	g.must(err)
	if out.Blocked == nil {
		g.Fatalf("it was not blocked: %s", outcome(out))
	}
	if now := g.head(); now != before {
		g.Errorf("main moved from %s to %s although the landing was blocked", before, now)
	}
	if t := g.task(j.Task.ID); t.State != board.Ready {
		g.Errorf("a blocked task is %s, and ready is wanted", t.State)
	}
	return *out.Blocked
}

func outcome(o Outcome) string {
	switch {
	case o.Landed != nil:
		return fmt.Sprintf("landed %+v", *o.Landed)
	case o.Refused != nil:
		return "refused: " + o.Refused.Verdict.String()
	case o.Blocked != nil:
		return fmt.Sprintf("blocked %+v", *o.Blocked)
	case o.Already != nil:
		return fmt.Sprintf("already %+v", *o.Already)
	}
	return "no outcome"
}

func noonAlways() time.Time { return noon }
