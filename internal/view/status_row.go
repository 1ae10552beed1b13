package view

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/truth"
)

// taskRow is one task as its settled state and, where the record holds it, its
// board row say.
func taskRow(r *truth.Reading, s truth.Settled, f facts, row *board.Row) Row {
	out := Row{ID: s.Task(), State: s.State(), Carrier: s.Carrier(), WaitsOn: []string{}, Waits: []Wait{}, Why: s.Because()}
	out.Title, out.Owner, out.Attempts, out.Landing = f.title, f.owner, f.attempts, f.landed
	out.USD, out.USDSource, out.Flaky = f.usd, f.source, lines(f.flaky)
	if t := s.Board(); t != nil {
		out.fromBoard(t)
	} else if h := s.Host(); h != nil {
		out.Agent, out.Host, out.Worktree, out.Since = h.Agent, h.Host, h.Worktree, h.Updated
	}
	if row != nil && s.Carrier() == truth.Board {
		out.State, out.order = row.State, row.Order
		out.wait(row.Waits)
	}
	out.Next = next(r, s, out)
	return out
}

// fromBoard fills what the record alone knows.
func (r *Row) fromBoard(t *board.Task) {
	r.Since, r.budget = t.Since, budgetOf(t)
	if n := len(t.Attempts); n > 0 {
		a := t.Attempts[n-1]
		r.Agent, r.Worktree = agentName(a.Started.Agent.Adapter, a.Started.Agent.Model), a.Started.Worktree
		if a.Finished == nil {
			r.started = a.StartedAt
		}
	}
	if t.Claim != nil {
		r.Host = t.Claim.Host
	}
	if e := t.Escalation; e != nil && t.State == board.Escalated {
		r.Reason, r.Check, r.Why, r.Since = e.Reason, e.Check, e.Detail, e.At
	}
}

// claimed says whether who claimed a task runs it still. What a dead run held is the next
// one's to take up.
func (r *Row) claimed(t *board.Task, died func(*board.Claim) bool) {
	if t == nil || t.Claim == nil {
		return
	}
	gone := died != nil && died(t.Claim)
	r.held, r.died = !gone, gone && slices.Contains(underWay, r.State)
	if r.died {
		r.Why, r.Next = "its run died: the next one takes it up", "torve dispatch"
	}
}

// underWay are the states of a task that a run is at.
var underWay = []board.State{board.Claimed, board.Running, board.Gated, board.Reviewed}

// elsewhere says of a task what of it is in another clone of the record alone.
func (r *Row) elsewhere(ctx context.Context, in *truth.Reading, o Options, s truth.Settled) error {
	switch t := s.Board(); {
	case unpulled(s):
		r.Why, r.Next, r.apart = cmp.Or(o.comes(s.Board()), r.Why), o.brings(), true
	case o.Apart != nil && t != nil && t.Claim == nil && (r.State == board.Queued || r.State == board.Ready):
		why, pull, err := o.Apart(ctx, in, t)
		if err != nil {
			return err
		}
		if why != "" {
			r.Why, r.Next, r.apart = why, "torve why "+r.ID, true
			if pull {
				r.Next = o.brings()
			}
		}
	}
	return nil
}

// unpulled reports whether a task landed from another clone, and nothing of it is here yet.
func unpulled(s truth.Settled) bool {
	return s.State() == board.Landed && s.Carrier() == truth.Board && s.Landing() == nil
}

// wait says what a waiting task waits for, in words without a time of day.
func (r *Row) wait(waits []board.Wait) {
	var words []string
	for _, w := range waits {
		r.Waits = append(r.Waits, Wait{w.For, w.Task, w.Glob, w.Until, w.Person})
		if w.Task != "" && !slices.Contains(r.WaitsOn, w.Task) {
			r.WaitsOn = append(r.WaitsOn, w.Task)
		}
		words = append(words, waitWords(Wait{w.For, w.Task, w.Glob, w.Until, w.Person}, r.Agent, inUTC))
	}
	if len(words) > 0 {
		r.Why = strings.Join(words, "; ")
	}
}

// waitWords says what a task waits for; when says a time.
func waitWords(w Wait, agent string, when func(time.Time) string) string {
	switch w.For {
	case board.ForDependency:
		return "after " + w.Task + " lands"
	case board.ForScope:
		return "scope meets " + w.Task + ": " + w.Glob
	}
	adapter, _, _ := strings.Cut(agent, "@")
	return cmp.Or(adapter, "the agent") + "'s limit, until " + when(w.Until)
}

func inUTC(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func agentName(adapter, model string) string {
	if model == "" {
		return adapter
	}
	return adapter + "@" + model
}
