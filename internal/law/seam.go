package law

import "fmt"

// Terms is what a proposal is judged under besides the world. Stale is in ticks. All of it
// comes from whoever drives a villager; without a law everything is refused.
type Terms struct {
	Caps  Caps
	Law   Law
	Stale int
}

// Run asks one check of a proposal on arrival, by name; a name that is no check's is a no.
// The fifth finds the actor placed for the first step alone.
func Run(check string, p Proposal, t Terms, r Reading) Verdict {
	switch check {
	case OnShape:
		return ShapeOf(p.Plan, t.Caps)
	case OnVerb:
		return VerbsOf(p.Plan, t.Caps)
	case OnGrounding:
		return GroundingOf(p.Plan, p.Set)
	case OnLaw:
		return LawOf(p.Plan, p.Profile, t.Law)
	case OnReach:
		return each(p.Plan, func(n int, s Step) Verdict { return ReachOf(n, s, r, n == 1) })
	case OnFreshness:
		return each(p.Plan, func(n int, s Step) Verdict { return FreshnessOf(n, s, p.Asked, r, t.Stale) })
	}
	return Refused(check, "no such check")
}

// each asks a check about every step; the first no counts.
func each(p Plan, check func(n int, s Step) Verdict) Verdict {
	for i, s := range p.Steps {
		if v := check(i+1, s); !v.OK {
			return v
		}
	}
	return Accepted()
}

// Validate is the judgement on arrival: all six over the whole plan, in their order. The
// first no is the verdict, and it refuses the whole.
func Validate(p Proposal, t Terms, r Reading) Verdict { return InOrder(Checks[:], p, t, r) }

// InOrder asks the named checks in the order named, up to the first no. Any order but that of
// Checks is for seeing what the order is worth.
func InOrder(order []string, p Proposal, t Terms, r Reading) Verdict {
	v, _ := Count(order, p, t, r)
	return v
}

// Count is InOrder, and how many checks were asked.
func Count(order []string, p Proposal, t Terms, r Reading) (v Verdict, asked int) {
	for i, check := range order {
		if v := Run(check, p, t, r); !v.OK {
			return v, i + 1
		}
	}
	return Accepted(), len(order)
}

// Due is the judgement of step n, from 1, when it comes due: the two checks of the world once
// more, over the world as it stands, with the actor placed. A no refuses what is left of the
// plan with it. A step that the plan does not have is out of reach.
func Due(n int, p Proposal, t Terms, r Reading) Verdict {
	if n < 1 || n > len(p.Plan.Steps) {
		return Refused(OnReach, fmt.Sprintf("step %d: the plan has %d", n, len(p.Plan.Steps)))
	}
	s := p.Plan.Steps[n-1]
	if v := ReachOf(n, s, r, true); !v.OK {
		return v
	}
	return FreshnessOf(n, s, p.Asked, r, t.Stale)
}
