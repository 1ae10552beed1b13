package upkeep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/truth"
)

func TestWhatIsClaimedIsNeverTouchedWhoeverHoldsIt(t *testing.T) {
	for name, c := range map[string]struct {
		claim record.Claimed
		host  string
	}{
		"a run that lives": {me(), "here"}, "a run that died": {dead(), "here"}, "another host's": {me(), "there"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			dir := g.room("T-0001-1")
			g.append(c.claim, c.host, record.KindMinted, record.KindClaimed)
			p := g.plan(Wish{Ignored: true, Refs: true, Caches: true})
			if len(p.Goes) > 0 || p.Kept != 1 {
				t.Errorf("the plan is %+v", p)
			}
			if !there(dir) {
				t.Error("its worktree is gone")
			}
		})
	}
}

func TestAWorktreeThatIsClaimedBetweenPlanAndRemovalStays(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	g.append(me(), "here", record.KindMinted, record.KindWithdrawn)
	p := g.plan(Wish{})
	if len(p.Goes) != 1 || p.Goes[0].Why != "withdrawn" {
		t.Fatalf("the plan is %+v", p)
	}
	g.append(me(), "here", record.KindClaimed)
	went, left := g.clear(p)
	if len(went) > 0 || len(left) != 1 || left[0].Why != claimed || left[0].Stuck || !there(dir) {
		t.Errorf("went %+v, left %+v", went, left)
	}
}

func TestWithoutARecordTheLockOfItsClaimSaysThatARunGoesOn(t *testing.T) {
	g := newGround(t)
	g.room("T-0001-1")
	release, _, err := g.home.Repo.TryLock("claim-C-1")
	if err != nil {
		t.Fatal(err)
	}
	if trees, err := g.home.Trees(t.Context(), g.reading()); err != nil || len(trees) > 0 {
		t.Errorf("a run that goes on is listed: %+v, %v", trees, err)
	}
	free, err := g.home.still("claim-C-1", func() { t.Error("it was worked on") })
	if free || err != nil {
		t.Errorf("free %v, %v", free, err)
	}
	release()
	if trees, err := g.home.Trees(t.Context(), g.reading()); err != nil || len(trees) != 1 || trees[0].Ref != "" {
		t.Errorf("what it left is not listed: %+v, %v", trees, err)
	}
}

func TestWithoutARecordNothingIsOver(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	if p := g.plan(Wish{}); len(p.Goes) > 0 || p.Kept != 1 || !there(dir) {
		t.Errorf("the plan is %+v", p)
	}
}

func TestARegistrationGoesOnlyWhereEachCommitMadeThereIsOnARef(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	g.write(filepath.Join(dir, "b"), "b\n")
	g.Git("-C", dir, "add", "b")
	g.Git("-C", dir, "commit", "-q", "-m", "Made there")
	made := g.Git("-C", dir, "rev-parse", "HEAD")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	p := g.plan(Wish{})
	if len(p.Goes) > 0 || len(p.Stays) != 1 || !strings.Contains(p.Stays[0].Why, made[:7]+" made in it is on no ref") {
		t.Fatalf("the plan is %+v", p)
	}
	g.Git("branch", "held", made)
	p = g.plan(Wish{})
	if len(p.Goes) != 1 {
		t.Fatalf("the plan is %+v", p)
	}
	went, left := g.clear(p)
	if len(went) != 1 || len(left) > 0 || strings.Contains(g.Git("worktree", "list"), "T-0001-1") {
		t.Errorf("went %+v, left %+v", went, left)
	}
}

func TestWhatSomebodyLockedStaysAndIsNamed(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	g.Git("worktree", "lock", "--reason", "mine", dir)
	g.append(me(), "here", record.KindMinted, record.KindWithdrawn)
	went, left := g.clear(g.plan(Wish{}))
	if len(went) > 0 || len(left) != 1 || !left[0].Stuck || !strings.Contains(left[0].Why, `it is locked: "mine"`) || !there(dir) {
		t.Errorf("went %+v, left %+v", went, left)
	}
}

func TestCachesAndKeptTreesStayWhileAnythingRuns(t *testing.T) {
	g := newGround(t)
	g.write(filepath.Join(g.home.Caches, "go-build", "x"), "x")
	g.append(me(), "here", record.KindMinted, record.KindClaimed)
	p := g.plan(Wish{Caches: true})
	if len(p.Goes) > 0 || len(p.Stays) != 1 || !strings.Contains(p.Stays[0].Why, "T-0001 is running") {
		t.Errorf("the plan is %+v", p)
	}
	refs := Plan{Goes: []Item{{Kind: KindRef, Name: "refs/torve/attempts/T-0009/1"}}}
	if went, left := g.clear(refs); len(went) > 0 || len(left) != 1 || left[0].Why != "T-0001 is running" || left[0].Stuck {
		t.Errorf("went %+v, left %+v", went, left)
	}
}

