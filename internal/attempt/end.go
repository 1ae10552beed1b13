package attempt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/failpoint"
	"torve/internal/gate"
	"torve/internal/record"
	"torve/internal/workload"
)

// ending is what an attempt came to, before the gate.
type ending struct {
	agent.Outcome
	end, why string
	kept     kept
	said     said
	changes  []gate.Change
	halt     workload.Halt
}

// ended takes what the agent left: the tree onto its ref before anything else, then
// what it said and how it ended into the record, then the proposal to the gate. A
// context that is over stops none of the first two.
func (r *run) ended(ctx context.Context, before watch, out agent.Outcome) (Result, error) {
	failpoint.Hit(failpoint.AttemptEnded)
	over := context.WithoutCancel(ctx)
	r.room.wild = true
	faults, err := r.broken(over, r.room, r.about, before)
	if err != nil {
		return r.fault(over, out, err)
	}
	e := ending{Outcome: out, end: out.End, why: masked(out.Why)}
	if out.End == endStopped && ctx.Err() != nil {
		e.end, e.why = interruption(ctx)
	}
	if len(faults) > 0 {
		e.end, e.why = endIsolation, masked(strings.Join(faults, "; "))
	}
	if err := r.take(over, &e); err != nil {
		return r.fault(over, out, err)
	}
	if err := r.finish(over, e); err != nil {
		return r.result(e), err
	}
	failpoint.Hit(failpoint.AttemptFinished)
	res := r.result(e)
	if e.end != endDone {
		r.over("claimed", fmt.Sprintf("attempt %d ended %s: %s", r.job.N, e.end, e.why))
		return res, r.row(over, r.job.Task.ID, r.job.N)
	}
	told := beside(func() { r.over("gated", fmt.Sprintf("attempt %d is done and put to the gate", r.job.N)) })
	return r.gated(ctx, res, e, told)
}

// take keeps the tree and reads what the agent says of it. What it wrote a person's git may
// have pruned before a ref held it: then it is taken once more, for the files are there.
func (r *run) take(ctx context.Context, e *ending) error {
	said := *e
	for n := 1; ; n++ {
		*e = said
		err := r.takeOnce(ctx, e)
		if err == nil || n == mostTakes || errors.Is(err, record.ErrMoved) {
			return err
		}
		r.warn("its tree is taken once more: " + err.Error())
	}
}

const mostTakes = 3

func (r *run) takeOnce(ctx context.Context, e *ending) error {
	tree, err := r.files(ctx, r.room)
	if err != nil {
		return err
	}
	if e.said, err = r.account(ctx, r.room, tree, r.job.Task.ID, r.job.N); err != nil {
		return err
	}
	var halted bool
	if e.halt, halted = workload.Halted(r.proposer(ctx, e.said.raw, tree)); halted && e.end == endDone && e.said.ours {
		e.end, e.why = endHalted, masked(oneLine(e.halt.Why))
		if e.why == "" {
			e.why = "the agent halted and did not say why"
		}
	}
	if e.kept, err = r.keep(ctx, r.room, tree, r.person, r.about, r.epitaph(*e)); err != nil {
		return err
	}
	e.changes, _, err = r.outline(ctx, r.room.Base, e.kept.tree)
	return err
}

func (r *run) epitaph(e ending) epitaph {
	return epitaph{
		task: r.job.Task.ID, title: r.job.Task.Contract.Title, n: r.job.N, agent: agentName(r.who), contract: r.job.Task.Digest,
		end: e.end, why: e.why, summary: e.said.summary(), took: e.Took, usage: usageOf(e.Usage),
	}
}

// finish records what the agent says of the decisions, and how it ended.
func (r *run) finish(ctx context.Context, e ending) error {
	by := executor(r.who.Adapter, r.job.N, r.job.Task.ID)
	if err := r.append(ctx, r.about, by, e.said.facts(r.job.Task.Rows)...); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AttemptNoted)
	return r.append(ctx, r.about, station(), record.Finished{
		End: e.end, Exit: e.Exit, Seconds: new(e.Took.Seconds()), Base: r.room.Base,
		Head: e.kept.commit, Tree: e.kept.tree, Ref: e.kept.ref,
		Changes: len(e.changes), Lines: gate.Lines(e.changes),
		Usage: usageOf(e.Usage), Agent: r.who, Regime: r.regime(r.job.Task.Digest, r.who),
		Why: e.why, Summary: e.said.summary(), Output: e.SHA256,
	})
}

// result is the attempt so far, in the words of whoever asked for it.
func (r *run) result(e ending) Result {
	return Result{
		N: r.job.N, End: e.end, Why: e.why, Base: r.room.Base, Kept: e.kept.commit, Ref: e.kept.ref,
		Worktree: r.room.dir, Counts: board.Counts(e.end), Usage: e.Usage, Until: r.until(e),
		Reason: e.halt.Reason,
	}
}

// until is the time that a quota ends, by the agent's own account; zero when it did not say.
func (r *run) until(e ending) time.Time {
	if e.Until.IsZero() && e.After > 0 {
		return r.Now().Add(e.After).UTC()
	}
	return e.Until
}

// fault ends an attempt that the host could not take: it is infrastructure, never
// the agent's failure. The tree is kept if that can still be done.
func (r *run) fault(ctx context.Context, out agent.Outcome, err error) (Result, error) {
	e := ending{Outcome: out, end: endBroken, why: masked(err.Error())}
	tree, keeping := r.files(ctx, r.room)
	if keeping == nil {
		e.kept, keeping = r.keep(ctx, r.room, tree, r.person, r.about, r.epitaph(e))
	}
	if keeping != nil {
		r.warn("the tree stays in " + r.room.dir + ": " + keeping.Error())
	}
	recording := r.finish(ctx, e)
	if recording == nil {
		recording = r.row(ctx, r.job.Task.ID, r.job.N)
	}
	if recording != nil {
		r.warn(recording.Error())
	}
	if errors.Is(recording, record.ErrMoved) { // the state file is the next holder's
		return r.result(e), errors.Join(err, recording)
	}
	r.over("claimed", fmt.Sprintf("attempt %d ended %s: %s", r.job.N, e.end, e.why))
	return r.result(e), err
}

// proposer is the attempt as the gate is asked about it.
func (r *run) proposer(ctx context.Context, raw []byte, tree string) workload.Attempt {
	return r.asProposal(ctx, r.job, r.room.Base, raw, tree)
}

func (s *Station) asProposal(ctx context.Context, j Job, base string, raw []byte, tree string) workload.Attempt {
	rows := rowsOf(j.Task.Rows)
	known := append([]string{}, j.Task.Contract.DependsOn...)
	for _, r := range rows {
		known = append(known, r.ID)
	}
	return workload.Attempt{
		Contract: j.Task.Contract, Digest: j.Task.Digest, Base: base, Report: raw,
		Rows: rows, Known: known, Resolves: s.resolver(ctx, tree),
	}
}

func rowsOf(rows []record.Row) []gate.Row {
	out := make([]gate.Row, 0, len(rows))
	for _, r := range rows {
		out = append(out, gate.Row{ID: r.ID, Grade: r.Grade, Text: r.Text, Check: r.Check, Paths: r.Paths})
	}
	return out
}
