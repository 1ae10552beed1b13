package dispatch

import (
	"context"
	"errors"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
)

func TestARepairIsGivenEvidenceOfThePlaceAndAFreshOneNothing(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{no("reach", "TestExpiry"), no("reach", "TestOther")}
	f.run(Options{})
	first, repair, fresh := f.jobs[0], f.jobs[1], f.jobs[2]
	if first.From+first.Evidence+fresh.From+fresh.Evidence != "" {
		t.Errorf("first %+v, fresh %+v", first, fresh)
	}
	if repair.From != f.task("T-0001").Attempts[0].Finished.Head {
		t.Errorf("the repair starts from %q", repair.From)
	}
	if repair.Evidence != "go test ./... exited 1\nTestExpiry" {
		t.Errorf("the evidence is %q", repair.Evidence)
	}
}

func TestKeptWorkOfARunThatBrokeIsJudgedByItsLastWord(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{end: "infrastructure"}, {end: "infrastructure"}, {end: "infrastructure"}}
	f.again["T-0001"] = []turn{no("reach", "one")}
	f.run(Options{})
	f.append("T-0001", "", 0, record.ByPerson, record.Resolved{Answer: "requeued", Mode: "ask"})
	f.run(Options{})
	if got := f.short("T-0001"); got != "2 continue, 3 continue, again 3, 4 repair, land" {
		t.Errorf("did %q", got)
	}
}

func TestWhatBreaksIsolationWhenAskedAgainIsNotAskedForEver(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{end: "infrastructure"}, {end: "infrastructure"}, {end: "infrastructure"}}
	f.again["T-0001"] = []turn{{broke: true}, {broke: true}, {broke: true}}
	f.run(Options{})
	f.append("T-0001", "", 0, record.ByPerson, record.Resolved{Answer: "requeued", Mode: "ask"})
	r := f.run(Options{})
	if o := f.outcome(r, "T-0001"); o.Why != "isolation_broken" || o.Reason != "acceptance: hooks/pre-commit was added" || len(f.again["T-0001"]) != 2 {
		t.Errorf("%+v, %d left", o, len(f.again["T-0001"]))
	}
}

func TestAnAttemptWhoseEndCouldNotBeRecordedIsEndedBeforeAnother(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{boom: true}}
	s := f.station(Options{})
	h := &scripted{f: f, log: f.log}
	s.Hands.Crashed = func(ctx context.Context, t board.Task) error {
		a := t.Attempts[len(t.Attempts)-1]
		_, err := h.finish(ctx, Job{Task: t, N: a.N, Head: f.head()}, turn{end: "crashed"}, a.Started.Agent)
		return err
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	if got := f.short("T-0001"); got != "2 continue, land" {
		t.Errorf("did %q", got)
	}
	if a := f.task("T-0001").Attempts[0]; a.Finished == nil || a.Finished.Head == "" || f.outcome(r, "T-0001").Outcome != IsLanded {
		t.Errorf("the first attempt is %+v", a.Finished)
	}
}

func TestWhatIsRecordedOfATaskIsMasked(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	bad := turn{err: errors.New("the remote says hunter2hunter2")}
	f.script["T-0001"] = []turn{bad, bad, bad}
	s := f.station(Options{})
	s.Mask = func(text string) string { return strings.ReplaceAll(text, "hunter2hunter2", "***") }
	_, err := s.Run(f.ctx)
	f.must(err)
	if got := f.task("T-0001").Escalation.Detail; got != "the remote says ***" {
		t.Errorf("%q", got)
	}
}

