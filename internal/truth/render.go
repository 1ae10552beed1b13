package truth

import (
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
)

// RowOf is an attempt's row of telemetry, rendered from attempt.started,
// attempt.finished and the first gate.judged of its arrival; false while it runs.
func RowOf(task string, a board.Attempt) (carrier.Row, bool) {
	f := a.Finished
	if f == nil {
		return carrier.Row{}, false
	}
	r := carrier.Row{
		Schema: carrier.TelemetrySchema, At: a.FinishedAt.UTC().Truncate(time.Second), Task: task, Attempt: a.N,
		Base: f.Base, Head: f.Head, Agent: carrier.Agent(f.Agent), Regime: f.Regime, Verdict: "none",
		Seconds: f.Seconds, TokensIn: f.Usage.TokensIn, TokensOut: f.Usage.TokensOut, USD: f.Usage.USD,
		Source: f.Usage.Source,
	}
	at := slices.IndexFunc(a.Judged, func(j board.Judging) bool { return j.Moment == "arrival" })
	if at >= 0 {
		r.Verdict, r.Check, r.Reason = a.Judged[at].Verdict, a.Judged[at].Check, a.Judged[at].Reason
	}
	return r, true
}

// EntriesOf is a task's divergences as log and landing hold them.
func EntriesOf(t *board.Task) []carrier.Entry {
	out := make([]carrier.Entry, 0, len(t.Log))
	for _, n := range t.Log {
		out = append(out, carrier.Entry{
			Decision: n.Decision, Grade: n.Grade, Claim: n.Claim, Evidence: n.Evidence, Action: n.Action,
			Why: n.Why, Proposal: n.Proposal, Attempt: n.Attempt, At: n.At.UTC().Truncate(time.Second),
		})
	}
	return out
}

// LogOf is a task's log over the base that its attempt was cut from. It is
// written only when it has an entry.
func LogOf(t *board.Task, base string) carrier.Log {
	return carrier.Log{Schema: carrier.LogSchema, Task: t.ID, Base: base, Entries: EntriesOf(t)}
}

// Facts are what only the landing itself knows.
type Facts struct {
	At       time.Time
	Target   string
	Onto     string         // the head it lands on
	Work     string         // W
	Tree     string         // G
	Due      *record.Judged // the answers of the due moment; nil when attested
	Attested string         // the person, when no gate judged it
}

// LandingOf is a task's landing, rendered from the record; a is the attempt whose
// work lands, the zero attempt when a person attests it.
func LandingOf(t *board.Task, a board.Attempt, f Facts) carrier.Landing {
	l := carrier.Landing{
		Schema: carrier.LandingSchema, Task: t.ID, Title: t.Contract.Title, Owner: t.Owner, Spec: t.Contract.Spec,
		Attempt: a.N, At: f.At.UTC().Truncate(time.Second), Target: f.Target, Base: a.Started.Base, Onto: f.Onto,
		Commit: f.Work, Tree: f.Tree, Contract: t.Digest, Agent: carrier.Agent(a.Started.Agent), Walls: a.Started.Walls,
		Intent: t.Contract.Intent, Scope: carrier.Scope{Allow: t.Contract.Scope.Allow, Deny: t.Contract.Scope.Deny},
		Decisions: decisionsOf(t), Entries: EntriesOf(t), Attested: f.Attested, Spent: spentOf(t),
	}
	if a.Finished != nil {
		l.Base, l.Agent = a.Finished.Base, carrier.Agent(a.Finished.Agent)
	}
	if f.Attested == "" {
		l.Gate = gateOf(a, f.Due)
	}
	if t.Contract.Role == "revert" {
		l.Reverts = t.Contract.Targets
	}
	return l
}

func decisionsOf(t *board.Task) []carrier.Decision {
	out := make([]carrier.Decision, 0, len(t.Rows))
	for _, r := range t.Rows {
		out = append(out, carrier.Decision{ID: r.ID, Grade: r.Grade, Text: r.Text})
	}
	return out
}

// spentOf is what the whole task cost. A figure of which a part is unknown is
// unknown as a whole.
func spentOf(t *board.Task) carrier.Spent {
	s := board.Spent(t)
	usd, source := s.Total()
	out := carrier.Spent{Attempts: s.Attempts, Refused: s.Refused, Seconds: s.Time(), USD: usd, Source: source}
	if s.Tokenless == 0 {
		out.TokensIn, out.TokensOut = s.TokensIn, s.TokensOut
	}
	return out
}

// gateOf is what the six said on the last arrival and when due, and the
// acceptance as it ran last over the tree that lands.
func gateOf(a board.Attempt, due *record.Judged) *carrier.Gate {
	g := &carrier.Gate{Checks: []carrier.Answer{}, Acceptance: []carrier.Ran{}}
	var moments []record.Judged
	for i := len(a.Judged) - 1; i >= 0; i-- {
		if a.Judged[i].Moment == "arrival" {
			moments = append(moments, a.Judged[i].Judged)
			break
		}
	}
	if due != nil {
		moments = append(moments, *due)
	}
	for _, m := range moments {
		for _, c := range m.Checks {
			g.Checks = append(g.Checks, carrier.Answer{Moment: m.Moment, Check: c.Check, Said: c.Said, Note: c.Note})
			if m.Moment == "arrival" && c.Said != "-" {
				g.Asked++
			}
		}
		if len(m.Acceptance) > 0 {
			g.Acceptance = ransOf(m.Acceptance)
		}
	}
	return g
}

func ransOf(rans []record.Ran) []carrier.Ran {
	out := make([]carrier.Ran, 0, len(rans))
	for _, r := range rans {
		out = append(out, carrier.Ran{
			Line: r.Line, Seconds: r.Seconds, Exit: r.Exit, Output: r.Output, Tests: r.Tests, Flaky: r.Flaky, First: r.First,
		})
	}
	return out
}
