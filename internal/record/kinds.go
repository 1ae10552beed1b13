package record

// The closed list of kinds.
const (
	KindSource     Kind = "source.imported"
	KindDecision   Kind = "decision.recorded"
	KindMinted     Kind = "task.minted"
	KindReminted   Kind = "task.reminted"
	KindWithdrawn  Kind = "task.withdrawn"
	KindClaimed    Kind = "task.claimed"
	KindReleased   Kind = "task.released"
	KindStarted    Kind = "attempt.started"
	KindFinished   Kind = "attempt.finished"
	KindJudged     Kind = "gate.judged"
	KindDivergence Kind = "divergence.recorded"
	KindReview     Kind = "review.recorded"
	KindBlocker    Kind = "blocker.raised"
	KindProposed   Kind = "landing.proposed"
	KindLanded     Kind = "landing.recorded"
	KindEscalation Kind = "escalation.raised"
	KindResolved   Kind = "escalation.resolved"
	KindMessage    Kind = "message.sent"
	KindSpend      Kind = "spend.recorded"
)

// kinds makes an empty payload of each kind; the one list of all of them.
var kinds = map[Kind]func() Payload{
	KindSource:     func() Payload { return new(Source) },
	KindDecision:   func() Payload { return new(Decision) },
	KindMinted:     func() Payload { return new(Minted) },
	KindReminted:   func() Payload { return new(Reminted) },
	KindWithdrawn:  func() Payload { return new(Withdrawn) },
	KindClaimed:    func() Payload { return new(Claimed) },
	KindReleased:   func() Payload { return new(Released) },
	KindStarted:    func() Payload { return new(Started) },
	KindFinished:   func() Payload { return new(Finished) },
	KindJudged:     func() Payload { return new(Judged) },
	KindDivergence: func() Payload { return new(Divergence) },
	KindReview:     func() Payload { return new(Review) },
	KindBlocker:    func() Payload { return new(Blocker) },
	KindProposed:   func() Payload { return new(Proposed) },
	KindLanded:     func() Payload { return new(Landed) },
	KindEscalation: func() Payload { return new(Escalation) },
	KindResolved:   func() Payload { return new(Resolved) },
	KindMessage:    func() Payload { return new(Message) },
	KindSpend:      func() Payload { return new(Spend) },
}

// Row is a decision as a task inherited it.
type Row struct {
	ID    string   `json:"id"`    // S-0001/D-3
	Grade string   `json:"grade"` // LOCKED, ASSUMED or OPEN
	Text  string   `json:"text"`
	Paths []string `json:"paths"`
	Check string   `json:"check,omitempty"` // a command; it becomes an acceptance line
}

// Agent is who made an attempt.
type Agent struct {
	Adapter string `json:"adapter"`
	Model   string `json:"model,omitempty"`
	Version string `json:"version,omitempty"`
}

// Usage is what an attempt cost. A nil figure is unknown, never zero.
type Usage struct {
	TokensIn  *int64   `json:"tokens_in,omitempty"`
	TokensOut *int64   `json:"tokens_out,omitempty"`
	USD       *float64 `json:"usd,omitempty"`
	Source    string   `json:"usd_source"` // reported, estimated, notional or unknown
}

// Answer is what one check said.
type Answer struct {
	Check string `json:"check"`
	Said  string `json:"said"`           // yes, no, or - for not asked
	Note  string `json:"note,omitempty"` // the refusal's reason, or what a yes saw
}

// Ran is one acceptance line as it ran.
type Ran struct {
	Line    string  `json:"line"`
	Seconds float64 `json:"seconds"`
	Exit    int     `json:"exit"` // -1 when it did not exit by itself
	Output  string  `json:"output_sha256"`
	Last    string  `json:"last,omitempty"` // the last line it printed
	Tests   int     `json:"tests"`          // how many tests ran; -1: not counted
	Why     string  `json:"why,omitempty"`  // why it is not green; empty when green
	Tree    string  `json:"tree"`
	Again   bool    `json:"again,omitempty"` // answered from an earlier run over this very tree
}
