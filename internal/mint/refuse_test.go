package mint_test

import (
	"fmt"
	"strings"
	"testing"

	"torve/internal/record"
)

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

func TestABrokenContractIsNamedWithItsPlace(t *testing.T) {
	s := open(t)
	s.ask("T-0001", "acceptence: [x]\n")
	s.ask("T-0002", "")
	s.Commit("Ask")
	s.ask("T-0003", "base: blue\n")
	s.want(s.pass(), `broken T-0001: .torve/tasks/T-0001/contract.yaml:5:1: there is no key "acceptence" (did you mean acceptance?)`,
		"minted T-0002", `broken T-0003: .torve/tasks/T-0003/contract.yaml:5:7: base "blue" is not known (base is green, red or any)`)
}

func TestIdsThatDifferOnlyInTheirLettersAreNotBothMinted(t *testing.T) {
	s := open(t)
	why := func(id, other string) string {
		return "refused " + id + ": its id is that of " + other + " in other letters, and a file system may take the two for one (give it another id)"
	}
	s.ask("T-fix", "")
	s.ask("T-Fix", "")
	s.Commit("Ask twice")
	s.want(s.pass(), "minted T-Fix", why("T-fix", "T-Fix"))
	s.ask("T-FIX", "") // the first by its letters, and late
	s.Commit("Ask again")
	s.want(s.pass(), why("T-FIX", "T-Fix"), "unchanged T-Fix", why("T-fix", "T-Fix"))
	s.ask("T-Fix", "priority: 1\n")
	s.Commit("Edit the one that is in force")
	s.want(s.pass("T-Fix"), "reminted T-Fix [priority]")
}

func TestARowWhosePathsAreNoGlobsBindsNobodyWithoutAWord(t *testing.T) {
	s := open(t)
	s.Write("specs/S-0001-x.md", "---\nid: S-0001\ntitle: t\nstatus: accepted\n---\n\n## Decisions\n\n| Id | Grade | Decision | Paths | Check |\n|---|---|---|---|---|\n"+
		"| D-1 | LOCKED | Everywhere | ** | |\n| D-2 | LOCKED | Nowhere | src/[a | |\n")
	s.ask("T-0001", "")
	s.Commit("Ask")
	s.want(s.pass(), `broken T-0001: specs/S-0001-x.md:12:1: D-2: glob "src/[a" is not a valid glob: close each [ and {, and write \[ for the letter`)
}

func TestWhatTheBoardSaysHasLandedIsNotMintedAgain(t *testing.T) {
	for _, reverted := range []bool{false, true} {
		s := open(t)
		s.ask("T-0001", "")
		s.Commit("Ask")
		s.want(s.pass(), "minted T-0001")
		m := s.station() // its head is from before the landing
		s.Git("commit", "-q", "--allow-empty", "-m", "Land")
		landed := record.Landed{Path: ".torve/execution/T-0001-0-20260131T120000Z.yaml", Target: "main", Commit: s.Git("rev-parse", "HEAD"), Contract: strings.Repeat("a", 64)}
		s.append("T-0001", "", record.ByLanding, landed)
		want := "landed T-0001"
		if reverted {
			landed.Path, landed.Reverts = ".torve/execution/T-0002-0-20260131T120000Z.yaml", []string{"T-0001"}
			s.append("T-0002", "", record.ByLanding, landed)
			want += ": it was reverted: new work takes a new id"
		}
		s.want(s.by(m, "T-0001"), want)
	}
}
