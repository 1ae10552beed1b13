package dispatch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
)

func TestADependencyThatLandsStartsItsDependentsInTheSameRun(t *testing.T) {
	f := newField(t)
	f.mint("T-0002", after1("T-0001"))
	f.mint("T-0003", after1("T-0002"))
	f.mint("T-0001")
	from := f.head()
	r := f.run(Options{Workers: 2})
	f.wants("attempt T-0001 1 first", "land T-0001", "attempt T-0002 1 first", "land T-0002", "attempt T-0003 1 first", "land T-0003")
	for _, id := range []string{"T-0001", "T-0002", "T-0003"} {
		if o := f.outcome(r, id); o.Outcome != IsLanded || o.Commit == "" || f.task(id).Claim != nil {
			t.Errorf("%s: %+v", id, o)
		}
	}
	if r.From != from || r.To != f.head() || r.Attempts != 3 || r.NeedsPerson() || r.Unjudged() {
		t.Errorf("the report is %+v", r)
	}
	for _, j := range f.jobs[2:4] {
		if j.Head == from {
			t.Error("a dependent was cut from the head before its dependency landed")
		}
	}
}

func TestDispatchOfOneTaskNeverRunsItsDependency(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002", after1("T-0001"))
	r := f.run(Options{Tasks: []string{"T-0002"}})
	f.wants()
	o := f.outcome(r, "T-0002")
	if o.Outcome != IsWaiting || !strings.Contains(o.Reason, "on T-0001") || o.Person {
		t.Errorf("%+v", o)
	}
	if len(r.Outcomes) != 1 || r.NeedsPerson() {
		t.Errorf("%+v", r)
	}
}

func TestANamedTaskThatIsNotOnTheBoardWaitsForItsMint(t *testing.T) {
	f := newField(t)
	c := contract.Default()
	c.ID, c.Title, c.Scope.Allow = "T-0001", "Ask", []string{"x/**"}
	f.user.Write(contract.PathOf("T-0001"), string(contract.Render(c)))
	f.user.Commit("Ask for T-0001")
	f.user.Git("branch", "-f", "main", "HEAD")
	r := f.run(Options{Tasks: []string{"T-0001"}})
	o := f.outcome(r, "T-0001")
	if o.Outcome != IsWaiting || !o.Person || o.Next != "torve mint T-0001" || !strings.Contains(o.Reason, "not on the board: contract") {
		t.Errorf("%+v", o)
	}
}

func TestATaskThatNoCarrierKnowsIsAnError(t *testing.T) {
	f := newField(t)
	if _, err := f.station(Options{Tasks: []string{"T-0009"}}).Run(f.ctx); !errors.Is(err, ErrUnknown) {
		t.Errorf("err is %v", err)
	}
}

func TestHigherPriorityStartsFirstThenTheOlder(t *testing.T) {
	f := newField(t)
	f.mint("T-0003")
	f.mint("T-0001")
	f.mint("T-0002", func(c *contract.Contract) { c.Priority = 5 })
	f.run(Options{Workers: 1})
	f.wants("attempt T-0002 1 first", "land T-0002", "attempt T-0003 1 first", "land T-0003", "attempt T-0001 1 first", "land T-0001")
}

func TestAcceptedWorkLandsBeforeAnythingStarts(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.due["T-0001"] = []turn{{blocked: "in /x the landing would touch what is changed there: a.txt"}}
	r := f.run(Options{})
	o := f.outcome(r, "T-0001")
	if o.Outcome != IsReady || !o.Blocked || o.Next != "git -C x stash && torve land T-0001" || !r.NeedsPerson() {
		t.Errorf("blocked: %+v", o)
	}
	if s := f.task("T-0001"); s.State != board.Ready || s.Claim != nil || s.Counted != 1 {
		t.Errorf("a blocked task is %s", s.State)
	}
	f.mint("T-0000", func(c *contract.Contract) { c.Priority = 9 })
	f.did = nil
	f.run(Options{Workers: 1})
	f.wants("land T-0001", "attempt T-0000 1 first", "land T-0000")
}

func TestWhereLandingsAreByHandAcceptedWorkStaysReady(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	r := f.run(Options{Manual: true})
	f.wants("attempt T-0001 1 first", "attempt T-0002 1 first")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsReady || o.Next != "torve land T-0001" || o.NeedsPerson() {
		t.Errorf("%+v", o)
	}
	f.did = nil
	r = f.run(Options{Manual: true, LandOnly: true, Tasks: []string{"T-0002"}})
	f.wants("land T-0002")
	if f.outcome(r, "T-0002").Outcome != IsLanded || f.task("T-0001").State != board.Ready {
		t.Error("torve land T-0002 lands that and no other")
	}
}

func TestScopesThatMeetNeverRunSideBySide(t *testing.T) {
	f := newField(t)
	same := func(c *contract.Contract) { c.Scope.Allow = []string{"x/**"} }
	for _, id := range []string{"T-0001", "T-0002", "T-0003"} {
		f.mint(id, same)
		f.script[id] = []turn{{do: func() { time.Sleep(20 * time.Millisecond) }}}
	}
	f.run(Options{Workers: 3})
	if f.most != 1 {
		t.Errorf("%d ran side by side", f.most)
	}
	if len(f.did) != 6 {
		t.Errorf("did %v", f.did)
	}
}

