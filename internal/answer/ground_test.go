package answer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/sqlite"
	"torve/internal/truth"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	part record.Partition = "acme/shop"
	id                    = "T-0001"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// contractFile is T-0001's contract as a person wrote it.
const contractFile = `schema: torve/contract/v1
id: T-0001
title: Rename Basket to Cart
owner: ada@example.com
scope:
  allow:
    - cart/**   # the package
  deny: ["cart/old/**"]
acceptance:
  - "true"
`

// ground is a scratch repository with a record and a station that answers in it.
type ground struct {
	*testing.T
	user *gittest.Repo
	repo *git.Repo
	log  record.Log
	s    *Station
	ctx  context.Context
}

func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{T: t, user: gittest.New(t), ctx: context.Background()}
	g.user.Write("cart/cart.go", "package cart\n")
	g.user.Write(contract.PathOf(id), contractFile)
	g.user.Commit("Ask for T-0001")
	g.open()
	return g
}

// open opens the repository and its record.
func (g *ground) open() {
	g.Helper()
	var err error
	if g.repo, err = git.Open(g.ctx, g.user.Dir); err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { g.repo.Close() })
	if g.log, err = sqlite.Open(g.ctx, filepath.Join(g.repo.Common, "torve", "record.db")); err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() {
		if err := g.log.Check(context.Background(), part); err != nil {
			g.Errorf("the record is not sound: %v", err)
		}
		g.log.Close()
	})
	g.s = &Station{
		Repo: g.repo, Log: g.log, Partition: part, Host: "here", By: "Ada Example", Target: "main",
		Now: func() time.Time { return noon }, States: filepath.Join(g.user.Dir, ".wt"),
		Gather: g.gather, Remint: g.remint, Facts: g.facts,
	}
}

func (g *ground) gather(ctx context.Context) (*truth.Reading, error) {
	head, err := g.repo.Resolve(ctx, g.target())
	if err != nil {
		return nil, err
	}
	return truth.Gather(ctx, truth.Sources{
		Repo: g.repo, Target: "main", Head: head, Log: g.log, Partition: part, States: g.s.States, WorkTree: g.user.Dir,
	})
}

func (g *ground) target() string {
	if g.s.Push != "" {
		return "refs/remotes/" + g.s.Push + "/main"
	}
	return "refs/heads/main"
}

// facts is what a mint of the committed contract would write.
func (g *ground) facts(ctx context.Context, task string) (record.Minted, string, error) {
	r, err := g.gather(ctx)
	if err != nil {
		return record.Minted{}, "", err
	}
	f := r.Contracts[task]
	if len(f.Contract.DependsOn) > 0 {
		return record.Minted{}, "nobody knows " + f.Contract.DependsOn[0], nil
	}
	return record.Minted{
		Digest: f.Digest, Contract: f.Contract.Canonical(), Owner: f.Contract.Owner, Path: f.Path, Blob: f.Blob, Commit: r.Head,
	}, "", nil
}

// remint mints as a pass over one task does.
func (g *ground) remint(ctx context.Context, task string) error {
	m, _, err := g.facts(ctx, task)
	if err != nil {
		return err
	}
	t := g.task(task)
	switch {
	case t == nil:
		g.append(record.ByMint, 0, "", m)
	case t.Digest != m.Digest && !t.InFlight():
		g.append(record.ByMint, 0, "", record.Reminted{
			Digest: m.Digest, Contract: m.Contract, Owner: m.Owner, Path: m.Path, Blob: m.Blob, Commit: m.Commit,
			Was: t.Digest, Changed: []string{"scope.allow"},
		})
	}
	return nil
}

func (g *ground) must(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *ground) append(actor string, attempt int, claim string, payloads ...record.Payload) {
	g.Helper()
	var events []record.Event
	for _, p := range payloads {
		e, err := record.New(p, noon, record.Envelope{Task: id, Attempt: attempt, Claim: claim, Host: "here", Actor: record.Actor{Kind: actor, ID: "test"}})
		g.must(err)
		events = append(events, e)
	}
	_, err := g.log.Append(g.ctx, part, record.Always(), events...)
	g.must(err)
}

func (g *ground) task(task string) *board.Task {
	g.Helper()
	b, err := board.Fold(g.log.Read(g.ctx, part, 1))
	g.must(err)
	return b.Tasks[task]
}

// mint puts the task on the board.
func (g *ground) mint() { g.Helper(); g.must(g.remint(g.ctx, id)) }

