package record

// Withdrawn is task.withdrawn: the contract is gone from the target's head.
type Withdrawn struct {
	Commit string `json:"commit"`
	Why    string `json:"why"`
}

// Kind is task.withdrawn.
func (Withdrawn) Kind() Kind { return KindWithdrawn }

// Validate asks what the store cannot: that the fact is whole.
func (p Withdrawn) Validate() error {
	return first(object("commit", p.Commit), need("why", p.Why))
}
