package record

import "slices"

// Escalation is escalation.raised: the task needs a person.
type Escalation struct {
	Reason string   `json:"reason"` // one of the closed list Reasons
	Check  string   `json:"check,omitempty"`
	Detail string   `json:"detail"`
	Paths  []string `json:"paths"` // what the clause or the conflict names
}

// Kind is escalation.raised.
func (Escalation) Kind() Kind { return KindEscalation }

// Validate asks what the store cannot: that the fact is whole.
func (p Escalation) Validate() error {
	return first(
		oneOf("reason", p.Reason, Reasons),
		say(p.Reason == "refused" && p.Check == "", "refused, and no check is named"),
		say(p.Check != "" && !slices.Contains(Checks, p.Check), "check %q is none of %v", p.Check, Checks),
		need("detail", p.Detail),
		each("paths", p.Paths, filledIn),
	)
}