// claim takes the task.
func (g *ground) claim() {
	g.Helper()
	g.append(record.ByDispatch, 0, "C-1", record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"})
}

// attempt makes one that ended so, its tree kept on its ref.
func (g *ground) attempt(n int, end string, judged ...record.Judged) {
	g.Helper()
	ref := fmt.Sprintf("refs/torve/attempts/%s/%d", id, n)
	base := g.user.Git("rev-parse", "main")
	tree := g.user.Git("rev-parse", "main^{tree}")
	head := g.user.Git("commit-tree", "-p", base, "-m", "kept", tree)
	g.user.Git("update-ref", ref, head)
	agent := record.Agent{Adapter: "command"}
	why := ""
	if end != "done" {
		why = "it ended " + end
	}
	g.append(record.ByAttempt, n, "C-1",
		record.Started{Mode: "first", Agent: agent, Base: base, Worktree: "/w", Walls: "none", Contract: g.task(id).Digest, Prompt: digest},
		record.Finished{End: end, Base: base, Head: head, Tree: tree, Ref: ref, Agent: agent, Usage: record.Usage{Source: "unknown"}, Regime: digest, Why: why},
	)
	for _, j := range judged {
		j.Tree, j.Head, j.Contract = tree, base, g.task(id).Digest
		g.append(record.ByAttempt, n, "C-1", j)
	}
}

const digest = "1111111111111111111111111111111111111111111111111111111111111111"

func answers(refuses string) []record.Answer {
	var all []record.Answer
	said := "yes"
	for _, c := range record.Checks {
		a := record.Answer{Check: c, Said: said}
		if c == refuses {
			a.Said, said = "no", "-"
		}
		all = append(all, a)
	}
	return all
}

func accepted() record.Judged {
	return record.Judged{Moment: "arrival", Verdict: "accepted", Checks: answers("")}
}

func refused(check string) record.Judged {
	return record.Judged{Moment: "arrival", Verdict: "refused", Check: check, Reason: "no", Checks: answers(check)}
}

// escalate raises a reason and lets go of the claim.
func (g *ground) escalate(reason, check string) {
	g.Helper()
	g.append(record.ByDispatch, 0, "C-1",
		record.Escalation{Reason: reason, Check: check, Detail: "it needs you"}, record.Released{Why: "escalated"})
}

// landing commits a landing file, as a clone without a record finds it.
func (g *ground) landing() {
	g.Helper()
	head := g.user.Git("rev-parse", "HEAD")
	file := carrier.LandingPath(id, "", 1, noon)
	data, err := carrier.WriteLanding(carrier.Landing{
		Schema: carrier.LandingSchema, Task: id, Title: "Rename Basket to Cart", Owner: "ada@example.com", Attempt: 1, At: noon,
		Target: "main", Base: head, Onto: head, Commit: head, Tree: g.user.Git("rev-parse", "HEAD^{tree}"), Contract: digest,
		Agent: carrier.Agent{Adapter: "command"}, Walls: "none", Scope: carrier.Scope{Allow: []string{"**"}},
		Gate: &carrier.Gate{Asked: 6, Checks: []carrier.Answer{}, Acceptance: []carrier.Ran{}}, Spent: carrier.Spent{Attempts: 1, Source: "unknown"},
	})
	g.must(err)
	g.user.Write(file, string(data))
	g.user.Commit("Land T-0001")
}

// refuses asks that an error is a refusal that names the state, its carrier and a hint.
func (g *ground) refuses(err error, state board.State, c truth.Carrier, hint string) {
	g.Helper()
	var no *NotAllowed
	switch {
	case !errors.As(err, &no):
		g.Errorf("it says %v, and the state does not allow it", err)
	case no.Task != id || no.State != state || no.Carrier != c:
		g.Errorf("it refuses for %s in state %q, settled by %q: %v", no.Task, no.State, no.Carrier, err)
	case no.Hint != hint:
		g.Errorf("it hints %q, and %q would help", no.Hint, hint)
	case c != "" && (!strings.Contains(no.Error(), words(state)) || !strings.Contains(no.Error(), string(c))):
		g.Errorf("%q names neither state nor carrier", no.Error())
	}
}

// at asks where the task is on the board.
func (g *ground) at(want board.State) *board.Task {
	g.Helper()
	t := g.task(id)
	if t == nil || t.State != want {
		g.Fatalf("the board has %+v, and %s is wanted", t, want)
	}
	return t
}
