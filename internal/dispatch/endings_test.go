package dispatch

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"torve/internal/board"
	"torve/internal/contract"
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

func attempts(n int) func(*contract.Contract) {
	return func(c *contract.Contract) { c.Budget.Attempts = n }
}

// refusals are endings of what the gate judged.
func refusals() map[string]ending {
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
		"a reason that differs only in its counts and times is the same": {
			turns: []turn{no("reach", "x exited 1: 2 failed in 0.3s"), no("reach", "x exited 1: 1 failed in 1.2s")}, did: "2 repair",
			outcome: IsRefused, why: "refused", check: "reach", next: "torve why T-0001",
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
	}
}

// others are endings of what it did not.
func others() map[string]ending {
	return map[string]ending{
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
		"isolation that acceptance broke escalates, unjudged": {
			turns: []turn{{broke: true}}, outcome: IsEscalated, why: "isolation_broken", next: "torve why T-0001",
		},
		"an agent that is not there is tried three times": {
			turns: []turn{{end: "unavailable"}, {end: "unavailable"}, {end: "unavailable"}}, edit: attempts(1), did: "2 continue, 3 continue",
			outcome: IsEscalated, why: "agent_unavailable", next: "torve agents",
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
	f, ids, all := newField(t), map[string]string{}, refusals()
	maps.Copy(all, others())
	for name, c := range all {
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
	for name, c := range all {
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
