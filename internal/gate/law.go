package gate

import (
	"fmt"

	"torve/internal/contract"
	"torve/internal/seam"
)

// Law is what the fourth check asks. The clause is the reason of a no, whole: it
// names the path or the row.
type Law interface {
	// Permits is asked of one change at a time.
	Permits(c contract.Contract, ch Change) (clause string, ok bool)
	// Answered is asked once of the whole proposal: whether it answers for the
	// graded rows that its changes touch.
	Answered(p Proposal) (clause string, ok bool)
}

// Lawless is the law with no clauses: it permits everything. It is a value and
// not a nil, because a check that was handed no law refuses everything.
type Lawless struct{}

// Permits says yes to everything, naming nothing.
func (Lawless) Permits(contract.Contract, Change) (string, bool) { return "", true }

// Answered says yes to everything, naming nothing.
func (Lawless) Answered(Proposal) (string, bool) { return "", true }

// lawOf asks the law of every change, in order, and then once of the whole.
func lawOf(p Proposal, l Law) seam.Verdict {
	if l == nil {
		return seam.Refused(seam.OnLaw, "no law was handed to the check, and no law permits nothing")
	}
	if i, clause := firstRefused(p, l); clause != "" {
		return seam.Refused(seam.OnLaw, fmt.Sprintf("change %d: %s", i+1, clause))
	}
	if clause, ok := l.Answered(p); !ok {
		return seam.Refused(seam.OnLaw, spoken(clause))
	}
	return seam.Accepted()
}

// firstRefused is the first change that the law does not permit; no clause when
// it permits all of them.
func firstRefused(p Proposal, l Law) (int, string) {
	for i, ch := range p.Changes {
		if clause, ok := l.Permits(p.Contract, ch); !ok {
			return i, spoken(clause)
		}
	}
	return 0, ""
}

// spoken keeps a law that refuses without a word from reading as a yes.
func spoken(clause string) string {
	if clause == "" {
		return "the law refuses it and names no clause"
	}
	return clause
}

func sawLaw(p Proposal, l Law) string {
	if s, ok := l.(interface{ Saw(Proposal) string }); ok {
		return s.Saw(p)
	}
	return fmt.Sprintf("%T", l)
}