func TestWhatALinkLeadsToIsNotDropped(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	outside := filepath.Join(t.TempDir(), "kept")
	g.write(outside, "kept")
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if why := dropPaths(dir, []string{"out/kept"}); !strings.Contains(why, "reached through a link") {
		t.Errorf("it says %q", why)
	}
	if why := dropPaths(dir, []string{"out", "nothing/there"}); why != "" || there(filepath.Join(dir, "out")) {
		t.Errorf("the link itself stays: %q", why)
	}
	if !there(outside) {
		t.Error("what the link led to is gone")
	}
}

func TestALocksFileGoesWhereNoClaimHasIt(t *testing.T) {
	g := newGround(t)
	g.append(dead(), "here", record.KindMinted, record.KindClaimed)
	for _, run := range []string{"C-1", "C-0"} {
		g.write(g.home.lockFile(claimLock+run), "")
	}
	release, _, err := g.home.Repo.TryLock("claim-C-2")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	p := g.plan(Wish{})
	taken, _, err := g.home.Repo.TryLock("claim-C-3")
	if err != nil {
		t.Fatal(err)
	}
	defer taken() // by one who is just about to claim
	p.Goes = append(p.Goes, Item{Kind: KindLock, Name: "claim-C-3", paths: []string{"C-3"}})
	went, left := g.clear(p)
	if len(went) != 1 || !strings.Contains(went[0].Name, "claim-C-0") || len(left) != 1 || left[0].Name != "claim-C-3" || left[0].Stuck {
		t.Errorf("went %+v, left %+v", went, left)
	}
	if !there(g.home.lockFile("claim-C-1")) || !there(g.home.lockFile("claim-C-2")) || there(g.home.lockFile("claim-C-0")) {
		t.Error("another lock went")
	}
}

func TestAFolderThatOnlyHasTheNameOfAnAttemptsIsNobodysToRemove(t *testing.T) {
	g := newGround(t)
	g.append(me(), "here", record.KindMinted, record.KindWithdrawn)
	mine := filepath.Join(g.home.Root, "T-0001-5", "mine")
	g.write(mine, "mine")
	g.Git("worktree", "add", "-q", "--detach", filepath.Join(g.home.Root, "T-0099-1")) // a person's own
	rooms := g.home.Hands.Rooms
	g.home.Hands.Rooms = func() ([]Room, error) {
		list, err := rooms()
		for i := range list {
			list[i].Agent, list[i].Lost = false, "there is no inventory"
		}
		return list, err
	}
	p := g.plan(Wish{Ignored: true, Caches: true, Refs: true})
	if len(p.Goes)+len(p.Stays) > 0 || !there(mine) {
		t.Errorf("the plan is %+v", p)
	}
	prints, err := g.home.Footprint(t.Context(), g.reading())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range prints {
		if one.What == "worktree" {
			t.Errorf("it is torve's own: %+v", one)
		}
	}
}

func TestARoomOfAHeadGoesOnlyWhereNobodyAsksIt(t *testing.T) {
	g := newGround(t)
	dir := g.room("head-0")
	g.home.Hands.Rooms = func() ([]Room, error) {
		return []Room{{Task: "head", Dir: dir, Side: dir + ".d", Ledger: dir + ".json", Run: "R"}}, nil
	}
	release, _, err := g.home.Repo.TryLock("head")
	if err != nil {
		t.Fatal(err)
	}
	if p := g.plan(Wish{}); len(p.Goes) > 0 || p.Kept != 1 {
		t.Errorf("while it is asked, the plan is %+v", p)
	}
	release()
	if went, left := g.clear(g.plan(Wish{})); len(went) != 1 || len(left) > 0 || there(dir) {
		t.Errorf("went %+v, left %+v", went, left)
	}
}

func TestAWorktreeThatIsClaimedWhileItIsToGoStays(t *testing.T) {
	g := newGround(t)
	g.write(filepath.Join(g.home.Repo.Common, "info", "exclude"), "*.log\n")
	dir := g.room("T-0001-1")
	log := filepath.Join(dir, "run.log")
	g.write(log, "x")
	g.append(me(), "here", record.KindMinted, record.KindWithdrawn)
	p := g.plan(Wish{Ignored: true})
	asked := 0
	gather := func(ctx context.Context) (*truth.Reading, error) {
		if asked++; asked == 2 { // Clear has looked once
			g.append(me(), "here", record.KindClaimed)
		}
		return g.gather(ctx)
	}
	went, left, err := g.home.Clear(t.Context(), gather, p)
	if err != nil || len(went) > 0 || len(left) != 2 || left[0].Why != claimed || left[0].Stuck || !there(log) {
		t.Errorf("went %+v, left %+v, %v", went, left, err)
	}
}

