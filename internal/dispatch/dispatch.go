// Package dispatch is the station that claims what is ready and drives each task
// to an end: attempt, verdict, repair or escalation, landing.
package dispatch

import (
	"context"
	"time"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// Work is one claimed task's next step and what it gave, joined by cli/wire.go to the
// attempt and landing stations so that no station imports another.
type Hands struct {
	Attempt func(ctx context.Context, j Job) (Ended, error)
	Again   func(ctx context.Context, j Job) (Ended, error)
	Land    func(ctx context.Context, j Job) (Landed, error)
	Repair  func(ctx context.Context, b *board.Board) ([]string, error)
	Crashed func(ctx context.Context, t board.Task) error // ends what a dead holder left running and saves its tree
	Done    func(ctx context.Context, task string, n int) error
}

// Job is what a hand is asked to do.
type Job struct {
	Task     board.Task
	Head     string
	N        int
	Mode     string // first, repair, fresh, continue
	From     string
	Evidence string
	Agent    string
}

// Ended is how an attempt ended, in the words of the record.
type Ended struct {
	N              int
	End, Why       string
	Accepted       bool
	Check, Reason  string
	Counts         bool
	Kept, Evidence string
	Escalate       string   // a reason of the closed list that the end itself gives (halted)
	Paths          []string // what the clause or conflict names
	USD            *float64
	Seconds        float64
	Until          time.Time
	BaseRed        string // the line and why; "" when the base was not red
	BaseOwn        bool   // it was the contract's own line
	Mend           string
}

// Landed is how a landing ended: landed, refused by the due gate, or blocked.
type Landed struct {
	Commit, Head  string
	Check, Reason string
	Paths         []string
	Evidence      string
	Blocked, Next string
}

// Station dispatches in one repository.
type Station struct {
	Repo      *git.Repo
	Log       record.Log
	Partition record.Partition
	Host, By  string
	Now       func() time.Time
	Head      func(ctx context.Context) (string, error) // the target's head, fresh
	Gather    func(ctx context.Context) (*truth.Reading, error)
	Mint      func(ctx context.Context) ([]MintNote, error) // nil with --no-mint
	Hands     Hands
	Options   Options
	Note      func(Note)
}

// MintNote is one line of the mint pass.
type MintNote struct{ ID, Outcome, Text string }

// Options are the run's.
type Options struct {
	Tasks   []string // named; empty is all
	Workers int
	Agent   string
	Default string // agent of the config
	DryRun  bool
	Shared  []string
	Manual  bool            // landing.mode: manual
	Stop    <-chan struct{} // closed at the first Ctrl-C: start nothing more
}

// Note is one line of progress for people.
type Note struct {
	Kind, Task, Text string // minted, base, started, refused, retry, landed, blocked, escalated, waits, warn
}

// Outcome is one task's end in this run.
type Outcome struct {
	ID      string   `json:"id"`
	Title   string   `json:"-"`
	Attempt int      `json:"attempt"`
	Outcome string   `json:"outcome"` // landed, ready, in_review, refused, escalated, waiting, interrupted
	Check   string   `json:"check"`
	Reason  string   `json:"reason"`
	Commit  string   `json:"commit"`
	Seconds float64  `json:"seconds"`
	USD     *float64 `json:"usd"`
	Next    string   `json:"next"`
	WaitsOn []string `json:"-"`
}

// Report is what the run came to.
type Report struct {
	Outcomes    []Outcome
	From, To    string // the target's head before and after
	Attempts    int
	Took        time.Duration
	BaseRed     string
	HeldBy      []string // tasks that another holds, named with their holder
	Broken      []string // contracts on the target that do not parse
	Interrupted bool
	Worst       Worst
}

// Worst is the worst case, said before the start.
type Worst struct {
	Tasks, Workers, Attempts int
	Minutes, USD             float64
	Unpriced                 bool // an agent without a price is among them
}

// Run drives what is ready until nothing more can start.
func (s *Station) Run(ctx context.Context) (Report, error) { panic("unwritten") }
