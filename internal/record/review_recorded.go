package record

// Review is review.recorded: a reviewer's verdict on an attempt's tree.
type Review struct {
	Of       int    `json:"of"`      // the attempt that was reviewed
	Verdict  string `json:"verdict"` // accepted or refused
	Findings int    `json:"findings"`
	Blockers int    `json:"blockers"`
}

// Kind is review.recorded.
func (Review) Kind() Kind { return KindReview }

// Validate asks what the store cannot: that the fact is whole.
func (p Review) Validate() error {
	return first(
		say(p.Of < 1, "attempt %d was reviewed", p.Of),
		oneOf("verdict", p.Verdict, Verdicts),
		say(p.Blockers < 0 || p.Findings < p.Blockers, "%d blockers of %d findings", p.Blockers, p.Findings),
	)
}
