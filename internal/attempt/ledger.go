package attempt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/workload"
)

// asked is how an attempt's agent was asked, and what it left: what the ledger's rows repeat,
// whenever the gate is asked about it.
type asked struct {
	start record.Started
	tree  string // what the agent left
	usage record.Usage
}

func askedOf(a board.Attempt) asked {
	return asked{start: a.Started, tree: a.Finished.Tree, usage: a.Finished.Usage}
}

// settings are those of the ledger's rows, in the order in which they are written.
type settings struct {
	Mode     string  `json:"mode"`
	Attempt  int     `json:"attempt"`
	Minutes  float64 `json:"minutes,omitempty"` // absent where another contract is in force by now
	Walls    string  `json:"walls"`
	Contract string  `json:"contract"` // the digest that it was started under
}

// ledgered is a judgement with its row of the ledger: one for an arrival, one for a refusal
// when due. at is the commit that it was asked on. Nothing decides by a row: where it cannot
// be made, people are told, and the judgement stands.
func (s *Station) ledgered(ctx context.Context, p *place, j workload.Judged, at string) record.Judged {
	out := judgedOf(j)
	if j.Moment == workload.Due && j.Verdict.OK {
		return out
	}
	with, err := s.proposed(ctx, p, out, at)
	if err != nil {
		s.note("warn", p.job.Task.ID, p.job.N, "the table proposal has no row of it: "+masked(err.Error()))
		return out
	}
	return with
}

// proposed is a judgement with its row.
func (s *Station) proposed(ctx context.Context, p *place, j record.Judged, at string) (record.Judged, error) {
	if p.asked.start.Agent.Adapter == "" {
		return j, errors.New("the record does not say which agent was asked")
	}
	tick, err := s.Repo.Depth(ctx, at)
	if err != nil {
		return j, fmt.Errorf("finding how far %s had come: %w", s.Settings.Target, err)
	}
	base, err := s.Repo.TreeID(ctx, p.asked.start.Base)
	if err != nil {
		return j, fmt.Errorf("reading the base %s: %w", short(p.asked.start.Base), err)
	}
	j.Row = &record.Proposal{
		Actor: p.job.Task.ID, Tick: tick, Kind: record.Plan, Model: agentName(p.asked.start.Agent), Digest: p.asked.start.Agent.Version,
		Prompt: p.asked.start.Prompt, TokensIn: p.asked.usage.TokensIn, TokensOut: p.asked.usage.TokensOut,
		Grounding: []string{base}, Answer: []byte(p.asked.tree), Verdict: j.Verdict, Failed: j.Check, Reason: j.Reason,
	}
	if j.Moment == workload.Due {
		j.Row.Kind = record.Step
	}
	j.Row.Settings, err = json.Marshal(p.settings())
	return j, err
}

func (p *place) settings() settings {
	start := p.asked.start
	out := settings{Mode: start.Mode, Attempt: p.job.N, Walls: start.Walls, Contract: start.Contract}
	if start.Contract == p.job.Task.Digest {
		out.Minutes = p.job.Task.Contract.Budget.Minutes
	}
	return out
}

// agentName is an agent as people name it: its adapter, and @model where it names one.
func agentName(a record.Agent) string {
	if a.Model == "" {
		return a.Adapter
	}
	return a.Adapter + "@" + a.Model
}

// measured does something while what the ledger says of a commit is found beside it, so that
// it costs no time afterwards.
func (s *Station) measured(ctx context.Context, commit string, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Repo.Depth(ctx, commit)  //nolint:errcheck // remembered when it is found, and asked again when it was not
		s.Repo.TreeID(ctx, commit) //nolint:errcheck // it reads what the next reading finds in memory
	}()
	do()
	<-done
}
