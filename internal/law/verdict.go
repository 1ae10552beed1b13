package law

// The checks, by name.
const (
	OnShape     = "shape"
	OnVerb      = "verb"
	OnGrounding = "grounding"
	OnLaw       = "law"
	OnReach     = "reach"
	OnFreshness = "freshness"
)

// Checks is their order: what they are handed costs more from one to the next, and each may
// name a cause because those before it said yes.
var Checks = [6]string{OnShape, OnVerb, OnGrounding, OnLaw, OnReach, OnFreshness}

// Verdict is an answer: a yes, or the check that said no and why.
type Verdict struct {
	OK          bool
	Failed, Why string
}

// Accepted is a yes.
func Accepted() Verdict { return Verdict{OK: true} }

// Refused is a no of a check.
func Refused(check, reason string) Verdict { return Verdict{Failed: check, Why: reason} }

// String is "accepted", or "refused by <check>: <reason>".
func (v Verdict) String() string {
	if v.OK {
		return "accepted"
	}
	return "refused by " + v.Failed + ": " + v.Why
}
