package mint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/record"
	"torve/internal/truth"
)

// step is decide, but that it passes over what no contract and no question asks about.
func (p *pass) step(ctx context.Context, id string) (step, error) {
	st, err := p.decide(ctx, id)
	_, committed := p.r.Contracts[id]
	quiet := st.result.Outcome == Unchanged || st.result.Outcome == Landed
	if quiet && !committed && !slices.Contains(p.named, id) {
		st.result = Result{}
	}
	return st, err
}

// decide says what is to be done about one task. A file that does not read is
// named whatever else is known. Then, what outranks the contract is asked first: a
// landing, then the board, then this host; truth says which of them speaks.
func (p *pass) decide(ctx context.Context, id string) (step, error) {
	settled := p.r.Settled(id)
	if err := settled.Err(); err != nil {
		return step{}, err
	}
	f, committed := p.r.Contracts[id]
	for _, ask := range []func(context.Context, truth.Settled) (Result, error){p.broken, p.landed, p.unmerged} {
		res, err := ask(ctx, settled)
		if err != nil || res.Outcome != "" {
			return step{result: p.said(id, res, settled)}, err
		}
	}
	t := settled.Board()
	onBoard := t != nil && t.Digest != ""
	switch {
	case onBoard && !committed:
		return p.gone(ctx, t)
	case onBoard:
		return p.again(ctx, settled, f)
	case !committed:
		return step{result: p.nowhere(id)}, nil
	case settled.Carrier() == truth.Host:
		return step{result: p.said(id, Result{Outcome: RanHere, Hint: "torve requeue " + id,
			Why: "it ran here and never landed, and the record does not know it"}, settled)}, nil
	}
	return p.mint(ctx, f, t)
}

// landed answers for what has landed: its id is used up. The board says so too where
// the target has moved on since it was read.
func (p *pass) landed(_ context.Context, s truth.Settled) (Result, error) {
	if s.Carrier() != truth.Landing && s.State() != board.Landed && s.State() != board.Reverted {
		return Result{}, nil
	}
	_, committed := p.r.Contracts[s.Task()]
	switch {
	case s.State() == board.Withdrawn: // its landing was removed, and to delete the contract ended it
		return Result{Outcome: Unchanged}, nil
	case s.State() == truth.Removed:
		by, path := s.RemovedBy()
		why := "its landing was removed by " + short(by)
		if by == "" {
			why = fmt.Sprintf("the record has it landed, and %s does not hold its landing file %s", p.r.Target, path)
		}
		return Result{Outcome: Refused, Why: why, Hint: "torve requeue " + s.Task()}, nil
	case s.State() == board.Reverted:
		return Result{Outcome: Landed, Why: "it was reverted: new work takes a new id"}, nil
	}
	if committed && s.Edited() {
		return Result{Outcome: Landed, Why: "its contract was edited since it landed: new work takes a new id"}, nil
	}
	return Result{Outcome: Landed}, nil
}

// broken answers for a file that does not read: the contract on the target or in
// the work tree, or this host's state file, which decides whether it is minted.
func (p *pass) broken(_ context.Context, s truth.Settled) (Result, error) {
	for _, f := range p.r.Faults {
		if f.Task == s.Task() && f.Path == contract.PathOf(f.Task) {
			return fault(f), nil
		}
	}
	if s.State() == truth.Broken {
		return fault(*s.Fault()), nil
	}
	return Result{}, nil
}

func fault(f truth.Fault) Result {
	return Result{Outcome: Broken, Why: f.Err.Error(), Hint: f.Err.Hint}
}

// nowhere answers for a named task that has no contract on the target; one that
// is not named is passed over.
func (p *pass) nowhere(id string) Result {
	if !slices.Contains(p.named, id) {
		return Result{}
	}
	return Result{ID: id, Outcome: Unknown, Hint: "torve status",
		Why: fmt.Sprintf("there is no %s on %s", contract.PathOf(id), p.r.Target)}
}

// gone withdraws a task whose contract is no longer on the target. One that another clone
// minted, and that the target here never had, is not gone.
func (p *pass) gone(ctx context.Context, t *board.Task) (step, error) {
	res := Result{ID: t.ID, Digest: t.Digest, Title: t.Contract.Title}
	why := "its contract is gone from " + p.r.Target
	switch {
	case t.State == board.Withdrawn || t.State == board.Abandoned || t.State == board.Landed || t.State == board.Reverted:
		res.Outcome = Unchanged
		return step{result: res}, nil
	}
	switch here, err := p.held.Contract(ctx, t); {
	case err != nil:
		return step{}, err
	case !here:
		res.Outcome, res.Why, res.Hint = Unchanged, p.held.Unpulled(t), p.brings()
		return step{result: res}, nil
	case t.InFlight():
		res.Outcome, res.Why = InFlight, why+", and it is "+string(t.State)+": it is withdrawn when that has ended"
		return step{result: res}, nil
	}
	res.Outcome, res.Why = Withdrawn, why
	return step{result: res, last: t.Last, events: []record.Payload{record.Withdrawn{Commit: p.r.Head, Why: why}}}, nil
}

