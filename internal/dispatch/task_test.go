package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
)

// no is a refusal on arrival.
func no(check, reason string) turn { return turn{check: check, reason: reason} }

// ending is a task's story and how it is to end.
type ending struct {
	turns   []turn
	again   []turn
	due     []turn
	edit    func(*contract.Contract)
	did     string // what the hands did, after the first attempt
	outcome string
	why     string // of the escalation
	check   string
	next    string
}

func endings() map[string]ending {
	attempts := func(n int) func(*contract.Contract) { return func(c *contract.Contract) { c.Budget.Attempts = n } }
	return map[string]ending{
		"scope is too narrow: widen is the first answer": {
			turns: []turn{{check: "law", reason: "change 1: b/x.go is outside scope.allow a/**", paths: []string{"b/x.go", "c d.go"}}},
			did:   "", outcome: IsRefused, why: "scope", check: "law", next: "torve widen T-0001 b/x.go 'c d.go'",
		},
		"another clause of the law escalates at once": {
			turns: []turn{no("law", "change 1: a secret")}, outcome: IsRefused, why: "refused", check: "law", next: "torve why T-0001",
		},
		"verb escalates at once":      {turns: []turn{no("verb", "no verb")}, outcome: IsRefused, why: "refused", check: "verb", next: "torve why T-0001"},
		"grounding escalates at once": {turns: []turn{no("grounding", "not given")}, outcome: IsRefused, why: "refused", check: "grounding", next: "torve why T-0001"},
		"reach gets a repair, then a fresh one": {
			turns: []turn{no("reach", "one"), no("reach", "two")}, did: "2 repair, 3 fresh, land", outcome: IsLanded,
		},
		"shape gets a repair": {
			turns: []turn{no("shape", "an attempt of no changes")}, did: "2 repair, land", outcome: IsLanded,
		},
		"the same check and reason twice running escalates": {
			turns: []turn{no("reach", "one"), no("reach", "one")}, did: "2 repair", outcome: IsRefused, why: "refused", check: "reach", next: "torve why T-0001",
		},
		"the same reason after another is not twice running": {
			turns: []turn{no("reach", "one"), no("reach", "two"), no("reach", "one")}, edit: attempts(4),
			did: "2 repair, 3 fresh, 4 repair, land", outcome: IsLanded,
		},
		"the budget of attempts is exhausted": {
			turns: []turn{no("reach", "one"), no("reach", "two"), no("reach", "three")}, did: "2 repair, 3 fresh",
			outcome: IsEscalated, why: "exhausted", check: "reach", next: "torve why T-0001",
		},
		"the budget of money is exhausted": {
			turns: []turn{{check: "reach", reason: "one", usd: 3}, {check: "reach", reason: "two", usd: 3}}, did: "2 repair",
			outcome: IsEscalated, why: "exhausted", check: "reach", next: "torve why T-0001",
		},
		"what still merges is cut again on the new head": {
			turns: []turn{no("freshness", "201 commits")}, again: []turn{no("freshness", "202 commits")},
			did: "again 1, again 1, land", outcome: IsLanded,
		},
		"it is cut again twice at most": {
			turns: []turn{no("freshness", "1")}, again: []turn{no("freshness", "2"), no("freshness", "3")},
			did: "again 1, again 1", outcome: IsRefused, why: "refused", check: "freshness", next: "torve why T-0001",
		},
		"a conflict gets one repair, then merge_conflict": {
			turns: []turn{
				{check: "freshness", reason: "does not merge", conflicts: []string{"a.txt"}},
				{check: "freshness", reason: "does not merge still", conflicts: []string{"a.txt"}},
			},
			did: "2 repair", outcome: IsRefused, why: "merge_conflict", check: "freshness", next: "torve requeue T-0001",
		},
		"a conflict with the budget gone is merge_conflict": {
			turns: []turn{{check: "freshness", reason: "does not merge", conflicts: []string{"a.txt"}}}, edit: attempts(1),
			outcome: IsRefused, why: "merge_conflict", check: "freshness", next: "torve requeue T-0001",
		},
		"a conflict when due gets one repair": {
			due: []turn{{check: "freshness", reason: "does not merge", conflicts: []string{"a.txt"}}},
			did: "land, 2 repair, land", outcome: IsLanded,
		},
		"reach when due is mended like on arrival": {
			due: []turn{no("reach", "one"), no("reach", "one")}, did: "land, 2 repair, land",
			outcome: IsRefused, why: "refused", check: "reach", next: "torve why T-0001",
		},
		"halted escalates with its reason": {
			turns: []turn{{end: "halted", escalates: "locked_conflict"}}, outcome: IsEscalated, why: "locked_conflict", next: "torve why T-0001",
		},
		"halted without a locked row is underspecified": {
			turns: []turn{{end: "halted"}}, outcome: IsEscalated, why: "underspecified", next: "torve why T-0001",
		},
		"time over is repaired from its tree": {turns: []turn{{end: "time"}}, did: "2 repair, land", outcome: IsLanded},
		"idle is repaired from its tree":      {turns: []turn{{end: "idle"}}, did: "2 repair, land", outcome: IsLanded},
		"time over with nothing kept starts over": {
			turns: []turn{{end: "time", unkept: true}}, did: "2 first, land", outcome: IsLanded,
		},
		"money over is exhausted when nothing is left": {
			turns: []turn{{end: "money", usd: 5}}, outcome: IsEscalated, why: "exhausted", next: "torve why T-0001",
		},
		"time counts, and the budget ends it": {
			turns: []turn{{end: "time"}, {end: "time"}}, edit: attempts(2), did: "2 repair",
			outcome: IsEscalated, why: "exhausted", next: "torve why T-0001",
		},
		"crashed goes on by itself, the third running is killed": {
			turns: []turn{{end: "crashed"}, {end: "crashed"}, {end: "crashed"}}, edit: attempts(1), did: "2 continue, 3 continue",
			outcome: IsEscalated, why: "killed", next: "torve requeue T-0001",
		},
		"stopped by a person is killed": {turns: []turn{{end: "stopped"}}, outcome: IsEscalated, why: "killed", next: "torve requeue T-0001"},
		"isolation broken escalates":    {turns: []turn{{end: "isolation"}}, outcome: IsEscalated, why: "isolation_broken", next: "torve why T-0001"},
		"an agent that is not there is tried three times": {
			turns: []turn{{end: "unavailable"}, {end: "unavailable"}, {end: "unavailable"}}, edit: attempts(1), did: "2 continue, 3 continue",
			outcome: IsEscalated, why: "agent_unavailable", next: "torve doctor",
		},
		"infrastructure is tried three times": {
			turns: []turn{{err: errors.New("the disk is full")}, {err: errors.New("the disk is full")}}, did: "1 first, 1 first, land", outcome: IsLanded,
		},
		"infrastructure escalates after three": {
			turns:   []turn{{err: errors.New("disk")}, {err: errors.New("disk")}, {err: errors.New("disk")}},
			did:     "1 first, 1 first",
			outcome: IsEscalated, why: "infrastructure", next: "torve requeue T-0001",
		},
		"a panic of a hand is that task's infrastructure": {
			turns: []turn{{boom: true}, {boom: true}, {boom: true}}, did: "2 first, 3 first", outcome: IsEscalated, why: "infrastructure", next: "torve requeue T-0001",
		},
		"a panic when landing is tried again": {due: []turn{{boom: true}}, did: "land, land", outcome: IsLanded},
		"a refused push needs a person": {
			due: []turn{{blocked: "origin refuses the push to main", escalate: "push_refused"}}, did: "land",
			outcome: IsEscalated, why: "push_refused", next: "torve requeue T-0001",
		},
		"a lost claim writes nothing": {due: []turn{{lost: true}}, did: "land, land", outcome: IsLanded},
	}
}

