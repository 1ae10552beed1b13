package workload

import (
	"context"
	"fmt"

	"torve/internal/gate"
	"torve/internal/seam"
)

// Code is the workload of a code attempt in a place.
func Code(a Attempt, p Place, t gate.Terms) Workload { return code{a, p, t} }

type code struct {
	attempt Attempt
	place   Place
	terms   gate.Terms
}

// Proposal is what is put to the seam: the changes as the host took them, the
// report, and what was stored with the attempt.
func Proposal(a Attempt, changes []gate.Change) gate.Proposal {
	report, _ := Report(a.Report, a.Resolves)
	return gate.Proposal{
		Contract: a.Contract, Digest: a.Digest, Changes: changes, Report: report,
		Base: a.Base, Rows: a.Rows, Known: a.Known, Pack: a.Pack,
	}
}

// Arrive asks all six of the whole proposal. The place is read only after four
// yeses; a place that cannot be read is an error and no verdict.
func (c code) Arrive(ctx context.Context) (Judged, error) {
	if _, halted := Halted(c.attempt); halted {
		return Judged{}, ErrHalted
	}
	changes, err := c.place.Changes(ctx)
	if err != nil {
		return Judged{}, fmt.Errorf("take the changes: %w", err)
	}
	p := Proposal(c.attempt, changes)
	j := Judged{Moment: Arrival, Contract: p.Digest}
	var r gate.Reading
	j.Verdict, j.Asked, err = gate.Code(c.terms).Arrive(p, func() (gate.Reading, error) {
		var err error
		r, j.Tree, err = c.place.Arrival(ctx)
		return r, err
	})
	if err != nil {
		return Judged{}, fmt.Errorf("read the place: %w", err)
	}
	return c.answered(j, p, r), nil
}

// Due asks the last two again over the place as head stands, and gives the tree
// that would land. Where head and work do not merge there is none: arrival's
// answer to reach stands, with nothing run, and freshness refuses.
func (c code) Due(ctx context.Context, head string) (Judged, error) {
	changes, err := c.place.Changes(ctx)
	if err != nil {
		return Judged{}, fmt.Errorf("take the changes: %w", err)
	}
	r, tree, err := c.place.Due(ctx, head)
	if err != nil {
		return Judged{}, fmt.Errorf("read the place at %s: %w", gate.Short(head), err)
	}
	p := Proposal(c.attempt, changes)
	j := Judged{Moment: Due, Contract: p.Digest, Tree: tree, Asked: len(seam.Checks)}
	j.Verdict = gate.Code(c.terms).Due(1, p, r)
	if j.Verdict.Failed == seam.OnReach {
		j.Asked--
	}
	return c.answered(j, p, r), nil
}

// First asks the first four of changes and reads no place: what an executor may
// ask before it stops. It is no verdict on the whole, and its last two are not asked.
func First(a Attempt, changes []gate.Change, t gate.Terms) Judged {
	p := Proposal(a, changes)
	j := Judged{Moment: Arrival, Contract: p.Digest}
	j.Verdict, j.Asked = gate.Code(t).InOrder(seam.Checks[:4], p, gate.Reading{})
	return code{a, nil, t}.answered(j, p, gate.Reading{})
}

// answered fills what follows from the verdict: the six answers, what was run,
// and what a wider scope would let in.
func (c code) answered(j Judged, p gate.Proposal, r gate.Reading) Judged {
	j.Head, j.Acceptance, j.Conflicts = r.Head, r.Runs, r.Conflicts
	for i, check := range seam.Checks {
		j.Answers = append(j.Answers, c.answer(i, check, j, p, r))
	}
	if j.Verdict.Failed == seam.OnLaw && gate.ByScope(p, c.terms.Law) {
		j.Outside = gate.Outside(p.Contract, p.Changes)
	}
	return j
}

func (c code) answer(i int, check seam.Check, j Judged, p gate.Proposal, r gate.Reading) Answer {
	switch {
	case j.Moment == Due && i < 4:
		return Answer{check, NotAsked, "answered on arrival"}
	case i >= j.Asked:
		return Answer{check, NotAsked, "not asked"}
	case check == j.Verdict.Failed:
		return Answer{check, No, j.Verdict.Reason}
	}
	if why := gate.NotAsked(check, p, r); why != "" {
		return Answer{check, NotAsked, why}
	}
	return Answer{check, Yes, gate.Saw(check, p, c.terms, r)}
}
