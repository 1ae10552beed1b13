package record

// Proposed is landing.proposed: a pull request was opened for the accepted work.
type Proposed struct {
	Branch string `json:"branch"`
	SHA    string `json:"sha"`
	URL    string `json:"url,omitempty"`
}

// Kind is landing.proposed.
func (Proposed) Kind() Kind { return KindProposed }

// Validate asks what the store cannot: that the fact is whole.
func (p Proposed) Validate() error {
	return first(need("branch", p.Branch), object("sha", p.SHA))
}