func TestWhatFollowsAnEnd(t *testing.T) {
	f, ids := newField(t), map[string]string{}
	for name, c := range endings() {
		id := fmt.Sprintf("T-%04d", len(ids)+1)
		ids[name] = id
		f.mint(id, func(made *contract.Contract) {
			if c.edit != nil {
				c.edit(made)
			}
		})
		f.script[id], f.again[id], f.due[id] = c.turns, c.again, c.due
	}
	r := f.run(Options{Workers: 4})
	for name, c := range endings() {
		t.Run(name, func(t *testing.T) {
			id, o := ids[name], f.outcome(r, ids[name])
			if got := f.short(id); got != c.did {
				t.Errorf("after the first attempt the hands did %q, and %q is wanted", got, c.did)
			}
			next := strings.Replace(c.next, "T-0001", id, 1)
			if o.Outcome != c.outcome || o.Why != c.why || o.Check != c.check || (next != "" && o.Next != next) {
				t.Errorf("the outcome is %+v", o)
			}
			f.ended(t, r, id, c.why)
		})
	}
}

// short is what the hands did for a task after its first attempt, as 2 repair, again 2, land.
func (f *field) short(id string) string {
	var out []string
	for _, d := range f.did {
		word, rest, _ := strings.Cut(d, " ")
		if task, n, _ := strings.Cut(rest, " "); task == id {
			out = append(out, strings.TrimSpace(strings.TrimPrefix(word+" "+n, "attempt ")))
		}
	}
	return strings.Join(out[1:], ", ")
}

// ended asks that the record says what the outcome says, and that no claim is open.
func (f *field) ended(t *testing.T, r Report, id, why string) {
	t.Helper()
	o, task := f.outcome(r, id), f.task(id)
	if task.Claim != nil {
		t.Errorf("%s is still claimed", id)
	}
	switch o.Outcome {
	case IsLanded:
		if task.State != board.Landed || o.Commit == "" {
			t.Errorf("%s is %s, and its outcome is %+v", id, task.State, o)
		}
	case IsRefused, IsEscalated:
		if task.State != board.Escalated || task.Escalation.Reason != why || task.Escalation.Detail == "" || o.Reason != task.Escalation.Detail {
			t.Errorf("%s is %s, %+v, and its outcome is %+v", id, task.State, task.Escalation, o)
		}
		if !r.NeedsPerson() {
			t.Error("the run needs no person")
		}
	}
}

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
	f.script["T-0001"] = []turn{no("reach", "1"), {end: "crashed"}, no("reach", "2")}
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
