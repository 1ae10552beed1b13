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

func TestADeadHoldersClaimIsTakenOverAndItsTaskGoesOn(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.append("T-0001", "dead", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	f.append("T-0001", "dead", 1, record.ByAttempt, record.Started{Mode: "first", Agent: record.Agent{Adapter: "command"},
		Base: f.head(), Worktree: "/w", Walls: "none", Contract: f.task("T-0001").Digest, Prompt: f.task("T-0001").Digest})
	var saved []string
	s := f.station(Options{})
	s.Hands.Crashed = func(_ context.Context, t board.Task) error {
		saved = append(saved, t.ID+" of "+t.Claim.ID)
		return nil
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	if len(saved) != 1 || saved[0] != "T-0001 of dead" {
		t.Errorf("saved %v", saved)
	}
	f.wants("attempt T-0001 2 first", "land T-0001")
	task := f.task("T-0001")
	if fin := task.Attempts[0].Finished; fin == nil || fin.End != "crashed" || task.Counted != 1 || f.outcome(r, "T-0001").Outcome != IsLanded {
		t.Errorf("the dead attempt is %+v, %d counted", fin, task.Counted)
	}
}

func TestALivingHolderIsNamedAndLeftAlone(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	release, got, err := f.repo.TryLock("claim-alive")
	f.must(err)
	if !got {
		t.Fatal("the lock is held")
	}
	defer release()
	f.append("T-0001", "alive", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	e, err := record.New(record.Claimed{Boot: "b", PID: 13, Start: "1", Worker: "1"}, noon, record.Envelope{Task: "T-0002", Claim: "away", Host: "other-host", Actor: record.Actor{Kind: record.ByDispatch}})
	f.must(err)
	_, err = f.log.Append(f.ctx, part, record.Always(), e)
	f.must(err)
	r := f.run(Options{Tasks: []string{"T-0001", "T-0002"}})
	f.wants()
	if len(r.HeldBy) != 2 || !strings.Contains(r.HeldBy[0], "process 12 on build-7") || !strings.Contains(r.HeldBy[1], "other-host") {
		t.Errorf("held by %q", r.HeldBy)
	}
	if o := f.outcome(r, "T-0001"); o.Outcome != IsWaiting || !strings.Contains(o.Reason, "process 12") {
		t.Errorf("%+v", o)
	}
	if r.NeedsPerson() {
		t.Error("what another holds needs no person")
	}
}

func TestAHolderWhoseLockWasInheritedIsDeadWhenItsProcessIs(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	release, _, err := f.repo.TryLock("claim-old")
	f.must(err)
	defer release()
	f.append("T-0001", "old", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	s := f.station(Options{})
	s.Alive = func(h record.Claimed) bool { return h.PID != 12 }
	_, err = s.Run(f.ctx)
	f.must(err)
	f.wants("attempt T-0001 1 first", "land T-0001")
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

func TestTheFirstStopLetsWhatRunsFinishAndStartsNothingMore(t *testing.T) {
	f := newField(t)
	stop := make(chan struct{})
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{do: func() { close(stop) }}}
	r := f.run(Options{Workers: 1, Stop: stop})
	f.wants("attempt T-0001 1 first", "land T-0001")
	if !r.Stopped || r.Interrupted || f.outcome(r, "T-0001").Outcome != IsLanded {
		t.Errorf("%+v", r)
	}
}

func TestAfterTheFirstStopNoRepairIsBought(t *testing.T) {
	f := newField(t)
	stop := make(chan struct{})
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{check: "reach", reason: "red", do: func() { close(stop) }}}
	r := f.run(Options{Stop: stop})
	f.wants("attempt T-0001 1 first")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsInterrupted || !r.Stopped || r.Interrupted {
		t.Errorf("%+v", o)
	}
	f.did = nil
	f.run(Options{})
	f.wants("attempt T-0001 2 repair", "land T-0001")
}

func TestAnInterruptedAttemptIsQueuedAndGoesOnFromItsTree(t *testing.T) {
	f := newField(t)
	ctx, cancel := context.WithCancel(f.ctx)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{do: cancel}}
	r, err := f.station(Options{}).Run(ctx)
	f.must(err)
	o := f.outcome(r, "T-0001")
	if o.Outcome != IsInterrupted || !r.Interrupted || o.Attempts != 1 || o.Attempt != 1 {
		t.Errorf("%+v", o)
	}
	task := f.task("T-0001")
	if task.State != board.Queued || task.Claim != nil || task.Counted != 0 {
		t.Errorf("the task is %s, %d counted", task.State, task.Counted)
	}
	f.did = nil
	f.run(Options{})
	f.wants("attempt T-0001 2 continue", "land T-0001")
	if from := f.jobs[1].From; from == "" || from != f.task("T-0001").Attempts[0].Finished.Head {
		t.Errorf("it went on from %q", from)
	}
}

func TestAQuotaWaitsForTheTimeStatedAndOthersGoOn(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{end: "quota", until: noon.Add(3 * time.Hour)}}
	r := f.run(Options{Workers: 1})
	f.wants("attempt T-0001 1 first", "attempt T-0002 1 first", "land T-0002")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsWaiting || !strings.Contains(o.Reason, "15:00:00Z") {
		t.Errorf("%+v", o)
	}
	if !strings.Contains(r.Limit, "15:00:00Z") || r.NeedsPerson() {
		t.Errorf("the limit is %q", r.Limit)
	}
	f.clock = noon.Add(4 * time.Hour)
	f.did = nil
	f.run(Options{})
	f.wants("attempt T-0001 2 continue", "land T-0001")
	if f.task("T-0001").Counted != 1 {
		t.Error("the attempt that met the quota counted")
	}
}

func TestAQuotaWithinTheWaitIsWaitedFor(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{end: "quota"}}
	f.script["T-0001"][0].do = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.script["T-0001"] = nil
	}
	s := f.station(Options{Wait: time.Hour})
	s.Now = time.Now
	until := time.Now().Add(1200 * time.Millisecond)
	f.script["T-0001"][0].until = until
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants("attempt T-0001 1 first", "attempt T-0001 2 continue", "land T-0001")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsLanded || o.Attempts != 2 || o.Seconds != 4 {
		t.Errorf("%+v", o)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002", after1("T-0001"))
	f.append("T-0003", "dead", 0, record.ByDispatch, record.Claimed{Boot: "b", PID: 12, Start: "1", Worker: "1"})
	s := f.station(Options{DryRun: true, Workers: 4, Priced: func(string) bool { return true }})
	s.Mint = func(context.Context) ([]MintNote, error) { t.Error("a dry run minted"); return nil, nil }
	before := f.board().Events
	r, err := s.Run(f.ctx)
	f.must(err)
	f.wants()
	if got := f.board().Events; got != before {
		t.Errorf("%d events were appended", got-before)
	}
	if len(r.Planned) != 1 || r.Planned[0] != (Planned{ID: "T-0001", Title: "Change T-0001", Agent: "command", Does: "first"}) {
		t.Errorf("planned %+v", r.Planned)
	}
	if len(r.Waits) != 1 || r.Waits[0].ID != "T-0002" || r.Waits[0].WaitsOn[0] != "T-0001" {
		t.Errorf("waits %+v", r.Waits)
	}
	w := Worst{Tasks: 2, Workers: 2, Attempts: 6, Minutes: 180, USD: 10}
	if r.Worst != w {
		t.Errorf("the worst case is %+v, and %+v is wanted", r.Worst, w)
	}
}

func TestTheWorstCaseSaysWhatHasNoLimitAndNoPrice(t *testing.T) {
	f := newField(t)
	f.mint("T-0001", func(c *contract.Contract) { c.Budget.USD = 0 })
	r := f.run(Options{DryRun: true})
	if !r.Worst.Unbounded || !r.Worst.Unpriced {
		t.Errorf("%+v", r.Worst)
	}
}

func TestADirtyTargetThatWouldBlockIsSaidWhenDispatchStarts(t *testing.T) {
	f := newField(t)
	f.user.Git("checkout", "-q", "main")
	f.mint("T-0001", func(c *contract.Contract) { c.Scope.Allow = []string{"a.txt"} })
	f.mint("T-0002")
	f.user.Write("a.txt", "mine\n")
	f.run(Options{DryRun: true})
	warned := f.noted("warn")
	if len(warned) != 1 || warned[0].Task != "T-0001" || !strings.Contains(warned[0].Text, "git -C "+f.user.Dir+" stash") {
		t.Errorf("warned %+v", warned)
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
