package record

import (
	"fmt"
	"slices"
)

// The kinds of actors: the stations, a person, and an agent.
const (
	ByMint     = "mint"
	ByDispatch = "dispatch"
	ByAttempt  = "attempt"
	ByLanding  = "landing"
	ByPerson   = "person"
	ByReview   = "review"
	ByAgent    = "agent"
)

// authority is who may write what: the one table, asked before the store.
var authority = map[string][]Kind{
	ByMint:     {KindSource, KindDecision, KindMinted, KindReminted, KindWithdrawn},
	ByDispatch: {KindClaimed, KindReleased, KindEscalation, KindFinished}, // finished: of an attempt that crashed
	ByAttempt:  {KindStarted, KindFinished, KindJudged, KindSpend},
	ByLanding:  {KindJudged, KindProposed, KindLanded},
	ByPerson:   {KindResolved, KindMessage, KindMinted, KindLanded}, // minted: of what ran here; landed: attested
	ByReview:   {KindReview, KindBlocker},
	ByAgent:    {KindDivergence, KindMessage},
}

// Forbidden is the refusal of an event that its actor may not write.
type Forbidden struct {
	Actor string
	Kind  Kind
}

// Error names both.
func (f *Forbidden) Error() string {
	return fmt.Sprintf("the actor %q may not write %s", f.Actor, f.Kind)
}

// MayWrite reports whether an actor of that kind may write events of that kind.
func MayWrite(actor string, k Kind) bool { return slices.Contains(authority[actor], k) }

// Admit is asked by every driver before its store: that each event's actor may write
// it, and that the event is whole.
func Admit(events ...Event) error {
	for _, e := range events {
		if !MayWrite(e.Actor.Kind, e.Kind) {
			return &Forbidden{e.Actor.Kind, e.Kind}
		}
		if err := e.Validate(); err != nil {
			return err
		}
	}
	return nil
}
