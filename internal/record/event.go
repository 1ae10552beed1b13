// Package record is the append-only log of what happened: its events, its
// interface, who may write what, and the invariants R1 to R6 that Check asks.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
)

// Partition names one repository's log inside a store.
type Partition string

// Seq is an event's place in its partition, from 1 without a gap.
type Seq int64

// Kind names what an event says; the list is closed (kinds.go).
type Kind string

// Actor is who an event is from: a station's name, "person" or "agent", and an id.
type Actor struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
}

// Event is one fact. Partition, Seq, Prev and Hash are the store's; the rest is
// the client's body, kept by the store as the very bytes it was given.
type Event struct {
	Partition Partition       `json:"-"`
	Seq       Seq             `json:"-"`
	Prev      string          `json:"-"` // hex SHA-256 of the event before; "" for the first
	Hash      string          `json:"-"` // hex SHA-256(prev ‖ seq ‖ body)
	ID        string          `json:"id"`
	Kind      Kind            `json:"kind"`
	Schema    int             `json:"schema"`
	At        time.Time       `json:"at"`
	Task      string          `json:"task,omitempty"`
	Attempt   int             `json:"attempt,omitempty"`
	Claim     string          `json:"claim,omitempty"`
	Actor     Actor           `json:"actor"`
	Host      string          `json:"host,omitempty"`
	Cause     string          `json:"cause,omitempty"`
	Payload   json.RawMessage `json:"payload"`
}

// Payload is the typed content of one kind of event.
type Payload interface {
	Kind() Kind
	Validate() error // nil, or what is wrong, in lower case
}

// ErrMoved is returned by Append when its condition no longer holds: nothing was written.
var ErrMoved = errors.New("the record has moved on")

// ErrElsewhere is returned when a partition belongs to another repository.
var ErrElsewhere = errors.New("the partition belongs to another repository")

// ErrNone is returned by a read-only open where there is no record.
var ErrNone = errors.New("there is no record here")

// Log is one store of partitions. Both drivers pass recordtest.
type Log interface {
	// Append adds events in one transaction if cond holds inside it, and
	// returns the last one's seq. An event id already in the partition with the
	// same body is taken as written before: a retry is harmless.
	Append(ctx context.Context, p Partition, cond Cond, events ...Event) (Seq, error)
	// Read yields every event from seq on, paged inside; an error ends it and is
	// never a silent prefix.
	Read(ctx context.Context, p Partition, from Seq) iter.Seq2[Event, error]
	// Watch is Read that then waits for what comes, until ctx ends.
	Watch(ctx context.Context, p Partition, from Seq) iter.Seq2[Event, error]
	// Check asks R1 to R6 and names the first fault.
	Check(ctx context.Context, p Partition) error
	Close() error
}

// Cond is what must hold inside the insert's transaction; see the makers below.
// Several may be joined with And.
type Cond struct {
	tasks   []taskAt
	holding []holding
	claims  *Seq
	empty   bool
}

type taskAt struct {
	Task string
	Seq  Seq
}

type holding struct{ Task, Claim string }

// Always holds.
func Always() Cond { return Cond{} }

// TaskAt holds while the task's last event is the one at seq (0: it has none).
func TaskAt(task string, seq Seq) Cond { return Cond{tasks: []taskAt{{task, seq}}} }

// Holding holds while that claim of the task is open.
func Holding(task, claim string) Cond { return Cond{holding: []holding{{task, claim}}} }

// ClaimsAt holds while no claim, release or mint has come after seq.
func ClaimsAt(seq Seq) Cond { return Cond{claims: &seq} }

// Empty holds while the partition has no event.
func Empty() Cond { return Cond{empty: true} }

// And joins two conditions: both must hold.
func (c Cond) And(d Cond) Cond {
	c.tasks = append(c.tasks[:len(c.tasks):len(c.tasks)], d.tasks...)
	c.holding = append(c.holding[:len(c.holding):len(c.holding)], d.holding...)
	if d.claims != nil && (c.claims == nil || *d.claims < *c.claims) {
		c.claims = d.claims
	}
	c.empty = c.empty || d.empty
	return c
}

// Facts is what a driver can say of a partition inside a transaction; it is all
// that a condition may ask.
type Facts interface {
	LastOf(task string) (Seq, error)              // 0: none
	OpenClaim(task string) (id string, err error) // "": none
	LastClaimsMove() (Seq, error)                 // last task.claimed, .released, .minted, .reminted, .withdrawn
	Len() (Seq, error)
}

// Holds asks the condition of the facts: nil, ErrMoved, or the store's error.
func (c Cond) Holds(f Facts) error {
	for _, t := range c.tasks {
		if at, err := f.LastOf(t.Task); err != nil || at != t.Seq {
			return moved(err)
		}
	}
	for _, h := range c.holding {
		if id, err := f.OpenClaim(h.Task); err != nil || id != h.Claim || id == "" {
			return moved(err)
		}
	}
	if c.claims != nil {
		if at, err := f.LastClaimsMove(); err != nil || at > *c.claims {
			return moved(err)
		}
	}
	if c.empty {
		if n, err := f.Len(); err != nil || n != 0 {
			return moved(err)
		}
	}
	return nil
}

func moved(err error) error {
	if err != nil {
		return err
	}
	return ErrMoved
}
