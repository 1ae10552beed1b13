package record

import "slices"

// Divergence is divergence.recorded: what the executor says of a graded decision.
type Divergence struct {
	Decision string `json:"decision"` // S-0001/D-2, or unlisted
	Grade    string `json:"grade,omitempty"`
	Claim    string `json:"claim"`
	Evidence string `json:"evidence"`
	Action   string `json:"action"` // upheld, departed, decided or halted
	Why      string `json:"why,omitempty"`
	Proposal string `json:"proposal,omitempty"`
}

// Kind is divergence.recorded.
func (Divergence) Kind() Kind { return KindDivergence }

// Validate asks what the store cannot: that the fact is whole.
func (p Divergence) Validate() error {
	return first(
		need("decision", p.Decision),
		say(p.Grade != "" && !slices.Contains(Grades, p.Grade), "grade %q is none of %v", p.Grade, Grades),
		need("claim", p.Claim),
		need("evidence", p.Evidence),
		oneOf("action", p.Action, Actions),
	)
}
