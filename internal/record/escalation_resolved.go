package record

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
	return nil
}