func TestARegistrationWhoseFolderIsThereAgainStays(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	p := g.plan(Wish{})
	if len(p.Goes) != 1 {
		t.Fatalf("the plan is %+v", p)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if went, left := g.clear(p); len(went) > 0 || len(left) != 1 || !there(filepath.Join(dir, "a")) {
		t.Errorf("went %+v, left %+v", went, left)
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	g.append(me(), "here", record.KindMinted, record.KindClaimed)
	if p := g.plan(Wish{}); len(p.Goes) > 0 {
		t.Errorf("a worktree in the making goes: %+v", p)
	}
}

func TestAFileOfAPersonsIsNoHalfOfAFile(t *testing.T) {
	g := newGround(t)
	old := time.Now().Add(-time.Hour)
	mine := filepath.Join(g.home.Root, ".prettierrc.json.bak")
	half := filepath.Join(g.home.Root, ".T-0001-1.json.123456")
	for _, path := range []string{mine, half} {
		g.write(path, "x")
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if went, left := g.clear(g.plan(Wish{})); len(went) != 1 || len(left) > 0 || !there(mine) || there(half) {
		t.Errorf("went %+v, left %+v", went, left)
	}
}

func TestAStateFileThatARunHasWrittenMeanwhileStays(t *testing.T) {
	g := newGround(t)
	g.append(me(), "here", record.KindMinted, record.KindWithdrawn)
	st := carrier.State{Task: "T-0001", Run: "C-0", State: "claimed", Attempt: 1, Started: recordtest.At, Updated: recordtest.At}
	write := func() {
		if err := carrier.WriteState(g.home.States, st); err != nil {
			t.Fatal(err)
		}
	}
	write()
	p := g.plan(Wish{})
	if len(p.Goes) != 1 || p.Goes[0].Kind != KindState {
		t.Fatalf("the plan is %+v", p)
	}
	gather := func(ctx context.Context) (*truth.Reading, error) {
		rd, err := g.gather(ctx)
		g.append(me(), "here", record.KindClaimed) // right after it was asked
		st.Run, st.PID = "C-1", 7
		write()
		return rd, err
	}
	went, left, err := g.home.Clear(t.Context(), gather, p)
	if err != nil || len(went) > 0 || len(left) != 1 || left[0].Why != claimed || left[0].Stuck || !there(carrier.StateFile(g.home.States, "T-0001")) {
		t.Errorf("went %+v, left %+v, %v", went, left, err)
	}
}

func TestARoomStaysWithTheReasonWhereTheRecordDoesNotRead(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	g.append(me(), "here", record.KindMinted, record.KindWithdrawn)
	p := g.plan(Wish{})
	asked := 0
	gather := func(ctx context.Context) (*truth.Reading, error) {
		if asked++; asked == 2 {
			return nil, errors.New("the disk is full")
		}
		return g.gather(ctx)
	}
	went, left, err := g.home.Clear(t.Context(), gather, p)
	if err != nil || len(went) > 0 || len(left) != 1 || left[0].Why != "the disk is full" || !left[0].Stuck || !there(dir) {
		t.Errorf("went %+v, left %+v, %v", went, left, err)
	}
}

func TestARegistrationThatIsAllThatIsLeftOfARoomIsAskedByItself(t *testing.T) {
	g := newGround(t)
	dir := g.room("T-0001-1")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	g.home.Hands.Rooms = func() ([]Room, error) { // as the station lists it
		return []Room{{Task: "T-0001", N: 1, Dir: dir, Side: dir + ".d", Ledger: dir + ".json", Lost: "there is no inventory"}}, nil
	}
	p := g.plan(Wish{})
	if len(p.Goes) != 1 || !p.Goes[0].registered || p.Kept != 0 {
		t.Fatalf("the plan is %+v", p)
	}
	if went, left := g.clear(p); len(went) != 1 || len(left) > 0 || strings.Contains(g.Git("worktree", "list"), "T-0001-1") {
		t.Errorf("went %+v, left %+v", went, left)
	}
}

func TestInASharedRecordWhatAnotherCloneHoldsKeepsNothingBusyHere(t *testing.T) {
	g := newGround(t)
	g.home.Shared = true
	g.append(dead(), "here", record.KindMinted, record.KindClaimed)
	rd, err := g.gather(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := claimOf(rd, "T-0001")
	if _, known := g.home.lives(c); known || g.home.Runs(rd) != "" {
		t.Errorf("a claim whose lock is not here: known %v, busy %q", known, g.home.Runs(rd))
	}
	release, _, err := g.home.Repo.TryLock("claim-C-1")
	if err != nil {
		t.Fatal(err)
	}
	release() // its file stays
	if lives, known := g.home.lives(c); lives || !known {
		t.Errorf("a claim of this clone whose run died: lives %v, known %v", lives, known)
	}
	g.append(me(), "there", record.KindReleased, record.KindClaimed)
	if rd, err = g.gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := g.home.Runs(rd); got != "T-0001" {
		t.Errorf("a claim of this clone under another host's name keeps busy %q", got)
	}
}
