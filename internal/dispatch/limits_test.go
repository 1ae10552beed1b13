package dispatch

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
)

// budget gives a task that many dollars.
func budget(usd float64) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Budget.USD = usd }
}

func priced(string) bool { return true }

func TestTheMoneyOfARunEndsItAndWhatIsLeftWaits(t *testing.T) {
	f := newField(t)
	for _, id := range []string{"T-0001", "T-0002", "T-0003", "T-0004"} {
		f.mint(id)
		f.script[id] = []turn{{usd: 2}}
	}
	r := f.run(Options{Workers: 1, USD: 3, Priced: priced})
	f.wants("attempt T-0001 1 first", "land T-0001", "attempt T-0002 1 first", "land T-0002")
	if want := (Limit{By: ByUSD, Tasks: 2, USD: 3, Spent: 4}); r.Limit != want {
		t.Errorf("the limit is %+v", r.Limit)
	}
	if len(r.Waits) != 2 || r.NeedsPerson() || f.task("T-0003").State != board.Queued || f.task("T-0003").Claim != nil {
		t.Errorf("%+v", r.Waits)
	}
}

func TestWhatWaitsForATimeOfItsOwnDoesNotWaitForTheLimitOfTheRun(t *testing.T) {
	f := newField(t)
	for _, id := range []string{"T-0001", "T-0002", "T-0003"} {
		f.mint(id)
		f.script[id] = []turn{{usd: 2}}
	}
	f.script["T-0001"] = []turn{{end: "quota", until: noon.Add(900 * time.Hour)}}
	if r := f.run(Options{Workers: 1, USD: 1, Priced: priced}); r.Limit.By != ByUSD || r.Limit.Tasks != 1 {
		t.Errorf("%+v", r.Limit)
	}
	if r := f.run(Options{Workers: 1, USD: 1, Priced: priced}); r.Limit.By != ByQuota || r.Limit.Tasks != 1 || r.Limit.Agent != "command" {
		t.Errorf("%+v", r.Limit)
	}
}

func TestARunWhoseTasksAreDoneWithinItsMoneyMetNoLimit(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{usd: 9}}
	r := f.run(Options{USD: 3, Until: noon.Add(time.Hour), StopOnEscalations: 1, Priced: priced})
	if r.Limit.By != "" || f.outcome(r, "T-0001").Outcome != IsLanded {
		t.Errorf("%+v", r)
	}
}

func TestAnAttemptStartsOnlyWhereWhatRunsMayStillCostLeavesRoomForItsBudget(t *testing.T) {
	for _, c := range []struct {
		name  string
		usd   float64
		most  int
		lands int
	}{
		{"room for all", 20, 4, 4},
		{"room for two", 11, 2, 4}, // 5 + 5, and each costs 1
		{"room for one", 4, 1, 4},  // less than one budget: alone it may start all the same
		{"no cap", 0, 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newField(t)
			for _, id := range []string{"T-0001", "T-0002", "T-0003", "T-0004"} {
				f.mint(id, budget(5))
				f.script[id] = []turn{{usd: 0.9, do: func() { time.Sleep(150 * time.Millisecond) }}}
			}
			r := f.run(Options{Workers: 4, USD: c.usd, Priced: priced})
			landed := 0
			for _, o := range r.Outcomes {
				if o.Outcome == IsLanded {
					landed++
				}
			}
			if f.most > c.most || landed != c.lands {
				t.Errorf("%d at once, %d landed; %+v", f.most, landed, r.Limit)
			}
		})
	}
}

func TestNotionalAndUnknownCostAreNoDollarsOfTheRun(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.mint("T-0003")
	f.script["T-0001"] = []turn{{usd: 50, source: "notional"}}
	f.script["T-0002"] = []turn{{}}
	f.script["T-0003"] = []turn{{usd: 1}}
	r := f.run(Options{Workers: 1, USD: 2, Priced: priced})
	if r.Limit.By != "" || len(f.did) != 6 {
		t.Errorf("%+v after %v", r.Limit, f.did)
	}
}

func TestAnAgentWhoseCostIsUnknownIsNotHeldByMoneyAndThatIsSaidFirst(t *testing.T) {
	f := newField(t)
	for _, id := range []string{"T-0001", "T-0002", "T-0003"} {
		f.mint(id, budget(5))
		f.script[id] = []turn{{do: func() { time.Sleep(150 * time.Millisecond) }}}
	}
	s := f.station(Options{Workers: 3, USD: 1})
	var said Worst
	s.Begin = func(w Worst) { said = w }
	if r, err := s.Run(f.ctx); err != nil || r.Limit.By != "" || f.most < 2 {
		t.Errorf("%v, %+v, %d at once", err, r.Limit, f.most)
	}
	if !slices.Equal(said.Uncapped, []string{"command"}) || said.Cap != 1 {
		t.Errorf("%+v", said)
	}
}

