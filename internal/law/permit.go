package law

import "fmt"

// Law is what the fourth check asks: may a profile propose this step? clause names the part
// of the law that decided, and is empty where none spoke. It sees no reading: not the tick,
// and not where the actor stands.
type Law interface {
	Permits(profile string, s Step) (clause string, ok bool)
}

// Lawless is the law of no clauses. To be handed it is to be handed a law: without any the
// check refuses, so that a driver that loaded none lets nothing through by accident.
type Lawless struct{}

// Permits everything, naming nothing.
func (Lawless) Permits(string, Step) (string, bool) { return "", true }

// LawOf is the fourth check: the law permits the profile every step, asked in their order;
// the clause that says no is the reason.
func LawOf(p Plan, profile string, l Law) Verdict {
	if l == nil {
		return Refused(OnLaw, "no law was handed to the check, and no law permits nothing")
	}
	for i, s := range p.Steps {
		if clause, ok := l.Permits(profile, s); !ok {
			return Refused(OnLaw, fmt.Sprintf("step %d: %s", i+1, clause))
		}
	}
	return Accepted()
}
