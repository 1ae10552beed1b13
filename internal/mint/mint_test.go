package mint_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
	return &mint.Station{Log: s.log, Partition: partition, Host: "here", By: "torve test", Now: func() time.Time { return noon },
		Repository: []string{"true"},
		Sources:    truth.Sources{Repo: s.repo, Target: "main", Head: s.Git("rev-parse", "main"), WorkTree: s.Dir, States: filepath.Join(s.Dir, ".wt")}}
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
	s.want(s.pass("T-0002", "T-0009"), "minted T-0002", "unknown T-0009: there is no .torve/tasks/T-0009/contract.yaml on main (torve status)")
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

func TestAnotherRepositoryUnderThePartitionsNameIsRefused(t *testing.T) {
	s := open(t)
	s.append("", "", record.ByMint, record.Source{Root: strings.Repeat("b", 40)})
	_, err := s.station().Pass(t.Context())
	if !errors.Is(err, record.ErrElsewhere) || !strings.Contains(err.Error(), "bbbbbbb") {
		t.Errorf("got %v", err)
	}
}

func TestAPartitionThatALandingOpenedIsStillNamed(t *testing.T) {
	s := open(t)
	path := s.land("T-0001")
	s.append("T-0001", "", record.ByLanding, record.Landed{Path: path, Target: "main", Commit: s.Git("rev-parse", "HEAD"),
		Contract: strings.Repeat("a", 64), Observed: true, Attested: "torve test"})
	s.want(s.pass())
	if got := s.board().Root; got != s.Git("rev-list", "--max-parents=0", "main") {
		t.Errorf("the partition is of %q", got)
	}
}

func TestAPartitionsFirstEventNamesTheRepositorysRootCommit(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.Commit("Ask")
	for range 2 {
		if err := s.station().Open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.want(s.kinds(), "source.imported")
	if got := s.board().Root; got != s.Git("rev-list", "--max-parents=0", "main") {
		t.Errorf("the partition is of %q", got)
	}
}

func TestWhatAMintWouldWriteIsSaidWithoutMinting(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "")
	s.ask("T-0002", "base: blue\n")
	s.ask("T-0003", "spec: S-0009\n")
	s.Commit("Ask")
	s.pass("T-0009")
	for id, want := range map[string]string{"T-0001": "", "T-0002": mint.Broken, "T-0003": mint.Refused, "T-0009": mint.Unknown} {
		m, res, err := s.station().Facts(t.Context(), id)
		if err != nil || res.Outcome != want || (res.Why == "") != (want == "") || res.ID != id {
			t.Errorf("%s: %+v, %v", id, res, err)
		}
		if want == "" && (m.Validate() != nil || m.Path != contract.PathOf(id)) {
			t.Errorf("%s: %+v is not whole: %v", id, m, m.Validate())
		}
	}
	s.want(s.kinds(), "source.imported")
}
