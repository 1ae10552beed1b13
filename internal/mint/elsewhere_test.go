package mint_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"torve/internal/contract"
	"torve/internal/git"
)

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
