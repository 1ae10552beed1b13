package gate

import (
	"fmt"
	"slices"

	"torve/internal/contract"
	"torve/internal/seam"
)

// Case is one check broken on purpose, and what the seam said of it.
type Case struct {
	Check   seam.Check
	Broke   string // what was broken, in words
	Verdict seam.Verdict
	Held    bool // that very check refused it
}

// Prove takes a proposal and a reading that pass and breaks each check once, on
// purpose: six cases in the order of the seam, each put to all six questions. An
// error says that what was handed in does not pass, so that nothing is proved.
func Prove(s seam.Seam[Proposal, Reading], p Proposal, r Reading) ([]Case, error) {
	if v, _ := s.InOrder(seam.Checks[:], p, r); !v.OK {
		return nil, fmt.Errorf("prove the six on a proposal that passes: it is %s", v)
	}
	cases := make([]Case, 0, len(breaks))
	for _, b := range breaks {
		broken, place := b.how(copied(p), copiedReading(r))
		v, _ := s.InOrder(seam.Checks[:], broken, place)
		cases = append(cases, Case{b.check, b.what, v, !v.OK && v.Failed == b.check})
	}
	return cases, nil
}

// breaks are one fault a check, each of which every earlier check lets by.
var breaks = []struct {
	check seam.Check
	what  string
	how   func(Proposal, Reading) (Proposal, Reading)
}{
	{seam.OnShape, "the report answers for another task", func(p Proposal, r Reading) (Proposal, Reading) {
		p.Report = &Report{Task: "OTHER-" + p.Contract.ID}
		return p, r
	}},
	{seam.OnVerb, "a change has a verb of no table", func(p Proposal, r Reading) (Proposal, Reading) {
		p.Changes[0].Verb = "rename"
		return p, r
	}},
	{seam.OnGrounding, "a change modifies a path that was not in the tree", func(p Proposal, r Reading) (Proposal, Reading) {
		p.Changes[0].Verb, p.Changes[0].InBase = Modify, false
		p.Pack = nil
		return p, r
	}},
	{seam.OnLaw, "a change adds a landing of its own", func(p Proposal, r Reading) (Proposal, Reading) {
		p.Changes[0] = Change{Path: ".torve/execution/" + p.Contract.ID + ".yaml", Verb: Add, Added: 1}
		return p, r
	}},
	{seam.OnReach, "an acceptance line exits 1", func(p Proposal, r Reading) (Proposal, Reading) {
		if len(r.Runs) == 0 {
			r.Runs = []Ran{{Line: "true", Tests: -1}}
		}
		last := &r.Runs[len(r.Runs)-1]
		last.Exit, last.Why, last.Last = 1, "exited 1", "broken on purpose"
		return p, r
	}},
	{seam.OnFreshness, "the base is no longer on the target", func(p Proposal, r Reading) (Proposal, Reading) {
		r.OnTarget = false
		return p, r
	}},
}

func copied(p Proposal) Proposal {
	p.Changes = slices.Clone(p.Changes)
	return p
}

func copiedReading(r Reading) Reading {
	r.Runs = slices.Clone(r.Runs)
	return r
}

// Sample is a small proposal and a reading that pass every check, for proving a
// law where no attempt is at hand.
func Sample() (Proposal, Reading) {
	digest := "5a3c1d9e7f20468b9ac1e2d3f405162738495a6b7c8d9eafb0c1d2e3f4051627"
	p := Proposal{
		Contract: contract.Contract{
			ID: "T-0000", Scope: contract.Scope{Allow: []string{"sample/**"}},
			Verbs: slices.Clone(table), Tests: "keep", Acceptance: []string{"true"},
		},
		Digest:  digest,
		Changes: []Change{{Path: "sample/sample.txt", Verb: Modify, Added: 2, Removed: 1, InBase: true}},
		Base:    "1f3c9ab2d4e5f60718293a4b5c6d7e8f90a1b2c3",
	}
	r := Reading{Target: "main", OnTarget: true, InForce: digest, Planned: 1, Runs: []Ran{{Line: "true", Tests: -1}}}
	return p, r
}
