package record

import "slices"

// Resolved is escalation.resolved: a person answered; it needs no open escalation.
type Resolved struct {
	Answer string `json:"answer"`         // requeued, abandoned, landed or accepted
	Mode   string `json:"mode,omitempty"` // after requeued: ask, continue or fresh
	Note   string `json:"note,omitempty"`
}

// Kind is escalation.resolved.
func (Resolved) Kind() Kind { return KindResolved }

// Validate asks what the store cannot: that the fact is whole.
func (p Resolved) Validate() error {
	return first(
		oneOf("answer", p.Answer, Answers),
		say(p.Answer == "requeued" && !slices.Contains(RequeueModes, p.Mode),
			"requeued in mode %q, which is none of %v", p.Mode, RequeueModes),
		say(p.Answer != "requeued" && p.Mode != "", "%s with the mode %q", p.Answer, p.Mode),
	)
}
