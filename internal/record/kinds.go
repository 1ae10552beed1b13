package record

import "slices"

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

// kind is what the envelope owes a payload, and how the payload is read.
type kind struct {
	Kind    Kind
	read    func([]byte) (Payload, error)
	task    bool // the envelope names a task
	attempt bool // and an attempt, from 1
	claim   bool // and a claim
}

// kinds is the one list of all kinds, in the order of a task's life.
var kinds = []kind{
	{Kind: KindSource, read: reads[Source]},
	{Kind: KindDecision, read: reads[Decision]},
	{Kind: KindMinted, read: reads[Minted], task: true},
	{Kind: KindReminted, read: reads[Reminted], task: true},
	{Kind: KindWithdrawn, read: reads[Withdrawn], task: true},
	{Kind: KindClaimed, read: reads[Claimed], task: true, claim: true},
	{Kind: KindReleased, read: reads[Released], task: true, claim: true},
	{Kind: KindStarted, read: reads[Started], task: true, attempt: true},
	{Kind: KindFinished, read: reads[Finished], task: true, attempt: true},
	{Kind: KindJudged, read: reads[Judged], task: true, attempt: true},
	{Kind: KindDivergence, read: reads[Divergence], task: true, attempt: true},
	{Kind: KindReview, read: reads[Review], task: true},
	{Kind: KindBlocker, read: reads[Blocker], task: true},
	{Kind: KindProposed, read: reads[Proposed], task: true, attempt: true},
	{Kind: KindLanded, read: reads[Landed], task: true},
	{Kind: KindEscalation, read: reads[Escalation], task: true},
	{Kind: KindResolved, read: reads[Resolved], task: true},
	{Kind: KindMessage, read: reads[Message]},
	{Kind: KindSpend, read: reads[Spend]},
}

func reads[P Payload](data []byte) (Payload, error) {
	var p P
	err := strict(data, &p)
	return p, err
}

func (k Kind) spec() (kind, bool) {
	i := slices.IndexFunc(kinds, func(s kind) bool { return s.Kind == k })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// Kinds lists every kind, in the order of a task's life.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i, s := range kinds {
		all[i] = s.Kind
	}
	return all
}

// MovesClaims lists the kinds that ClaimsAt looks out for: what changes which task
// may be claimed.
func MovesClaims() []Kind {
	return []Kind{KindClaimed, KindReleased, KindMinted, KindReminted, KindWithdrawn}
}