func TestARepairIsBoughtWithTheMoneyOfTheRunToo(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{usd: 2, check: "reach", reason: "red"}}
	r := f.run(Options{USD: 1, Priced: priced})
	f.wants("attempt T-0001 1 first")
	if o := f.outcome(r, "T-0001"); o.Outcome != IsWaiting || !strings.Contains(o.Reason, "money") || r.Limit.By != ByUSD || r.Limit.Tasks != 1 {
		t.Errorf("%+v, %+v", o, r.Limit)
	}
	f.did = nil
	f.run(Options{USD: 1, Priced: priced})
	f.wants("attempt T-0001 2 repair", "land T-0001")
}

func TestWithoutMoneyWhatIsAcceptedStillLands(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.due["T-0001"] = []turn{{blocked: "a.txt is changed there"}}
	f.run(Options{Tasks: []string{"T-0001"}})
	f.did = nil
	f.script["T-0002"] = []turn{{usd: 3, do: func() {
		f.user.Git("update-ref", "refs/heads/main", f.user.Git("commit-tree", "-p", "main", "-m", "more", "main^{tree}"))
	}}}
	r := f.run(Options{Workers: 1, USD: 2, Priced: priced})
	f.wants("land T-0001", "attempt T-0002 1 first", "land T-0002")
	if r.Limit.By != "" {
		t.Errorf("%+v", r.Limit)
	}
}

func TestNothingStartsAfterUntilAndWhatRunsFinishes(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	until := noon.Add(time.Hour)
	f.script["T-0001"] = []turn{{do: func() { f.at(until) }}}
	r := f.run(Options{Workers: 1, Until: until})
	f.wants("attempt T-0001 1 first", "land T-0001")
	if want := (Limit{By: ByUntil, Tasks: 1, Until: until}); r.Limit != want {
		t.Errorf("%+v", r.Limit)
	}
	if w := r.Worst; !w.Until.Equal(until) || w.Longest != 30*time.Minute {
		t.Errorf("%+v", w)
	}
}

