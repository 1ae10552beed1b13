// Package board is the one fold over the record: the present state of every
// task. It is pure; status, dispatch and why all read this fold and its View,
// so that no two can disagree about what is ready.
package board

import (
	"strings"
	"time"

	"torve/internal/contract"
	"torve/internal/record"
)

// State is where a task stands.
type State string

// The states. Waiting is said by View alone. Withdrawn is also the state of a
// task that some event names and no mint ever brought in: neither has a
// contract in force.
const (
	Waiting   State = "waiting"
	Queued    State = "queued"
	Claimed   State = "claimed"
	Running   State = "running"
	Gated     State = "gated"
	Reviewed  State = "reviewed"
	Ready     State = "ready"
	InReview  State = "in_review"
	Landed    State = "landed"
	Reverted  State = "reverted"
	Escalated State = "escalated"
	Abandoned State = "abandoned"
	Withdrawn State = "withdrawn"
)

// Over reports whether nothing more comes of a task in this state by itself.
func (s State) Over() bool {
	return s == Landed || s == Reverted || s == Abandoned || s == Withdrawn
}

// Task is one task as the record has it.
type Task struct {
	ID         string
	Contract   contract.Contract
	Digest     string // of the minted contract; "" when none ever was
	Owner      string
	Path       string // of the contract file
	Blob       string // of that file as minted
	Commit     string // it was minted from
	Rows       []record.Row
	MintedAt   time.Time
	MintSeq    record.Seq // of the first mint; orders by age
	State      State
	Since      time.Time   // when the state began
	Last       record.Seq  // the task's last event, for TaskAt
	Claim      *Claim      // the open claim
	Attempts   []Attempt   // by number
	Counted    int         // attempts that count against the budget since the last requeue
	Asked      int         // how many attempts there were at the last requeue; 0 when there was none
	Escalation *Escalation // open only
	Answer     *Answer     // the last person's answer, while it has not been acted on
	Accepted   *Accepted   // the work that passed on arrival and has not landed
	NotBefore  time.Time   // a quota's time
	Landing    *record.Landed
	LandedAt   time.Time
	LandedBy   string  // actor id
	Log        []Noted // divergences, oldest first
	Proposed   *record.Proposed
	Spends     []record.Spend

	AskedSpends int // as Asked, of spends

	mark *mark // where there is no more of it here: see Glance
}

// Claim is the open claim and who holds it.
type Claim struct {
	ID, Host string
	record.Claimed
	At time.Time
}

// Attempt is one attempt as the record has it.
type Attempt struct {
	N          int
	Started    record.Started
	StartedAt  time.Time
	Host       string           // where it was made; in which clone there says Started
	Finished   *record.Finished // nil while it runs
	FinishedAt time.Time
	Judged     []Judging // arrival, due, and asked again, oldest first
}

// Judging is one gate.judged and when.
type Judging struct {
	record.Judged
	At time.Time
}

// Escalation is an open escalation and when it was raised.
type Escalation struct {
	record.Escalation
	At      time.Time
	Attempt int
}

// Answer is a person's answer and when.
type Answer struct {
	record.Resolved
	At time.Time
	By string
}

// Accepted names the attempt whose work may land.
type Accepted struct {
	Attempt         int
	Base, Head, Ref string // Head is the kept commit
	Tree            string // G as judged on arrival
}

// Noted is one divergence with its attempt.
type Noted struct {
	record.Divergence
	Attempt int
	At      time.Time
}

// Board is the fold. The zero value is ready for Apply.
type Board struct {
	Tasks     map[string]*Task
	Decisions map[string]record.Decision
	Spends    []record.Spend // money spent that belongs to no task
	Root      string         // the repository's root commit, from the first event
	Seq       record.Seq     // the last event applied
	Hash      string         // its hash
	ClaimSeq  record.Seq     // the last claim, release or mint, for ClaimsAt
	Events    int

	kept *kept // where the tasks lie of which there is a mark; nil: all are whole
}

// InFlight reports whether a task is being worked on: what meets its scope waits.
func (t *Task) InFlight() bool {
	switch t.State {
	case Claimed, Running, Gated, Reviewed:
		return true
	case Queued, Ready: // claimed to be landed, or requeued before its holder let go
		return t.Claim != nil
	}
	return false
}

// NextAttempt is the number of the next attempt as far as the record knows: one
// more than the highest. Numbers never restart.
func (t *Task) NextAttempt() int {
	highest := 0
	for _, a := range t.Attempts {
		highest = max(highest, a.N)
	}
	return highest + 1
}

// Attempt finds an attempt by its number; nil when the record has none of it.
func (t *Task) Attempt(n int) *Attempt {
	for i := range t.Attempts {
		if t.Attempts[i].N == n {
			return &t.Attempts[i]
		}
	}
	return nil
}

// Last is the last word of the gate on this attempt; nil when it was never asked.
func (a *Attempt) Last() *Judging {
	if len(a.Judged) == 0 {
		return nil
	}
	return &a.Judged[len(a.Judged)-1]
}

// Place names the clone that an attempt was made in, for people elsewhere.
func (a *Attempt) Place() string {
	if a.Started.Clone == "" {
		return "a clone on " + a.Host
	}
	return strings.TrimSuffix(a.Started.Clone, "/.git") + " on " + a.Host
}
