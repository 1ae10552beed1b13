package attempt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/workload"
)

// Again puts a kept tree to the gate once more, with no agent: a further
// gate.judged of the same attempt, under the contract in force.
func (s *Station) Again(ctx context.Context, j Job, of board.Attempt) (Result, error) {
	ctx, cancel := stoppable(ctx, j.Stop)
	defer cancel(nil)
	j.N = of.N
	slot, free := s.slots.take()
	defer free()
	p, raw, err := s.keptPlace(ctx, j, of, slot, true)
	if err != nil {
		return Result{N: of.N}, err
	}
	f := of.Finished
	res, err := s.judge(ctx, p, raw, Result{
		N: of.N, End: f.End, Why: f.Why, Base: f.Base, Kept: f.Head, Ref: f.Ref, Worktree: of.Started.Worktree,
		Usage: agent.Usage{TokensIn: f.Usage.TokensIn, TokensOut: f.Usage.TokensOut, USD: f.Usage.USD, Source: f.Usage.Source},
	})
	if err == nil && res.Judged != nil && of.Last() == nil { // its first word: the row waited for it
		err = s.row(context.WithoutCancel(ctx), j.Task.ID, of.N)
	}
	return res, err
}

// Due asks the last two checks of an accepted attempt over the merge with head, and
// records the answer. It is what landing is handed.
func (s *Station) Due(ctx context.Context, j Job, of board.Attempt, head string) (workload.Judged, error) {
	ctx, cancel := stoppable(ctx, j.Stop)
	defer cancel(nil)
	j.N = of.N
	slot, free := s.slots.take()
	defer free()
	p, raw, err := s.keptPlace(ctx, j, of, slot, false)
	if err != nil {
		return workload.Judged{}, err
	}
	w := workload.Code(s.asProposal(ctx, j, p.base, raw, p.tree), p, s.Settings.Terms)
	judged, err := w.Due(ctx, head)
	if err != nil {
		return judged, fmt.Errorf("asking %s, attempt %d, on %s: %w", j.Task.ID, of.N, short(head), err)
	}
	judged.Evidence = p.shown(judged, raw)
	return judged, s.recordJudged(context.WithoutCancel(ctx), p, judged, head)
}

// keptPlace is the place of a kept tree: its own room where that is still what it
// was, else a new one. Asked anew, work that the target outlived is cut again on the head.
func (s *Station) keptPlace(ctx context.Context, j Job, of board.Attempt, slot int, anew bool) (*place, []byte, error) {
	f := of.Finished
	if f == nil || f.Head == "" {
		return nil, nil, fmt.Errorf("%s, attempt %d, has no kept tree", j.Task.ID, of.N)
	}
	raw, err := s.accountOf(ctx, j, of)
	if err != nil {
		return nil, nil, err
	}
	p := s.placeOf(j, f.Base, f.Tree, raw)
	head, err := p.target(ctx)
	if err != nil {
		return nil, nil, err
	}
	at, err := s.stands(ctx, of, anew, head)
	if err != nil {
		return nil, nil, err
	}
	p.base, p.tree, p.passed, p.asked = at.base, at.tree, of.Judged, askedOf(of)
	var r *room
	p.room = func(ctx context.Context) (*room, error) {
		if r == nil {
			r, err = s.reopen(ctx, j, of, slot)
		}
		return r, err
	}
	return p, raw, nil
}

// accountOf is what the agent said: the files in its room, else what the record has.
func (s *Station) accountOf(ctx context.Context, j Job, of board.Attempt) ([]byte, error) {
	r := roomAt(of.Started.Worktree)
	_, err := os.Lstat(r.side)
	if err == nil {
		a, err := s.account(ctx, r, of.Finished.Tree, j.Task.ID, of.N)
		return a.raw, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for what the agent said: %w", err)
	}
	a, err := s.judgeAccount(ctx, nil, entriesOf(j.Task.Log, of.N), of.Finished.Tree, j.Task.ID)
	return a.raw, err
}

// entriesOf are an attempt's entries as its agent wrote them.
func entriesOf(log []board.Noted, n int) []carrier.Divergence {
	var out []carrier.Divergence
	for _, d := range log {
		if d.Attempt == n {
			out = append(out, carrier.Divergence{
				Decision: d.Decision, Claim: d.Claim, Evidence: d.Evidence, Action: d.Action, Why: d.Why, Proposal: d.Proposal,
			})
		}
	}
	return out
}

// reopen gives a room of the attempt that is still what the host left, and a new
// one, furnished, where there is none: they are gone or do not verify.
func (s *Station) reopen(ctx context.Context, j Job, of board.Attempt, slot int) (*room, error) {
	rooms, err := s.rooms(j.Task.ID, of.N)
	if err != nil {
		return nil, err
	}
	for _, m := range rooms {
		if m.n == of.N && m.lost == nil && !m.Going && !m.Stripped && s.same(ctx, m.room, of.Finished) {
			m.slot = slot
			return m.room, nil
		}
	}
	by, err := j.about()
	if err != nil {
		return nil, err
	}
	r, err := s.fresh(ctx, by, of.Finished.Base)
	if err != nil {
		return nil, err
	}
	r.slot = slot
	red, err := s.furnish(ctx, r, j.Task.ID, of.N)
	if err == nil && red != nil {
		err = fmt.Errorf("setting a worktree up for %s, attempt %d: %s %s", j.Task.ID, of.N, red.Line, red.Why)
	}
	if err != nil {
		return nil, errors.Join(err, s.clear(context.WithoutCancel(ctx), r))
	}
	return r, nil
}

// same reports whether a room is still what the host left: its link, its HEAD, and
// its files, which are the kept tree or what acceptance left of them.
func (s *Station) same(ctx context.Context, r *room, f *record.Finished) bool {
	link, err := os.ReadFile(r.dir + "/.git")
	if err != nil || string(link) != r.Link || r.Base != f.Base {
		return false
	}
	head, branch, err := s.standing(ctx, r)
	if err != nil || head != f.Base || branch != "" {
		return false
	}
	return s.untouched(ctx, r, f.Tree)
}

// untouched reports whether the files of a room are held: by the kept tree, or as
// the host itself left them.
func (s *Station) untouched(ctx context.Context, r *room, tree string) bool {
	if err := s.sweep(ctx, r); err != nil {
		return false
	}
	if r.Left != "" || r.Next != "" {
		left, err := s.Repo.Snapshot(ctx, r.dir, r.Base, nil)
		if err == nil && (left == r.Left || left == r.Next) {
			return true
		}
	}
	now, err := s.files(ctx, r)
	return err == nil && now == tree
}
