package record

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
	return nil
}