func TestAQuotaIsWaitedForUntilTheTimeThatARunHasAndNotBeyondIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		until time.Duration
		limit string
	}{{"within", 9 * time.Hour, ""}, {"beyond", 7 * time.Hour, ByQuota}} {
		t.Run(c.name, func(t *testing.T) {
			f := newField(t)
			f.mint("T-0001")
			quota := noon.Add(8 * time.Hour)
			f.script["T-0001"] = []turn{{end: "quota", until: quota}}
			s := f.station(Options{Until: noon.Add(c.until), Wait: time.Hour})
			s.Note = func(n Note) {
				if n.Kind == "waits" && n.Task == "" { // as a machine that slept: the clock goes on, no timer did
					f.at(quota)
				}
			}
			r, err := s.Run(f.ctx)
			f.must(err)
			if r.Limit.By != c.limit || (c.limit == "") != (f.outcome(r, "T-0001").Outcome == IsLanded) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestSoManyTasksThatNeedAPersonEndTheRun(t *testing.T) {
	f := newField(t)
	for _, id := range []string{"T-0001", "T-0002", "T-0003", "T-0004"} {
		f.mint(id)
		f.script[id] = []turn{{check: "verb", reason: "no"}}
	}
	r := f.run(Options{Workers: 1, StopOnEscalations: 2})
	f.wants("attempt T-0001 1 first", "attempt T-0002 1 first")
	if want := (Limit{By: ByEscalations, Tasks: 2, Escalations: 2}); r.Limit != want || !r.NeedsPerson() {
		t.Errorf("%+v", r.Limit)
	}
}

func TestAtMostSoManyOfAnAgentRunAtOnceAndOthersPass(t *testing.T) {
	f := newField(t)
	for _, id := range []string{"T-0001", "T-0002", "T-0003", "T-0004", "T-0005"} {
		agent := "few@small"
		if id == "T-0004" {
			agent = "many"
		}
		f.mint(id, func(c *contract.Contract) { c.Agent = contract.Agents{agent} })
		f.script[id] = []turn{{do: func() { time.Sleep(150 * time.Millisecond) }}}
	}
	few, most := 0, 0
	s := f.station(Options{Workers: 5, Slots: func(name string) int { return map[string]int{"few": 2}[name] }})
	attempt := s.Hands.Attempt
	s.Hands.Attempt = func(ctx context.Context, j Job) (Ended, error) {
		f.mu.Lock()
		if j.Agent == "few@small" {
			few++
			most = max(most, few)
		}
		f.mu.Unlock()
		e, err := attempt(ctx, j)
		f.mu.Lock()
		if j.Agent == "few@small" {
			few--
		}
		f.mu.Unlock()
		return e, err
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	if most != 2 || f.most != 3 || len(r.Outcomes) != 5 || r.NeedsPerson() {
		t.Errorf("%d of few and %d in all at once; %+v", most, f.most, r.Outcomes)
	}
}

func TestATaskThatGoesUpToAnotherAgentWaitsForItsPlace(t *testing.T) {
	f := newField(t)
	f.mint("T-0001", func(c *contract.Contract) { c.Agent = contract.Agents{"a", "b"} })
	f.mint("T-0002", func(c *contract.Contract) { c.Agent = contract.Agents{"b", "a"} })
	both := make(chan struct{}, 2)
	wait := func() {
		both <- struct{}{}
		for len(both) < 2 {
			time.Sleep(time.Millisecond)
		}
	}
	f.script["T-0001"] = []turn{{check: "reach", reason: "red", do: wait}}
	f.script["T-0002"] = []turn{{check: "reach", reason: "red", do: wait}}
	r := f.run(Options{Workers: 2, Slots: func(string) int { return 1 }})
	for _, id := range []string{"T-0001", "T-0002"} {
		if f.outcome(r, id).Outcome != IsLanded {
			t.Errorf("%+v", r.Outcomes)
		}
	}
}

func TestPriorityHoldsThroughTheWholeRun(t *testing.T) {
	f := newField(t)
	for i, id := range []string{"T-0001", "T-0002", "T-0003", "T-0004"} {
		f.mint(id, func(c *contract.Contract) { c.Priority = []int{0, 3, -1, 3}[i] })
	}
	f.script["T-0002"] = []turn{{do: func() { // what comes while the run lasts takes its place
		f.mint("T-0005", func(c *contract.Contract) { c.Priority = 9 })
	}}}
	f.run(Options{Workers: 1})
	var order []string
	for _, d := range f.did {
		if id, is := strings.CutPrefix(d, "land "); is {
			order = append(order, id)
		}
	}
	if want := []string{"T-0002", "T-0005", "T-0004", "T-0001", "T-0003"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v", order)
	}
}

func TestTasksThatMeetOnlyInSharedFilesRunSideBySide(t *testing.T) {
	for _, c := range []struct {
		shared []string
		most   int
	}{{[]string{"go.mod"}, 2}, {nil, 1}} {
		f := newField(t)
		for _, id := range []string{"T-0001", "T-0002"} {
			f.mint(id, func(c *contract.Contract) { c.Scope.Allow = []string{id + "/**", "go.mod"} })
			f.script[id] = []turn{{do: func() { time.Sleep(200 * time.Millisecond) }}}
		}
		if f.run(Options{Workers: 2, Shared: c.shared}); f.most != c.most {
			t.Errorf("shared %v: %d at once", c.shared, f.most)
		}
	}
}

func TestAnAttemptsNumberIsNeverThatOfALandingThatWasTakenOut(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{check: "reach", reason: "red"}}
	f.run(Options{})
	f.user.Git("checkout", "-q", "--detach", "main")
	f.user.Git("revert", "-m", "1", "--no-edit", "HEAD")
	f.user.Git("branch", "-f", "main", "HEAD")
	f.user.Git("update-ref", "-d", "refs/torve/attempts/T-0001/1")
	f.user.Git("update-ref", "-d", "refs/torve/attempts/T-0001/2")
	g := &field{T: t, user: f.user, repo: f.repo, ctx: f.ctx, clock: noon, script: map[string][]turn{}, again: map[string][]turn{}, due: map[string][]turn{}, live: map[string]int{}}
	g.log = g.openAt("another.db") // as a fresh clone, whose record knows nothing
	g.mint("T-0001")
	g.append("T-0001", "", 0, record.ByPerson, record.Resolved{Answer: "requeued", Mode: "fresh"})
	g.run(Options{})
	if len(g.did) == 0 || g.did[0] != "attempt T-0001 3 first" {
		t.Errorf("did %v", g.did)
	}
}
