package upkeep

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"torve/internal/record"
)

func TestATreeIsFoundByTaskNumberAndRef(t *testing.T) {
	trees := []Tree{
		{Task: "T-0001", N: 1, Ref: "refs/torve/attempts/T-0001/1"}, {Task: "T-0001", N: 1, Ref: "refs/torve/aside/T-0001/1/abc", Aside: true},
		{Task: "T-0001", N: 2, Ref: "refs/torve/attempts/T-0001/2"}, {Task: "T-0002", N: 1},
	}
	for name, want := range map[string]int{
		"T-0001": 2, "T-0001.1": 0, "refs/torve/attempts/T-0001/1": 0, "attempts/T-0001/2": 2, "torve/aside/T-0001/1/abc": 1, "T-0002": 3, "T-0003": -1, "": -1,
	} {
		got, there := OneNamed(trees, name)
		if there != (want >= 0) || there && (got.Ref != trees[want].Ref || got.Task != trees[want].Task) {
			t.Errorf("%q is %+v", name, got)
		}
	}
}

func TestAnAttemptsFolderIsToldByItsName(t *testing.T) {
	for name, want := range map[string]bool{
		"T-0001-1": true, "T-0001-12": true, "T-0001-1.2": true, "T-login-3": true, "rooms": false, "my-notes": false, "notes-2": false, "T-0001-": false, "T-0001-1.": false, "x-": false, "x-.": false, "-1": false,
	} {
		if attemptName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestARefThatNobodyKnowsIsListedAllTheSame(t *testing.T) {
	g := newGround(t)
	for _, ref := range []string{"refs/torve/attempts/T-0042/3", "refs/torve/aside/T-0042/3/abc", "refs/torve/else"} {
		g.Git("update-ref", ref, "HEAD")
	}
	trees, err := g.home.Trees(t.Context(), g.reading())
	if err != nil || len(trees) != 3 {
		t.Fatalf("%+v, %v", trees, err)
	}
	for _, ref := range []string{"refs/torve/attempts/T-0042/3", "refs/torve/else"} {
		if got, there := OneNamed(trees, ref); !there || got.State != "" || got.Commit == "" {
			t.Errorf("%s is %+v", ref, got)
		}
	}
}

func TestNoRefIsMadeThatTheRecordKnowsNothingOfWhileAnotherRuns(t *testing.T) {
	g := newGround(t)
	g.append(me(), "here", record.KindMinted, record.KindClaimed)
	lost := Tree{Task: "T-0002", N: 1, Room: &Room{Task: "T-0002", N: 1, Dir: g.room("T-0002-1"), Run: "C-9"}}
	_, err := g.home.Adopt(t.Context(), g.reading(), lost, "mine")
	var no *Refused
	if !errors.As(err, &no) || !strings.Contains(no.Why, "T-0001 is running") {
		t.Errorf("it says %v", err)
	}
	if refs := g.Git("for-each-ref", "refs/torve", "refs/heads/mine"); refs != "" {
		t.Errorf("there are %s", refs)
	}
}

func TestOnlyTorvesOwnIsNamedInAFolderThatIsAPersons(t *testing.T) {
	g := newGround(t)
	g.home.Own = false
	g.room("T-0001-1")
	for _, name := range []string{"T-0001-1.json", "T-0001-1.d/prompt.md", "notes-2/mine", "mine"} {
		g.write(filepath.Join(g.home.Root, name), "x")
	}
	prints, err := g.home.Footprint(t.Context(), g.reading())
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, p := range prints {
		commands = append(commands, p.Undo...)
	}
	all := strings.Join(commands, "\n")
	if !strings.Contains(all, "worktree remove --force --force "+filepath.Join(g.home.Root, "T-0001-1")) || !strings.Contains(all, "T-0001-1.json") ||
		strings.Contains(all, "mine") || strings.Contains(all, "notes") || slices.Contains(commands, "rm -rf "+g.home.Root) {
		t.Errorf("the commands are\n%s", all)
	}
}

func TestATemporaryFolderIsNamedOnceItIsOld(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"torve-index-1", "torve-record-2", "torve-demo-3", "others"} {
		g.write(filepath.Join(g.home.Temp, name, "x"), "x")
	}
	named := func() (at []string) {
		for _, p := range g.home.tempPrints() {
			at = append(at, filepath.Base(p.At))
		}
		return at
	}
	if got := named(); len(got) > 0 {
		t.Errorf("they are somebody's who is at work: %v", got)
	}
	g.home.Now = g.home.Now.Add(2 * longAgo)
	if got := named(); !slices.Equal(got, []string{"torve-index-1", "torve-record-2", "torve-demo-3"}) {
		t.Errorf("named are %v", got)
	}
}
