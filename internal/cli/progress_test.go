package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"torve/internal/attempt"
	"torve/internal/dispatch"
	"torve/internal/git/gittest"
)

// told prints what a run's notes come to.
func told(t *testing.T, change func(*app), notes func(*progress)) string {
	t.Helper()
	was := time.Local
	time.Local = time.FixedZone("CET", 3600)
	defer func() { time.Local = was }()
	var out bytes.Buffer
	a := &app{out: &out, err: &out, now: func() time.Time { return time.Date(2026, 12, 3, 2, 0, 0, 0, time.UTC) },
		env: func(name string) string { return map[string]string{"LANG": "C.UTF-8"}[name] }}
	change(a)
	p := newProgress(a)
	notes(p)
	p.close()
	return out.String()
}

func night1(p *progress) {
	five := time.Date(2026, 12, 3, 4, 10, 0, 0, time.UTC)
	p.dispatch(dispatch.Note{Kind: "minted", Task: "T-0001", Text: "minted    T-0001  1f3c9ab  Answer 404 for an unknown order"})
	p.dispatch(dispatch.Note{Kind: "started", Task: "T-0001", Text: "attempt 1 by claude (first)", Limit: 30 * time.Minute})
	p.attempt(attempt.Note{Kind: "base", Text: "main 9c41e07: acceptance passes, 19 s"})
	p.attempt(attempt.Note{Kind: "started", Task: "T-0001", Text: "claude"})
	p.attempt(attempt.Note{Kind: "judged", Task: "T-0001", Text: "refused by reach: go test ./... exited 1: TestUnknown"})
	p.attempt(attempt.Note{Kind: "warn", Task: "T-0001", Text: "the worktree stays"})
	p.dispatch(dispatch.Note{Kind: "refused", Task: "T-0001", Text: "attempt 1, reach: go test ./... exited 1: TestUnknown"})
	p.dispatch(dispatch.Note{Kind: "ended", Task: "T-0002", Text: "attempt 1, idle: it printed nothing for 10m0s"})
	p.dispatch(dispatch.Note{Kind: "retry", Task: "T-0003", Text: "index.lock is there; again in 2s"})
	p.dispatch(dispatch.Note{Kind: "refused", Task: "T-0004", Text: "attempt 1, law: change 4: mail/cart.go, which is long, is outside scope.allow cart/**"})
	p.dispatch(dispatch.Note{Kind: "escalated", Task: "T-0004", Text: "scope: change 4: mail/cart.go, which is long, is outside scope.allow cart/**"})
	p.dispatch(dispatch.Note{Kind: "escalated", Task: "T-0003", Text: "agent_unavailable: the program claude is not on the PATH"})
	p.dispatch(dispatch.Note{Kind: "waits", Task: "T-0005", Text: "the agent's limit", Until: five})
	p.dispatch(dispatch.Note{Kind: "waits", Task: "T-0006", Text: "base 9c41e07 is red: sh test.sh exited 1"})
	p.dispatch(dispatch.Note{Kind: "waits", Task: "T-0007", Text: "base 9c41e07 is red: sh test.sh exited 1"})
	p.dispatch(dispatch.Note{Kind: "ready", Task: "T-0008", Text: "attempt 1 is accepted; landings are by hand here"})
	p.dispatch(dispatch.Note{Kind: "blocked", Task: "T-0009", Text: "orders/get.go is changed in /home/you/shop"})
	cost := 0.41
	p.dispatch(dispatch.Note{Kind: "landed", Task: "T-0001", Text: "attempt 2 as 4e1f0aa", Out: dispatch.Outcome{ID: "T-0001", Attempts: 2, Seconds: new(240.0), USD: &cost}})
	p.dispatch(dispatch.Note{Kind: "landed", Task: "T-0010", Text: "attempt 1 as 77ab310", Out: dispatch.Outcome{ID: "T-0010", Attempts: 1, Seconds: new(3.0), Unknown: 1}})
	p.dispatch(dispatch.Note{Kind: "landed", Task: "T-0011", Text: "attempt 1 as 1b90c3d", Out: dispatch.Outcome{ID: "T-0011"}})
	p.dispatch(dispatch.Note{Kind: "warn", Text: "landed in git and not in the record; it is there now: T-0012"})
}

