package record

// Judged is gate.judged: the six checks answered, on arrival or when due.
type Judged struct {
	Moment     string   `json:"moment"` // arrival or due
	Tree       string   `json:"tree"`   // the tree that was asked about: G
	Head       string   `json:"head"`   // the target's head as read
	Contract   string   `json:"contract"`
	Verdict    string   `json:"verdict"` // accepted or refused
	Check      string   `json:"check,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Checks     []Answer `json:"checks"`
	Acceptance []Ran    `json:"acceptance"`
	Conflicts  []string `json:"conflicts"`
}

// Kind is gate.judged.
func (Judged) Kind() Kind { return KindJudged }

// Validate asks what the store cannot: that the fact is whole.
func (p Judged) Validate() error {
	return nil
}
