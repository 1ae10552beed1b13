package view

import (
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/truth"
)

// Attempt is one attempt as the record has it.
type Attempt struct {
	N          int          `json:"n"`
	From       string       `json:"from"` // the kept commit that it went on from; "" when it began afresh
	Mode       string       `json:"mode"` // first, repair, fresh or continue
	Agent      record.Agent `json:"agent"`
	Base       string       `json:"base"`
	Started    time.Time    `json:"started"`
	Ended      time.Time    `json:"ended,omitzero"`
	Seconds    *float64     `json:"seconds"` // null: unknown, or it still runs
	TokensIn   *int64       `json:"tokens_in"`
	TokensOut  *int64       `json:"tokens_out"`
	USD        *float64     `json:"usd"`
	USDSource  string       `json:"usd_source"`
	Walls      string       `json:"walls"`
	Ref        string       `json:"ref"`
	End        string       `json:"end"` // "" while it runs
	Why        string       `json:"why"` // the end in one sentence, when it is not done
	Verdict    string       `json:"verdict"`
	Check      string       `json:"check"`
	Reason     string       `json:"reason"`
	Checks     []Check      `json:"checks"`
	Acceptance []record.Ran `json:"acceptance"`

	flaky []flakyLine // of either moment
}

// Check is one check's answer at one moment.
type Check struct {
	Moment string `json:"moment"`
	Check  string `json:"check"`
	Said   string `json:"said"`
	Note   string `json:"note"`
}

// attempted fills the attempts and their divergences from the record; where it
// does not hold the task there are none.
func (a *WhyAnswer) attempted(s truth.Settled, _ facts) {
	t := s.Board()
	if t == nil {
		return
	}
	for i := range t.Attempts {
		a.Attempts = append(a.Attempts, attemptOf(&t.Attempts[i]))
	}
	a.Divergences = append(a.Divergences, truth.EntriesOf(t)...)
}

func attemptOf(b *board.Attempt) Attempt {
	a := Attempt{
		N: b.N, From: b.Started.From, Mode: b.Started.Mode, Agent: b.Started.Agent, Base: b.Started.Base, Started: b.StartedAt,
		Walls: b.Started.Walls, USDSource: "unknown", Verdict: "none", Checks: []Check{}, Acceptance: []record.Ran{},
	}
	if f := b.Finished; f != nil {
		a.Agent, a.Base, a.Ended, a.Seconds, a.Ref, a.End, a.Why = f.Agent, f.Base, b.FinishedAt, f.Seconds, f.Ref, f.End, f.Why
		a.TokensIn, a.TokensOut, a.USD, a.USDSource = f.Usage.TokensIn, f.Usage.TokensOut, f.Usage.USD, f.Usage.Source
	}
	if j := b.Last(); j != nil {
		a.Verdict, a.Check, a.Reason = j.Verdict, j.Check, j.Reason
	}
	for _, moment := range record.Moments {
		a.said(b.Judged, moment)
	}
	return a
}

// said takes the last answers of a moment. A due moment before the last arrival
// belongs to an older asking.
func (a *Attempt) said(judged []board.Judging, moment string) {
	for _, j := range slices.Backward(judged) {
		if j.Moment != moment {
			if moment == "due" && j.Moment == "arrival" {
				return
			}
			continue
		}
		for _, c := range j.Checks {
			a.Checks = append(a.Checks, Check{moment, c.Check, c.Said, c.Note})
		}
		if len(j.Acceptance) > 0 {
			a.Acceptance = j.Acceptance
			a.flaky = flakyOf(a.flaky, j.Acceptance, ranFlaky)
		}
		return
	}
}

// checksOf are the answers that a landing file carries.
func checksOf(g *carrier.Gate) []Check {
	if g == nil {
		return nil
	}
	out := make([]Check, 0, len(g.Checks))
	for _, c := range g.Checks {
		out = append(out, Check(c))
	}
	return out
}
