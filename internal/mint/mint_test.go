package mint_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/mint"
	"torve/internal/record"
	"torve/internal/record/sqlite"
	"torve/internal/truth"
)

const partition record.Partition = "acme/shop"

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// shop is a scratch repository with a record.
type shop struct {
	*gittest.Repo
	t    testing.TB
	repo *git.Repo
	log  record.Log
}

func open(t testing.TB) *shop {
	t.Helper()
	s := &shop{Repo: gittest.New(t), t: t}
	s.Write("README.md", "shop\n")
	s.Commit("Begin")
	var err error
	if s.repo, err = git.Open(t.Context(), s.Dir); err != nil {
		t.Fatal(err)
	}
	if s.log, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "record.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.log.Check(context.Background(), partition); err != nil {
			t.Errorf("the record does not hold: %v", err)
		}
		s.log.Close()
		s.repo.Close()
	})
	return s
}

func (s *shop) station() *mint.Station {
	s.t.Helper()
	root, err := s.repo.Root(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return &mint.Station{Log: s.log, Partition: partition, Host: "here", By: "torve test", Now: func() time.Time { return noon },
		Root: root, Repository: []string{"true"},
		Sources: truth.Sources{Repo: s.repo, Target: "main", Head: s.Git("rev-parse", "main"), WorkTree: s.Dir, States: filepath.Join(s.Dir, ".wt")}}
}

func (s *shop) ask(id, more string) {
	s.Write(contract.PathOf(id), fmt.Sprintf("schema: torve/contract/v1\nid: %s\ntitle: Do %s\nscope: {allow: [\"src/%s/**\"]}\n%s", id, id, id, more))
}

// pass mints and gives each result as "outcome id: why (hint)".
func (s *shop) pass(tasks ...string) []string {
	s.t.Helper()
	return s.by(s.station(), tasks...)
}

func (s *shop) by(m *mint.Station, tasks ...string) []string {
	s.t.Helper()
	results, err := m.Pass(s.t.Context(), tasks...)
	if err != nil {
		s.t.Fatal(err)
	}
	var said []string
	for _, r := range results {
		line := r.Outcome + " " + r.ID
		if r.Why != "" {
			line += ": " + r.Why
		}
		if len(r.Changed) > 0 {
			line += " " + fmt.Sprint(r.Changed)
		}
		if r.Hint != "" {
			line += " (" + r.Hint + ")"
		}
		said = append(said, line)
	}
	return said
}

func (s *shop) want(got []string, want ...string) {
	s.t.Helper()
	if !slices.Equal(got, want) {
		s.t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func (s *shop) board() *board.Board {
	s.t.Helper()
	b, err := board.Fold(s.log.Read(s.t.Context(), partition, 1))
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *shop) kinds() []string {
	s.t.Helper()
	var kinds []string
	for e, err := range s.log.Read(s.t.Context(), partition, 1) {
		if err != nil {
			s.t.Fatal(err)
		}
		kinds = append(kinds, strings.TrimSpace(string(e.Kind)+" "+e.Task))
	}
	return kinds
}

// append writes facts of another station.
func (s *shop) append(task, claim, by string, payload record.Payload) {
	s.t.Helper()
	e, err := record.New(payload, noon, record.Envelope{Task: task, Claim: claim, Host: "here", Actor: record.Actor{Kind: by, ID: "x"}})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.log.Append(s.t.Context(), partition, record.Always(), e); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) land(id string, reverts ...string) string {
	s.t.Helper()
	head := s.Git("rev-parse", "HEAD")
	l := carrier.Landing{Schema: carrier.LandingSchema, Task: id, Title: "Do " + id, Attempt: 0, At: noon, Target: "main", Commit: head,
		Contract: strings.Repeat("a", 64), Attested: "torve test", Reverts: reverts, Spent: carrier.Spent{Source: "unknown"}}
	data, err := carrier.WriteLanding(l)
	if err != nil {
		s.t.Fatal(err)
	}
	path := carrier.LandingPath(id, "", 0, noon)
	s.Write(path, string(data))
	s.Commit("Land " + id)
	return path
}

func TestACommittedContractIsMintedOnceWithItsOwnerAndItsWhole(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.ask("T-0002", "owner: you@example.com\n")
	s.Git("add", "-A")
	s.Git("-c", "user.email=another@example.com", "commit", "-qm", "Ask")
	s.ask("T-0001", "# the same with a comment\n")
	head := s.Commit("Comment")
	s.want(s.pass(), "minted T-0001", "minted T-0002")
	s.want(s.pass(), "unchanged T-0001", "unchanged T-0002")
	s.want(s.kinds(), "source.imported", "task.minted T-0001", "task.minted T-0002")
	b := s.board()
	one, two := b.Tasks["T-0001"], b.Tasks["T-0002"]
	if b.Root != s.Git("rev-list", "--max-parents=0", "HEAD") {
		t.Errorf("the partition is of %q", b.Root)
	}
	if one.Owner != "another@example.com" || two.Owner != "you@example.com" {
		t.Errorf("the owners are %q and %q", one.Owner, two.Owner)
	}
	if one.State != board.Queued || one.Contract.Title != "Do T-0001" || one.Digest != one.Contract.Digest() ||
		one.Commit != head || one.Path != contract.PathOf("T-0001") || one.Blob != s.Git("rev-parse", "HEAD:"+one.Path) {
		t.Errorf("got %+v", one)
	}
}

func TestNamedTasksAloneAreMinted(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.ask("T-0002", "")
	s.Commit("Ask")
	s.want(s.pass("T-0002", "T-0009"), "minted T-0002", "refused T-0009: there is no .torve/tasks/T-0009/contract.yaml on main (torve status)")
	s.want(s.pass(), "minted T-0001", "unchanged T-0002")
}

func TestAnEmptyRepositoryOpensItsPartition(t *testing.T) {
	s := open(t)
	s.want(s.pass())
	s.want(s.pass())
	s.want(s.kinds(), "source.imported")
}

func TestAnEditIsInForceOnlyWhenItIsReminted(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.Commit("Ask")
	s.pass()
	was := s.board().Tasks["T-0001"].Digest
	s.ask("T-0001", "priority: 3\nbudget: {usd: 1}\n")
	s.want(s.pass(), `edited T-0001: edited in the work tree, not committed (git commit -m "Edit T-0001" -- .torve/tasks/T-0001/contract.yaml)`)
	if got := s.board().Tasks["T-0001"].Digest; got != was {
		t.Error("an edit of the work tree is in force")
	}
	s.Commit("Edit")
	s.want(s.pass(), "reminted T-0001 [budget.usd priority]")
	s.want(s.pass(), "unchanged T-0001")
	s.want(s.kinds(), "source.imported", "task.minted T-0001", "task.reminted T-0001")
	if got := s.board().Tasks["T-0001"]; got.Contract.Priority != 3 || got.State != board.Queued {
		t.Errorf("got %+v", got)
	}
}

func TestARemintNeverHappensWhileTheTaskIsInFlight(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.ask("T-0002", "")
	s.Commit("Ask")
	s.pass()
	for _, id := range []string{"T-0001", "T-0002"} {
		s.append(id, "claim-"+id, record.ByDispatch, record.Claimed{Boot: "b", PID: 1, Start: "1", Worker: "w"})
	}
	s.ask("T-0001", "priority: 3\n")
	s.Git("rm", "-q", contract.PathOf("T-0002"))
	s.Commit("Edit one and drop the other")
	s.want(s.pass(), "in_flight T-0001: it is claimed: the edit (priority) is minted when that has ended [priority]",
		"in_flight T-0002: its contract is gone from main, and it is claimed: it is withdrawn when that has ended")
	for _, id := range []string{"T-0001", "T-0002"} {
		s.append(id, "claim-"+id, record.ByDispatch, record.Released{Why: "interrupted"})
	}
	s.want(s.pass(), "reminted T-0001 [priority]", "withdrawn T-0002: its contract is gone from main")
}

func TestTheSameBytesBringAWithdrawnTaskBackAndOtherBytesAreRefused(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.Commit("Ask")
	s.pass()
	minted := s.board().Tasks["T-0001"]
	s.Git("rm", "-q", contract.PathOf("T-0001"))
	s.Commit("Drop")
	s.want(s.pass(), "withdrawn T-0001: its contract is gone from main")
	s.want(s.pass())
	s.ask("T-0001", "priority: 1\n")
	s.Commit("Ask for another thing")
	other, _ := contract.Parse(contract.PathOf("T-0001"), []byte(s.Read(contract.PathOf("T-0001"))))
	s.want(s.pass(), fmt.Sprintf("refused T-0001: it was withdrawn as %.7s, and this is %.7s: an id is never used again (git checkout %.7s -- %s)",
		minted.Digest, other.Digest(), minted.Commit, contract.PathOf("T-0001")))
	s.ask("T-0001", "")
	s.Commit("Ask again")
	s.want(s.pass(), "minted T-0001")
	if got := s.board().Tasks["T-0001"].State; got != board.Queued {
		t.Errorf("it is %s", got)
	}
}

func TestWhatIsNotOnTheTargetIsReportedWithTheCommandAndNotMinted(t *testing.T) {
	s := open(t)
	s.Git("switch", "-qc", "cart")
	s.ask("T-0002", "")
	s.Commit("Ask on a branch")
	s.want(s.pass(), "elsewhere T-0002: on cart, not on main: merge it (git switch main && git merge cart)")
	s.Git("switch", "-q", "main")
	s.ask("T-0001", "")
	s.want(s.pass(), `uncommitted T-0001: written, not committed (git add .torve && git commit -m "Ask for T-0001")`,
		"elsewhere T-0002: on cart, not on main: merge it (git merge cart)")
	s.Git("add", "-A")
	s.want(s.pass("T-0001"), `uncommitted T-0001: staged, not committed (git add .torve && git commit -m "Ask for T-0001")`)
	s.want(s.kinds(), "source.imported")
	s.Commit("Ask")
	s.Git("merge", "-q", "--no-edit", "cart")
	s.want(s.pass(), "minted T-0001", "minted T-0002")
}

func TestTheSameIdWithDifferentContentOnTwoBranchesShowsBoth(t *testing.T) {
	s := open(t)
	blobs := map[string]string{}
	for _, branch := range []string{"cart", "till"} {
		s.Git("switch", "-qc", branch, "main")
		s.ask("T-0002", "intent: "+branch+"\n")
		s.Commit("Ask on " + branch)
		blobs[branch] = s.Git("rev-parse", "HEAD:"+contract.PathOf("T-0002"))
	}
	s.Git("switch", "-q", "main")
	got := s.pass()
	if len(got) != 1 || !strings.HasPrefix(got[0], "elsewhere T-0002: on ") ||
		!strings.Contains(got[0], fmt.Sprintf("cart (%.7s)", blobs["cart"])) || !strings.Contains(got[0], fmt.Sprintf("till (%.7s)", blobs["till"])) {
		t.Errorf("got %v", got)
	}
}

func TestAnIdThatABranchGaveToAnotherContractIsAConflictThatShowsBoth(t *testing.T) {
	s := open(t)
	s.Git("switch", "-qc", "cart")
	s.ask("T-0001", "intent: the cart's\n")
	s.Commit("Ask on a branch")
	theirs := s.Git("rev-parse", "HEAD:"+contract.PathOf("T-0001"))
	s.Git("switch", "-q", "--orphan", "apart")
	s.ask("T-0002", "intent: from nowhere\n")
	s.Commit("Ask apart")
	apart := s.Git("rev-parse", "HEAD:"+contract.PathOf("T-0002"))
	s.Git("switch", "-q", "main")
	s.ask("T-0001", "")
	s.ask("T-0002", "")
	s.ask("T-0003", "")
	s.Commit("Ask")
	s.Git("switch", "-qc", "edit")
	s.ask("T-0003", "priority: 1\n")
	s.Commit("Edit on a branch, which is no conflict")
	s.Git("switch", "-q", "main")
	ours := func(id string) string { return s.Git("rev-parse", "HEAD:"+contract.PathOf(id)) }
	s.want(s.pass(),
		"minted T-0001", fmt.Sprintf("elsewhere T-0001: cart has another contract under this id (%.7s) than main (%.7s): an id is never used again (git diff main cart -- %s)",
			theirs, ours("T-0001"), contract.PathOf("T-0001")),
		"minted T-0002", fmt.Sprintf("elsewhere T-0002: apart has another contract under this id (%.7s) than main (%.7s): an id is never used again (git diff main apart -- %s)",
			apart, ours("T-0002"), contract.PathOf("T-0002")),
		"minted T-0003")
	s.want(s.pass("T-0003"), "unchanged T-0003")
}

func TestABareRepositoryMintsFromItsTarget(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.Commit("Ask")
	bare := filepath.Join(t.TempDir(), "bare.git")
	s.Git("clone", "-q", "--bare", ".", bare)
	repo, err := git.Open(t.Context(), bare)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	m := s.station()
	m.Sources.Repo, m.Sources.WorkTree, m.Sources.States = repo, "", ""
	s.want(s.by(m), "minted T-0001")
}

func TestABranchThatIsBehindTheTargetIsNoEdit(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.ask("T-0002", "")
	s.Commit("Ask")
	s.Git("branch", "old")
	s.ask("T-0001", "priority: 1\n")
	s.Git("rm", "-q", "-r", ".torve/tasks/T-0002")
	s.Commit("Edit one and drop the other")
	s.Git("switch", "-q", "old")
	s.Write("new.txt", "x")
	s.Commit("Go on elsewhere")
	s.want(s.pass(), "minted T-0001", `uncommitted T-0002: written, not committed (git add .torve && git commit -m "Ask for T-0002")`)
	s.ask("T-0001", "priority: 2\n")
	s.Commit("Edit on the branch")
	s.want(s.pass("T-0001"), "edited T-0001: edited on old, not on main: merge it (git switch main && git merge old)")
}

func TestWhatHasLandedIsNotMintedAgain(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.ask("T-0002", "")
	s.Commit("Ask")
	s.pass()
	path := s.land("T-0001")
	s.append("T-0001", "", record.ByPerson, record.Landed{Path: path, Target: "main", Commit: s.Git("rev-parse", "HEAD"),
		Contract: s.board().Tasks["T-0001"].Digest, Attested: "torve test"})
	s.land("T-0002")
	s.want(s.pass(), "landed T-0001", "landed T-0002")
	s.ask("T-0001", "priority: 1\n")
	s.Commit("Edit what landed")
	s.ask("T-0003", "role: revert\ntargets: [T-0002]\n")
	s.Commit("Ask for a revert")
	s.land("T-0003", "T-0002")
	s.want(s.pass(), "landed T-0001: its contract was edited since it landed: new work takes a new id",
		"landed T-0002: it was reverted: new work takes a new id", "landed T-0003")
	s.Git("rm", "-q", "-r", ".torve/tasks")
	s.Commit("Tidy up")
	s.want(s.pass())
}

func TestALandingThatAPersonRemovedIsRefusedAndNamed(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.Commit("Ask")
	path := s.land("T-0001")
	s.Git("rm", "-q", path)
	gone := s.Commit("Take it back")
	s.want(s.pass(), fmt.Sprintf("refused T-0001: its landing was removed by %.7s (torve requeue T-0001)", gone))
	s.Git("rm", "-q", "-r", ".torve/tasks")
	s.Commit("Drop the contract")
	s.want(s.pass())
}

func TestARunThatTheRecordDoesNotKnowIsNotMinted(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.Commit("Ask")
	if err := carrier.WriteState(filepath.Join(s.Dir, ".wt"), carrier.State{Schema: carrier.StateSchema, Task: "T-0001", Run: "r", State: "running",
		Attempt: 1, Started: noon, Updated: noon}); err != nil {
		t.Fatal(err)
	}
	s.want(s.pass(), "ran_here T-0001: it ran here and never landed, and the record does not know it (torve requeue T-0001)")
	s.want(s.kinds(), "source.imported")
}

func TestABrokenContractIsNamedWithItsPlace(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "acceptence: [x]\n")
	s.ask("T-0002", "")
	s.Commit("Ask")
	s.ask("T-0003", "base: blue\n")
	s.want(s.pass(), `broken T-0001: .torve/tasks/T-0001/contract.yaml:5:1: there is no key "acceptence" (did you mean acceptance?)`,
		"minted T-0002", `broken T-0003: .torve/tasks/T-0003/contract.yaml:5:7: base "blue" is not known (base is green, red or any)`)
}

func TestWhatDoesNotHoldIsRefused(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "depends_on: [T-0002]\n")
	s.ask("T-0002", "depends_on: [T-0003]\n")
	s.ask("T-0003", "depends_on: [T-0001]\n")
	s.ask("T-0004", "depends_on: [T-0099]\n")
	s.ask("T-0005", "agent: nobody@x\n")
	s.ask("T-0006", "spec: S-0009\n")
	s.ask("T-0007", "acceptance: [true]\ndepends_on: [T-0008, T-0001]\n")
	s.ask("T-0009", "")
	s.Commit("Ask")
	s.ask("T-0008", "")
	m := s.station()
	m.Repository = nil
	m.Known = func(name string) error {
		return fmt.Errorf("there is no adapter %q", name)
	}
	lacks := "it has no acceptance line, and the repository has none (acceptance: [\"go test ./...\"] in it, or in .torve/config.yaml)"
	ring := ": its dependencies go in a circle: T-0001 → T-0002 → T-0003 → T-0001 (take one depends_on out of the circle)"
	s.want(s.by(m), "refused T-0001"+ring, "refused T-0002"+ring, "refused T-0003"+ring,
		"refused T-0004: it names T-0099, and no landing, record, branch or file here knows that task (write its contract first, or name another under depends_on or targets)",
		"refused T-0005: "+lacks,
		"refused T-0006: its specification S-0009 is not on main (commit it on main, or leave spec out)",
		"minted T-0007",
		`uncommitted T-0008: written, not committed (git add .torve && git commit -m "Ask for T-0008")`,
		"refused T-0009: "+lacks)
	m.Repository = []string{"true"}
	s.want(s.by(m, "T-0005"), `refused T-0005: its agent nobody@x: there is no adapter "nobody@x" (torve agents)`)
}

func TestTheDecisionsThatBindATaskAreMintedWithIt(t *testing.T) {
	s := open(t)
	spec := func(id, status, rows string) {
		s.Write("specs/"+id+"-x.md", "---\nid: "+id+"\ntitle: t\nstatus: "+status+"\n---\n\n## Decisions\n\n| Id | Grade | Decision | Paths | Check |\n|---|---|---|---|---|\n"+rows)
	}
	spec("S-0001", "accepted", "| D-1 | LOCKED | Everywhere | ** | |\n| D-2 | LOCKED | Not here | docs/** | |\n| D-3 | ASSUMED | Mine | | `true` |\n")
	spec("S-0002", "draft", "| D-1 | LOCKED | Not yet | ** | |\n")
	s.ask("T-0001", "")
	s.ask("T-0002", "spec: S-0001\n")
	s.ask("T-0003", "spec: S-0002\n")
	head := s.Commit("Ask")
	s.want(s.pass(), "minted T-0001", "minted T-0002",
		"refused T-0003: its specification S-0002 is draft, and only an accepted one is inherited from (status: accepted in specs/S-0002-x.md)")
	s.want(s.kinds(), "source.imported", "source.imported", "decision.recorded", "decision.recorded", "decision.recorded",
		"task.minted T-0001", "task.minted T-0002")
	b := s.board()
	ids := func(id string) (all []string) {
		for _, r := range b.Tasks[id].Rows {
			all = append(all, r.ID+" "+r.Grade)
		}
		return all
	}
	s.want(ids("T-0001"), "S-0001/D-1 LOCKED")
	s.want(ids("T-0002"), "S-0001/D-1 LOCKED", "S-0001/D-2 LOCKED", "S-0001/D-3 ASSUMED")
	if d := b.Decisions["S-0001/D-3"]; d.Check != "true" || d.Text != "Mine" || d.Blob != s.Git("rev-parse", head+":specs/S-0001-x.md") {
		t.Errorf("got %+v", d)
	}

	// The corpus moving later changes nothing about a minted task.
	spec("S-0001", "accepted", "| D-1 | ASSUMED | Everywhere | ** | |\n| D-2 | LOCKED | Not here | docs/** | |\n| D-3 | ASSUMED | Mine | | `true` |\n")
	s.ask("T-0004", "spec: S-0001\n")
	s.Commit("Move the corpus")
	s.want(s.pass("T-0001", "T-0004"), "unchanged T-0001", "minted T-0004")
	s.want(s.kinds()[7:], "source.imported", "decision.recorded", "task.minted T-0004")
	b = s.board()
	s.want(ids("T-0001"), "S-0001/D-1 LOCKED")
	s.want(ids("T-0004"), "S-0001/D-1 ASSUMED", "S-0001/D-2 LOCKED", "S-0001/D-3 ASSUMED")

	// A specification that does not read might hold a row that binds: nothing new is minted beside it.
	spec("S-0003", "accepted", "| D-1 | LOCKED | Nowhere | | |\n")
	s.ask("T-0005", "")
	s.Commit("Break the corpus")
	s.want(s.pass("T-0001", "T-0005"), "unchanged T-0001",
		"broken T-0005: specs/S-0003-x.md:11:1: D-1 is LOCKED and names no paths (name the paths it holds for; everything is written **)")
}

func TestAnotherRepositoryUnderThePartitionsNameIsRefused(t *testing.T) {
	s := open(t)
	s.pass()
	m := s.station()
	ours := m.Root
	m.Root = strings.Repeat("b", 40)
	_, err := m.Pass(t.Context())
	if !errors.Is(err, record.ErrElsewhere) || !strings.Contains(err.Error(), ours[:7]) || !strings.Contains(err.Error(), "bbbbbbb") {
		t.Errorf("got %v", err)
	}
}

func TestAPartitionThatALandingOpenedIsStillNamed(t *testing.T) {
	s := open(t)
	path := s.land("T-0001")
	s.append("T-0001", "", record.ByLanding, record.Landed{Path: path, Target: "main", Commit: s.Git("rev-parse", "HEAD"),
		Contract: strings.Repeat("a", 64), Observed: true, Attested: "torve test"})
	s.want(s.pass())
	if got := s.board().Root; got != s.station().Root {
		t.Errorf("the partition is of %q", got)
	}
}

func TestTwoMintsAtOnceMintNothingTwice(t *testing.T) {
	s := open(t)
	const n, mints = 230, 4
	for i := range n {
		s.ask(fmt.Sprintf("T-%04d", i+1), "")
	}
	s.Commit("Ask")
	stations := make([]*mint.Station, mints)
	for i := range stations {
		stations[i] = s.station()
	}
	var group sync.WaitGroup
	minted := make([]int, mints)
	for i, m := range stations {
		group.Go(func() {
			results, err := m.Pass(t.Context())
			if err != nil || len(results) != n {
				t.Errorf("%d results, %v", len(results), err)
			}
			for _, r := range results {
				if r.Outcome == mint.Minted {
					minted[i]++
				}
			}
		})
	}
	group.Wait()
	all := 0
	for _, m := range minted {
		all += m
	}
	kinds := s.kinds()
	slices.Sort(kinds)
	if len(kinds) != n+1 || len(slices.Compact(kinds)) != n+1 || all != n {
		t.Errorf("%d events for %d contracts, and the mints say %v", len(kinds), n, minted)
	}
}

func BenchmarkAThousandContracts(b *testing.B) {
	s := open(b)
	for i := range 1000 {
		s.ask(fmt.Sprintf("T-%04d", i+1), "")
	}
	s.Commit("Ask")
	for i := range b.N {
		m := s.station()
		m.Partition = record.Partition(fmt.Sprint("p", i))
		if results, err := m.Pass(b.Context()); err != nil || len(results) != 1000 {
			b.Fatal(len(results), err)
		}
	}
}
