package carrier

// Report is what an agent may leave at $TORVE_REPORT: its own account, which is
// checked against the tree and never believed instead of it.
type Report struct {
	Task        string       `json:"task"`
	Summary     string       `json:"summary"`
	LeansOn     []string     `json:"leans_on"`
	Divergences []Divergence `json:"divergences"`
	Halted      bool         `json:"halted"`
}

// Divergence is one entry as the agent wrote it.
type Divergence struct {
	Decision string `json:"decision"`
	Claim    string `json:"claim"`
	Evidence string `json:"evidence"`
	Action   string `json:"action"`
	Why      string `json:"why,omitempty"`
	Proposal string `json:"proposal,omitempty"`
}