func TestAnAttemptThatWasInterruptedBeforeItsAgentStartedIsReleased(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	s := f.station(Options{})
	s.Hands.Attempt = func(context.Context, Job) (Ended, error) {
		return Ended{End: "interrupted", Why: "stopped by a person"}, nil
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	if o := f.outcome(r, "T-0001"); o.Outcome != IsInterrupted || o.Attempts != 0 || f.task("T-0001").Claim != nil {
		t.Errorf("%+v", o)
	}
}

func TestTheListOfAgentsIsGoneUpOneAnAttempt(t *testing.T) {
	f := newField(t)
	f.mint("T-0001", func(c *contract.Contract) { c.Agent, c.Budget.Attempts = contract.Agents{"small", "large"}, 4 })
	f.mint("T-0002")
	f.script["T-0001"] = []turn{no("reach", "one"), {end: "crashed"}, no("reach", "two")}
	f.run(Options{Workers: 1, Default: "usual"})
	var agents []string
	for i, j := range f.jobs {
		if strings.HasPrefix(f.did[i], "attempt") {
			agents = append(agents, j.Agent)
		}
	}
	if got := strings.Join(agents, " "); got != "small large large large usual" {
		t.Errorf("the agents were %s", got)
	}
}

func TestTheRunsOwnAgentIsUsedForAll(t *testing.T) {
	f := newField(t)
	f.mint("T-0001", func(c *contract.Contract) { c.Agent = contract.Agents{"small"} })
	f.run(Options{Agent: "mine"})
	if f.jobs[0].Agent != "mine" {
		t.Errorf("the agent was %s", f.jobs[0].Agent)
	}
}

func TestARequeueIsActedOnAsThePersonSaid(t *testing.T) {
	for mode, did := range map[string]string{
		"ask":      "again 1, land",
		"continue": "2 continue, land",
		"fresh":    "2 fresh, land",
	} {
		t.Run(mode, func(t *testing.T) {
			f := newField(t)
			f.mint("T-0001", func(c *contract.Contract) { c.Budget.Attempts = 1 })
			f.script["T-0001"] = []turn{no("reach", "one")}
			f.run(Options{})
			if s := f.task("T-0001").State; s != board.Escalated {
				t.Fatalf("it is %s", s)
			}
			f.append("T-0001", "", 0, record.ByPerson, record.Resolved{Answer: "requeued", Mode: mode})
			r := f.run(Options{})
			if got := f.short("T-0001"); got != did {
				t.Errorf("did %q, and %q is wanted", got, did)
			}
			f.ended(t, r, "T-0001", "")
		})
	}
}

func TestTheSameReasonAfterAPersonsAnswerIsNotTwiceRunning(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{no("reach", "one"), no("reach", "one"), no("reach", "one")}
	f.run(Options{})
	f.append("T-0001", "", 0, record.ByPerson, record.Resolved{Answer: "requeued", Mode: "continue"})
	f.run(Options{})
	if got := f.short("T-0001"); got != "2 repair, 3 continue, 4 repair, land" {
		t.Errorf("did %q", got)
	}
}

func TestAKeptTreeIsAskedAgainAfterItsContractWasMintedAnew(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.run(Options{Manual: true})
	c := f.task("T-0001").Contract
	was := c.Digest()
	c.Scope.Allow = append(c.Scope.Allow, "more/**")
	f.append("T-0001", "", 0, record.ByMint, record.Reminted{
		Digest: c.Digest(), Contract: c.Canonical(), Owner: "ada@example.com", Path: contract.PathOf("T-0001"), Commit: f.head(), Was: was, Changed: []string{"scope"},
	})
	f.run(Options{})
	if got := f.short("T-0001"); got != "again 1, land" {
		t.Errorf("did %q", got)
	}
}

func TestNumbersOfAttemptsNeverRestart(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.user.Git("update-ref", "refs/torve/attempts/T-0001/7", "HEAD")
	f.run(Options{})
	f.wants("attempt T-0001 8 first", "land T-0001")
}

func TestWorkWhoseDependencyIsNoLongerLandedWaits(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.run(Options{})
	f.mint("T-0002", after1("T-0001"))
	f.script["T-0002"] = []turn{{check: "freshness", reason: "the task depends on T-0001, which is not landed", do: func() {
		f.user.Git("branch", "-f", "main", "HEAD") // before the landing of T-0001
	}}}
	f.did = nil
	r := f.run(Options{Tasks: []string{"T-0002"}})
	f.wants("attempt T-0002 1 first")
	if o := f.outcome(r, "T-0002"); o.Outcome != IsWaiting || f.task("T-0002").Claim != nil {
		t.Errorf("%+v", o)
	}
}

func TestALandingThatTheHeadHoldsAlreadyIsLandedOnce(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	s := f.station(Options{})
	s.Hands.Land = func(_ context.Context, j Job) (Landed, error) {
		f.append("T-0001", "", 1, record.ByLanding, record.Landed{
			Path: ".torve/execution/T-0001-1-20260131T120000Z.yaml", Target: "main", Commit: f.head(), Contract: j.Task.Digest, Observed: true,
		})
		return Landed{Already: ".torve/execution/T-0001-1-20260131T120000Z.yaml", Commit: f.head()}, nil
	}
	r, err := s.Run(f.ctx)
	f.must(err)
	f.ended(t, r, "T-0001", "")
}

func TestNothingJudgedBecauseOfInfrastructureIsSaid(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{{end: "unavailable"}, {end: "unavailable"}, {end: "unavailable"}}
	if r := f.run(Options{}); !r.Unjudged() {
		t.Errorf("%+v", r)
	}
	f.mint("T-0002")
	f.mint("T-0003")
	f.script["T-0002"] = []turn{{end: "unavailable"}, {end: "unavailable"}, {end: "unavailable"}}
	if r := f.run(Options{Workers: 1}); r.Unjudged() {
		t.Errorf("one was judged: %+v", r)
	}
}

func TestUnknownCostIsNeverZero(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002")
	f.script["T-0001"] = []turn{{check: "reach", reason: "1", usd: 0.5}, {usd: 0.25}}
	f.script["T-0002"] = []turn{{check: "reach", reason: "1", usd: 0.5}, {}}
	r := f.run(Options{Workers: 1})
	if o := f.outcome(r, "T-0001"); o.USD == nil || *o.USD != 0.75 || o.Unknown != 0 {
		t.Errorf("%+v", o)
	}
	if o := f.outcome(r, "T-0002"); o.USD != nil || o.Unknown != 1 {
		t.Errorf("%+v", o)
	}
}