// brings is the command that brings here what another clone pushed to the target.
func (p *pass) brings() string {
	if remote, ok := strings.CutPrefix(p.Sources.Ref, "refs/remotes/"); ok {
		return "git fetch " + strings.TrimSuffix(remote, "/"+p.r.Target)
	}
	return "git pull"
}

// again answers for a contract that was minted before.
func (p *pass) again(ctx context.Context, s truth.Settled, f truth.File) (step, error) {
	t := s.Board()
	res := Result{ID: t.ID, Digest: f.Digest, Title: f.Contract.Title}
	same, withdrawn := !s.Edited(), t.State == board.Withdrawn
	here, err := true, error(nil)
	if !same {
		if here, err = p.held.Contract(ctx, t); err != nil {
			return step{}, err
		}
	}
	switch {
	case same && !withdrawn:
		res.Outcome = Unchanged
	case !same && !here:
		res.Outcome, res.Why, res.Hint = Elsewhere, p.held.Unpulled(t), p.brings()
	case withdrawn && !same:
		res.Outcome = Refused
		res.Why = fmt.Sprintf("it was withdrawn as %s, and this is %s: an id is never used again", short(t.Digest), short(f.Digest))
		res.Hint = fmt.Sprintf("git checkout %s -- %s", short(t.Commit), t.Path)
	case same:
		return p.mint(ctx, f, t)
	case t.InFlight():
		res.Outcome, res.Changed = InFlight, contract.Changed(t.Contract, f.Contract)
		res.Why = fmt.Sprintf("it is %s: the edit (%s) is minted when that has ended", t.State, strings.Join(res.Changed, ", "))
	default:
		return p.remint(ctx, f, t)
	}
	return step{result: res}, nil
}

// mint brings a new contract into force, or one that comes back.
func (p *pass) mint(ctx context.Context, f truth.File, t *board.Task) (step, error) {
	st, facts, err := p.force(ctx, f)
	if err != nil || st.result.Outcome != "" {
		return st, err
	}
	if t != nil {
		st.last = t.Last
	}
	st.result.Outcome, st.events = Minted, []record.Payload{facts}
	return st, nil
}

// remint brings an edited contract into force in place of the one before.
func (p *pass) remint(ctx context.Context, f truth.File, t *board.Task) (step, error) {
	st, m, err := p.force(ctx, f)
	if err != nil || st.result.Outcome != "" {
		return st, err
	}
	st.last = t.Last
	st.result.Outcome, st.result.Changed = Reminted, contract.Changed(t.Contract, f.Contract)
	st.events = []record.Payload{record.Reminted{Digest: m.Digest, Contract: m.Contract, Owner: m.Owner, Path: m.Path, Blob: m.Blob,
		Commit: m.Commit, Decisions: m.Decisions, Was: t.Digest, Changed: st.result.Changed}}
	return st, nil
}

// force asks what must hold before a contract comes into force, and says what
// then does: the contract whole, its owner, and the decisions that bind it.
func (p *pass) force(ctx context.Context, f truth.File) (step, record.Minted, error) {
	c := f.Contract
	st := step{result: Result{ID: c.ID, Digest: f.Digest, Title: c.Title}}
	if res := p.refusal(c); res.Outcome != "" {
		st.result.Outcome, st.result.Why, st.result.Hint = res.Outcome, res.Why, res.Hint
		return st, record.Minted{}, nil
	}
	owner, err := p.owner(ctx, f)
	return st, record.Minted{Digest: f.Digest, Contract: c.Canonical(), Owner: owner, Path: f.Path, Blob: f.Blob,
		Commit: p.r.Head, Decisions: p.corpus.rows(c)}, err
}

// said names the task of a result that another asked for.
func (p *pass) said(id string, res Result, s truth.Settled) Result {
	res.ID = id
	if f := s.File(); f != nil && res.Title == "" {
		res.Title, res.Digest = f.Contract.Title, f.Digest
	}
	return res
}

func prefix(id string) string {
	before, _, _ := strings.Cut(id, "-")
	return before
}