func TestWorkersRunSideBySide(t *testing.T) {
	f := newField(t)
	both := make(chan struct{}, 2)
	meet := func() {
		both <- struct{}{}
		for len(both) < 2 {
			time.Sleep(time.Millisecond)
		}
	}
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"], f.script["T-0002"] = []turn{{do: meet}}, []turn{{do: meet}}
	f.run(Options{Workers: 2})
	if f.most != 2 {
		t.Errorf("%d ran side by side", f.most)
	}
}

func TestTwoDispatchersAtOnceMakeOneAttemptOfEachTask(t *testing.T) {
	f := newField(t)
	ids := []string{"T-0001", "T-0002", "T-0003", "T-0004", "T-0005", "T-0006"}
	for _, id := range ids {
		f.mint(id)
	}
	var wg sync.WaitGroup
	for range 3 {
		s := f.stationOver(f.open(), Options{Workers: 2})
		wg.Go(func() {
			if _, err := s.Run(f.ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if task := f.task(id); task.State != board.Landed || len(task.Attempts) != 1 || task.Claim != nil {
			t.Errorf("%s is %s after %d attempts", id, task.State, len(task.Attempts))
		}
	}
	if len(f.did) != 2*len(ids) {
		t.Errorf("did %v", f.did)
	}
}

func TestARedBaseStopsTheRunAndItsTasksWait(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{red: "go test ./... exited 1: TestOld", mend: `worktree: {setup: ["npm ci"]}`}}
	r := f.run(Options{Workers: 1})
	f.wants("attempt T-0001 1 first")
	o := f.outcome(r, "T-0001")
	if o.Outcome != IsWaiting || !strings.Contains(o.Reason, "TestOld") || !strings.Contains(o.Reason, "npm ci") {
		t.Errorf("%+v", o)
	}
	if r.BaseRed == "" || r.Mend == "" || !r.NeedsPerson() || r.Unjudged() {
		t.Errorf("the report is %+v", r)
	}
	if len(r.Waits) != 1 || r.Waits[0].ID != "T-0002" || !strings.Contains(r.Waits[0].Reason, "red") {
		t.Errorf("waits %+v", r.Waits)
	}
	for _, id := range []string{"T-0001", "T-0002"} {
		if task := f.task(id); task.State != board.Queued || task.Claim != nil || len(task.Attempts) != 0 {
			t.Errorf("%s is %s", id, task.State)
		}
	}
	f.did = nil
	f.user.Write("fix.txt", "x\n")
	f.user.Commit("Mend")
	f.user.Git("branch", "-f", "main", "HEAD")
	f.run(Options{Workers: 1})
	if len(f.did) != 4 {
		t.Errorf("the next head is asked again; did %v", f.did)
	}
}

func TestALineOfTheContractsOwnThatIsRedEscalatesThatTaskAlone(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{red: "vitest is not there", own: true, mend: "npm ci"}}
	r := f.run(Options{Workers: 1})
	f.wants("attempt T-0001 1 first", "attempt T-0002 1 first", "land T-0002")
	o := f.outcome(r, "T-0001")
	if o.Outcome != IsEscalated || o.Why != "base_red" || !strings.Contains(o.Reason, "npm ci") || r.BaseRed != "" {
		t.Errorf("%+v", o)
	}
	if e := f.task("T-0001").Escalation; e == nil || e.Reason != "base_red" {
		t.Errorf("the escalation is %+v", e)
	}
}

func TestWhatAPersonMustFreeMakesTheRunNeedAPerson(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002", after1("T-0001"))
	f.script["T-0001"] = []turn{{check: "verb", reason: "no"}}
	if r := f.run(Options{}); !r.NeedsPerson() || len(r.Waits) != 1 || !r.Waits[0].Person {
		t.Errorf("%+v", r)
	}
	r := f.run(Options{})
	if len(r.Outcomes) != 0 || !r.NeedsPerson() {
		t.Errorf("a run in which all that is left waits on a person: %+v", r)
	}
}

func TestNothingToDoNeedsNobody(t *testing.T) {
	f := newField(t)
	if r := f.run(Options{}); r.NeedsPerson() || r.Unjudged() || r.Stopped || len(r.Waits)+len(r.Outcomes) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestMintAndRepairComeBeforeTheFirstClaim(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	s := f.station(Options{})
	s.Mint = func(context.Context) ([]MintNote, error) {
		f.did = append(f.did, "mint")
		f.mint("T-0002")
		return []MintNote{{"T-0002", "minted", "1f3c9ab  Change"}, {"T-0001", "unchanged", ""}}, nil
	}
	s.Hands.Repair = func(context.Context, *board.Board) ([]string, error) {
		f.did = append(f.did, "repair")
		f.append("T-0001", "", 1, record.ByLanding, record.Landed{
			Path: ".torve/execution/T-0001-1-20260131T120000Z.yaml", Target: "main", Commit: f.head(), Contract: f.task("T-0001").Digest, Observed: true,
		})
		return []string{"T-0001"}, nil
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants("mint", "repair", "attempt T-0002 1 first", "land T-0002")
	if len(f.noted("minted")) != 1 || len(r.Outcomes) != 1 {
		t.Errorf("%+v", r.Outcomes)
	}
}
