// Package dispatch is the station that claims what is ready and drives each task
// to an end: attempt, verdict, repair or escalation, landing.
//
// Its rules: what comes next is read from the record and never remembered across
// a run (policy.go); a claim's lock is held before the claim is appended; every
// claim that was opened is released; an attempt is bought only where the budget
// has one left; and every task that is taken up ends in a state with a reason.
package dispatch

import (
	"context"
	"time"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// Hands are the neighbouring stations' work on one claimed task, joined by
// cli/wire.go so that no station imports another. An error of a hand is
// infrastructure; one that wraps record.ErrMoved says that the claim is lost.
type Hands struct {
	Attempt func(ctx context.Context, j Job) (Ended, error)
	Again   func(ctx context.Context, j Job) (Ended, error)
	Land    func(ctx context.Context, j Job) (Landed, error)
	Repair  func(ctx context.Context, b *board.Board) ([]string, error)
	Crashed func(ctx context.Context, t board.Task) error // ends what a dead holder left running and saves its tree
	Done    func(ctx context.Context, task string, n int) error
	Tidy    func(ctx context.Context, rd *truth.Reading) error // ends what runs that died on this host did not come to; may be nil

	// Green runs the repository's own acceptance on a head's tree: the line that is red, and
	// why; "" when it is green. May be nil.
	Green func(ctx context.Context, head string) (red string, err error)
}

// Job is what a hand is asked to do. N is the attempt to make, or the one whose
// kept tree is asked or landed.
type Job struct {
	Task     board.Task
	Head     string
	N        int
	Mode     string // first, repair, fresh, continue
	From     string
	Evidence string
	Agent    string
	Stop     <-chan struct{} // closed when a person stops this task
}

// Ended is how an attempt ended, in the words of the record.
type Ended struct {
	N              int
	End, Why       string
	Accepted       bool
	Check, Reason  string
	Counts         bool
	Kept, Evidence string
	Escalate       string   // a reason of the closed list that the end itself gives (halted, scope)
	Paths          []string // what the clause or conflict names
	USD            *float64
	Until          time.Time
	BaseRed        string // the line and why; "" when the base was not red
	BaseOwn        bool   // it was the contract's own line
	Mend           string
	Missing        bool // of unavailable: what the agent needs is not on this host, and another try finds no more
}

// judged reports whether the gate gave an answer.
func (e Ended) judged() bool { return e.Accepted || e.Check != "" }

// Landed is how a landing ended: landed, refused by the due gate, blocked, or
// already there.
type Landed struct {
	Commit, Head  string
	Check, Reason string
	Paths         []string
	Evidence      string
	Blocked, Next string
	Escalate      string // with Blocked: a reason of the closed list, where waiting mends nothing (push_refused)
	Already       string // the path of a landing of this task that the head holds; Commit is its work commit
}

// Station dispatches in one repository.
type Station struct {
	Repo      *git.Repo
	Log       record.Log
	Partition record.Partition
	Host, By  string
	Self      record.Claimed              // this process, as its claims name it; Worker is filled in
	Alive     func(h record.Claimed) bool // whether that process lives on this host; nil: the claim's lock alone says so
	Now       func() time.Time
	Mask      func(text string) string                          // takes secrets out of what is recorded; nil: there are none
	Gather    func(ctx context.Context) (*truth.Reading, error) // at the target's head as it is now; called by several goroutines
	Head      func(ctx context.Context) (string, error)         // that head alone, for a watch; nil: Gather's
	Mint      func(ctx context.Context) ([]MintNote, error)     // nil with --no-mint
	Hands     Hands
	Options   Options
	Note      func(Note)
	Begin     func(Worst) // told the worst case before anything starts, where there is something to start; a watch tells it again when it minted more; may be nil
}

// MintNote is one line of the mint pass.
type MintNote struct{ ID, Outcome, Text string }

// Options are the run's.
type Options struct {
	Tasks    []string // named; empty is all
	Workers  int
	Agent    string
	Default  string // agent of the config
	DryRun   bool
	LandOnly bool // land what is ready, whatever the mode, and start no attempt
	Shared   []string
	Manual   bool                      // landing.mode: manual
	Stop     <-chan struct{}           // closed at the first Ctrl-C: start nothing more
	Wait     time.Duration             // how long a quota is waited for when nothing else can start; 0: not at all
	Backoff  []time.Duration           // between tries after infrastructure; nil: DefaultBackoff
	Priced   func(agent string) bool   // whether an agent's cost is known; nil: it is not
	Missing  func(agent string) string // why the settings name no such agent; "" when they do; nil: they do
	Slots    func(agent string) int    // how many of an agent (its entry's name) may run at once; 0: any number; nil: any number of each

	USD               float64       // the run's money, reported and estimated; 0: no cap
	Until             time.Time     // nothing starts from then on; it stands in the place of Wait; zero: no such time
	StopOnEscalations int           // nothing starts after so many tasks came to need a person; 0: never
	Watch             bool          // stay, and take up what comes
	Renew             time.Duration // how often the lease of a claim is renewed; 0: record.RenewEvery
	Poll              time.Duration // how often a run that waits looks at clock, head and holders; 0: 5 s
}

// DefaultBackoff is how long the second and the third try wait.
var DefaultBackoff = [2]time.Duration{2 * time.Second, 15 * time.Second}

// Note is one line of progress for people.
type Note struct {
	Kind, Task, Text string        // minted (a line of the mint pass), started, ended, refused, retry, landed, ready, blocked, escalated, waits, watching, asks, warn
	Attempt          int           // 0 where it is about none
	Out              Outcome       // of landed: what the task came to in this run
	Until            time.Time     // of waits: the time that is waited for
	Limit            time.Duration // of started: how long the attempt may take; 0: no limit
}
