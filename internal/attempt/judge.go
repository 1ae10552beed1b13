package attempt

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/failpoint"
	"torve/internal/gate"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/workload"
)

// gated puts a finished attempt to the gate and says what came of it. Told waits until the
// state file says that it is put there.
func (r *run) gated(ctx context.Context, res Result, e ending, told func()) (Result, error) {
	p := r.placeOf(r.job, r.room.Base, e.kept.tree, e.said.raw)
	p.asked = asked{r.begun, e.kept.tree, usageOf(e.Usage)}
	p.told = told
	p.room = func(context.Context) (*room, error) { return r.room, nil }
	res, err := r.judge(ctx, p, e.said.raw, res)
	if err != nil {
		return res, err
	}
	return res, r.row(context.WithoutCancel(ctx), r.job.Task.ID, r.job.N)
}

// placeOf is the place of an attempt; its room is still to be named.
func (s *Station) placeOf(j Job, base, tree string, raw []byte) *place {
	read, _ := workload.Report(raw, nil)
	return &place{
		Station: s, job: j, base: base, tree: tree, told: func() {},
		lines: gate.Acceptance(j.Task.Contract, s.Settings.Acceptance, rowsOf(j.Task.Rows), read),
	}
}

// judge asks all six on arrival and records the answers. An acceptance run that
// the end of the run cut short is no verdict: the kept tree is asked again later.
func (s *Station) judge(ctx context.Context, p *place, raw []byte, res Result) (Result, error) {
	w := workload.Code(s.asProposal(ctx, p.job, p.base, raw, p.tree), p, s.Settings.Terms)
	j, err := w.Arrive(ctx)
	p.told()
	var broken *Broken
	if errors.As(err, &broken) {
		res.End, res.Why, res.Counts = endIsolation, masked("acceptance: "+broken.Error()), false
		s.moved(p.job.Task.ID, p.job.N, "claimed", res.Why)
		return res, nil
	}
	if err != nil && ctx.Err() != nil {
		res.End, res.Why = interruption(ctx)
		res.Counts = false
		return res, nil
	}
	if err != nil {
		return res, fmt.Errorf("putting %s, attempt %d, to the gate: %w", p.job.Task.ID, p.job.N, err)
	}
	if err := s.recordJudged(context.WithoutCancel(ctx), p, j, p.base); err != nil {
		return res, err
	}
	j.Evidence = p.shown(j, raw)
	res.Judged, res.Evidence = &j, j.Evidence
	return res, nil
}

// recordJudged writes what the six said of a proposal on a commit, and tells people.
func (s *Station) recordJudged(ctx context.Context, p *place, j workload.Judged, at string) error {
	a, err := p.job.about()
	if err != nil {
		return err
	}
	if err := s.append(ctx, a, station(), s.ledgered(ctx, p, j, at)); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AttemptJudged)
	to := "claimed"
	if j.Verdict.OK {
		to = "ready"
	}
	s.moved(p.job.Task.ID, p.job.N, to, j.Moment+": "+masked(j.Verdict.String()))
	s.note("judged", p.job.Task.ID, p.job.N, masked(j.Verdict.String()))
	for _, ran := range j.Acceptance {
		if ran.Flaky && !ran.Again {
			s.note("flaky", p.job.Task.ID, p.job.N, fmt.Sprintf("attempt %d: %s", p.job.N, masked(flakily(ran))))
		}
	}
	return nil
}

// judgedOf is a judgement in the record's words, secrets masked.
func judgedOf(j workload.Judged) record.Judged {
	out := record.Judged{
		Moment: j.Moment, Tree: j.Tree, Head: j.Head, Contract: j.Contract, Verdict: "accepted", Conflicts: j.Conflicts,
	}
	if !j.Verdict.OK {
		out.Verdict, out.Check, out.Reason = "refused", j.Verdict.Failed, masked(j.Verdict.Reason)
	}
	for _, a := range j.Answers {
		out.Checks = append(out.Checks, record.Answer{Check: a.Check, Said: a.Said, Note: masked(a.Note)})
	}
	for _, r := range j.Acceptance {
		out.Acceptance = append(out.Acceptance, record.Ran{
			Line: masked(r.Line), Seconds: r.Seconds, Exit: r.Exit, Output: r.Output, Last: masked(r.Last),
			Tests: r.Tests, Why: masked(r.Why), Tree: r.Tree, Again: r.Again,
			Flaky: r.Flaky, First: masked(r.First),
		})
	}
	return out
}

// row appends an attempt's row of telemetry, rendered from the record; while the gate has
// not been asked about a proposal there is none yet. A row that cannot be written stops
// nothing: the record has the facts.
func (s *Station) row(ctx context.Context, task string, n int) error {
	if s.Settings.Telemetry == "" {
		return nil
	}
	t, err := s.task(ctx, task)
	if err != nil {
		return err
	}
	a := t.Attempt(n)
	if a == nil {
		return fmt.Errorf("the record does not know %s, attempt %d", task, n)
	}
	if row, whole := rowOf(task, *a); whole {
		if err := carrier.AppendRow(s.Settings.Telemetry, row); err != nil {
			s.note("warn", task, n, err.Error())
		}
		failpoint.Hit(failpoint.AttemptRow)
	}
	return nil
}

// rowOf is an attempt's row, once nothing more comes to it.
func rowOf(task string, a board.Attempt) (carrier.Row, bool) {
	row, ended := truth.RowOf(task, a)
	return row, ended && (a.Finished.End != endDone || a.Last() != nil)
}
