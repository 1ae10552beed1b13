package record

// Decision is decision.recorded: a decision of an accepted spec, as it stood at mint.
type Decision struct {
	ID    string   `json:"id"`    // S-0001/D-3
	Grade string   `json:"grade"` // LOCKED, ASSUMED or OPEN
	Text  string   `json:"text"`
	Paths []string `json:"paths"`
	Check string   `json:"check,omitempty"`
	Blob  string   `json:"blob,omitempty"`
}

// Kind is decision.recorded.
func (Decision) Kind() Kind { return KindDecision }

// Validate asks what the store cannot: that the fact is whole.
func (p Decision) Validate() error {
	row := Row{ID: p.ID, Grade: p.Grade, Text: p.Text, Paths: p.Paths, Check: p.Check}
	return first(row.validate(), maybe(object, "blob", p.Blob))
}