func TestARunSaysEachThingOnceAndInItsPlace(t *testing.T) {
	s := &stage{Repo: gittest.At(t, "/nowhere"), t: t}
	s.verbatim("progress.txt", told(t, func(*app) {}, night1))
	s.verbatim("progress-verbose.txt", told(t, func(a *app) { a.verbose = true }, night1))
	if got := told(t, func(a *app) { a.quiet = true }, night1); got != "" {
		t.Errorf("quiet, and it says %s", got)
	}
	if got := told(t, func(a *app) { a.json = true }, night1); strings.Contains(strings.ReplaceAll(got, "torve: ", ""), "landed    ") {
		t.Errorf("beside a document it says %s", got)
	}
}

func TestTheFirstInterruptSaysHowLongAtMost(t *testing.T) {
	told(t, func(*app) {}, func(p *progress) {
		if got := p.atMost(); got != "" {
			t.Errorf("nothing runs: %q", got)
		}
		p.dispatch(dispatch.Note{Kind: "started", Task: "T-0001", Text: "attempt 1", Limit: 20 * time.Minute})
		p.dispatch(dispatch.Note{Kind: "started", Task: "T-0002", Text: "attempt 1", Limit: 90 * time.Minute})
		p.attempt(attempt.Note{Kind: "judged", Task: "T-0002", Text: "accepted"})
		if got := p.atMost(); got != ", at most 1 h 30 min an agent" {
			t.Errorf("%q", got)
		}
		p.dispatch(dispatch.Note{Kind: "refused", Task: "T-0002", Text: "attempt 1, law: no"})
		if got := p.atMost(); got != ", at most 20 min an agent" {
			t.Errorf("%q", got)
		}
	})
}

func TestTheWorstCaseIsSaidInOneLine(t *testing.T) {
	for _, c := range []struct {
		w    dispatch.Worst
		want string
	}{
		{dispatch.Worst{Tasks: 1, Workers: 1, Attempts: 3, Minutes: 90, USD: 5, Agents: []string{"claude"}}, "1 task by claude · at most 3 attempts, $5.00"},
		{dispatch.Worst{Tasks: 4, Workers: 2, Attempts: 12, Minutes: 360, USD: 20, Agents: []string{"claude", "mine"}, Unpriced: true}, "4 tasks by claude, mine, 2 at once · at most 12 attempts, 6 h in all"},
		{dispatch.Worst{Tasks: 2, Workers: 1, Agents: []string{"mine"}, Unbounded: true}, "2 tasks by mine · no limit: a budget says 0"},
	} {
		if got := worst(c.w); got != c.want {
			t.Errorf("%q, and %q was expected", got, c.want)
		}
	}
}

func TestWhatAPersonIsToKnowIsSaidOnceBeforeAnAgentStarts(t *testing.T) {
	w := dispatch.Worst{Tasks: 1, Workers: 1, Attempts: 3, Minutes: 90, Agents: []string{"mine"}, Unpriced: true, Everything: []string{"T-0001"}}
	got := told(t, func(*app) {}, func(p *progress) {
		s := &session{a: p.a, cfg: defaultConfig()}
		s.sayBegin(p, w, ".torve/config.yaml is not as on main: acceptance")
	})
	want := `1 task by mine · at most 3 attempts, 1 h 30 min in all
cost unknown: held by minutes and attempts
walls     none: the agent runs as you, and only its worktree is its own
settings  .torve/config.yaml is not as on main: acceptance
no repository acceptance: only each contract's own lines are asked
T-0001 has a scope of everything: nothing runs beside it
`
	if got != want {
		t.Errorf("%s", got)
	}
}
