package record

// Finished is attempt.finished: the agent of the attempt ended and its tree is kept.
type Finished struct {
	End     string  `json:"end"` // done, halted, time, idle, money, crashed, stopped, quota, unavailable, infrastructure, isolation, interrupted
	Exit    int     `json:"exit"`
	Seconds float64 `json:"seconds"` // awake time of the agent
	Base    string  `json:"base"`
	Head    string  `json:"head"` // the kept commit
	Tree    string  `json:"tree"`
	Ref     string  `json:"ref"`
	Changes int     `json:"changes"`
	Lines   int     `json:"lines"`
	Usage   Usage   `json:"usage"`
	Agent   Agent   `json:"agent"`
	Regime  string  `json:"regime"`
	Why     string  `json:"why,omitempty"` // the end in one sentence, when it is not done
	Summary string  `json:"summary,omitempty"`
	Output  string  `json:"output_sha256,omitempty"`
}

// Kind is attempt.finished.
func (Finished) Kind() Kind { return KindFinished }

// Validate asks what the store cannot: that the fact is whole.
func (p Finished) Validate() error {
	return nil
}
