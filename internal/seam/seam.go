// Package seam is six questions in one fixed order, cheapest input first. A
// model proposes; the engine asks; the first no is the verdict. It knows the
// order and nothing else: whoever owns a subject fills in the six.
package seam

import "fmt"

// Check names one of the six questions.
type Check = string

// The six, by name.
const (
	OnShape     Check = "shape"
	OnVerb      Check = "verb"
	OnGrounding Check = "grounding"
	OnLaw       Check = "law"
	OnReach     Check = "reach"
	OnFreshness Check = "freshness"
)

// Checks is the order, by what each question needs to be answered.
var Checks = [6]Check{OnShape, OnVerb, OnGrounding, OnLaw, OnReach, OnFreshness}

// Verdict is a yes, or the check that said no and why.
type Verdict struct {
	OK     bool
	Failed Check
	Reason string
}

// Accepted is the yes.
func Accepted() Verdict { return Verdict{OK: true} }

// Refused is a no by one check.
func Refused(by Check, reason string) Verdict { return Verdict{Failed: by, Reason: reason} }

// String prints accepted, or refused by the check with its reason.
func (v Verdict) String() string {
	if v.OK {
		return "accepted"
	}
	return fmt.Sprintf("refused by %s: %s", v.Failed, v.Reason)
}

// Part says how much of a proposal is asked about: Whole on arrival, or the nth
// part, from 1, when it comes due.
type Part int

// Whole is the entire proposal.
const Whole Part = 0

// Seam is six questions over a proposal P, the last two with a reading R of the
// place that the proposal would change. It is a struct and not a list, so that
// no seam can have five questions, seven, or another order.
type Seam[P, R any] struct {
	Shape, Verb, Grounding, Law func(P) Verdict
	Reach, Freshness            func(P, Part, R) Verdict
}

// Arrive asks all six of the whole proposal and says how many were asked. The
// reading is taken only after four yeses; one that cannot be taken is an error
// and no verdict, so that nothing is refused because a disk was full.
func (s Seam[P, R]) Arrive(p P, read func() (R, error)) (Verdict, int, error) {
	for i, c := range Checks[:4] {
		if v := s.early(c, p); !v.OK {
			return v, i + 1, nil
		}
	}
	r, err := read()
	if err != nil {
		return Verdict{}, 4, err
	}
	if v := late(OnReach, s.Reach, p, Whole, r); !v.OK {
		return v, 5, nil
	}
	return late(OnFreshness, s.Freshness, p, Whole, r), 6, nil
}

// Due asks the last two again of part n, over the place as it stands now.
func (s Seam[P, R]) Due(n Part, p P, r R) Verdict {
	if v := late(OnReach, s.Reach, p, n, r); !v.OK {
		return v
	}
	return late(OnFreshness, s.Freshness, p, n, r)
}

// Run asks one question by name, of the whole proposal.
func (s Seam[P, R]) Run(c Check, p P, r R) Verdict {
	switch c {
	case OnReach:
		return late(c, s.Reach, p, Whole, r)
	case OnFreshness:
		return late(c, s.Freshness, p, Whole, r)
	}
	return s.early(c, p)
}

// InOrder asks the named questions in the order given, a reading in hand, and
// says how many were asked: a bench's tool, not a gate's.
func (s Seam[P, R]) InOrder(order []Check, p P, r R) (Verdict, int) {
	for i, c := range order {
		if v := s.Run(c, p, r); !v.OK {
			return v, i + 1
		}
	}
	return Accepted(), len(order)
}

func (s Seam[P, R]) early(c Check, p P) Verdict {
	switch c {
	case OnShape:
		return ask(c, s.Shape, p)
	case OnVerb:
		return ask(c, s.Verb, p)
	case OnGrounding:
		return ask(c, s.Grounding, p)
	case OnLaw:
		return ask(c, s.Law, p)
	}
	return Refused(c, "there is no such check")
}

func ask[P any](c Check, f func(P) Verdict, p P) Verdict {
	if f == nil {
		return Refused(c, unhanded)
	}
	return f(p)
}

func late[P, R any](c Check, ask func(P, Part, R) Verdict, p P, n Part, r R) Verdict {
	if ask == nil {
		return Refused(c, unhanded)
	}
	return ask(p, n, r)
}

// A seam that lacks a question is a driver's mistake, and it must not pass a
// proposal by accident.
const unhanded = "no check was handed to the seam, and no check permits nothing"
