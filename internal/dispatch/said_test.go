package dispatch

import (
	"testing"

	"torve/internal/board"
	"torve/internal/contract"
)

func TestATaskThatNoAgentIsSetForIsNamedAndNotTakenUp(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.mint("T-0002", func(c *contract.Contract) { c.Agent = contract.Agents{"mine"} })
	r := f.run(Options{Missing: func(agent string) string {
		if agent != "mine" {
			return "no agent is set for it"
		}
		return ""
	}})
	f.wants("attempt T-0002 1 first", "land T-0002")
	if len(r.Broken) != 1 || r.Broken[0] != "T-0001: no agent is set for it" || r.Worst.Tasks != 1 {
		t.Errorf("broken %q, worst %+v", r.Broken, r.Worst)
	}
	if task := f.task("T-0001"); task.State != board.Queued || len(r.Waits) != 1 || r.Waits[0].Reason != "no agent is set for it" {
		t.Errorf("it is %s, waits %+v", task.State, r.Waits)
	}
}

func TestAnAttemptThatEndsWithoutAVerdictIsSaid(t *testing.T) {
	f := newField(t)
	f.mint("T-0001", func(c *contract.Contract) { c.Budget.Minutes = 30 })
	f.script["T-0001"] = []turn{{end: "idle"}}
	f.run(Options{})
	if n := f.noted("ended"); len(n) != 1 || n[0].Task != "T-0001" || n[0].Attempt != 1 {
		t.Errorf("said %+v", n)
	}
	if n := f.noted("started"); len(n) != 2 || n[0].Limit.Minutes() != 30 {
		t.Errorf("started %+v", n)
	}
}

func TestWhatNeedsAPersonAndWasNotActedOnIsCounted(t *testing.T) {
	f := newField(t)
	f.mint("T-0001")
	f.script["T-0001"] = []turn{no("law", "one")}
	if r := f.run(Options{}); r.Person != 0 || !r.NeedsPerson() {
		t.Errorf("the first run: %+v", r)
	}
	if r := f.run(Options{}); r.Person != 1 || len(r.Outcomes) != 0 || r.NeedsPerson() {
		t.Errorf("the second run: %+v", r)
	}
}

func TestTheSourceOfAFigureIsToldWhereItIsOne(t *testing.T) {
	for _, c := range []struct {
		was, now string
		before   bool
		want     string
	}{
		{"", "reported", false, "reported"}, {"reported", "reported", true, "reported"}, {"reported", "notional", true, ""}, {"", "reported", true, ""},
	} {
		if got := mixed(c.was, c.now, c.before); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
