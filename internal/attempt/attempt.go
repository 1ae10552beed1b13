// Package attempt is the station that makes one attempt at a claimed task: it
// cuts a worktree, asks the base first, runs the agent, takes the changes
// itself, keeps the tree on a ref, and puts the proposal to the gate.
//
// Rules kept here:
//
//   - One attempt, one worktree, cut from a freshly resolved base, never reused for
//     another attempt, and verified before the agent starts.
//   - The base is asked first; a red base costs nothing: no event, no number.
//   - attempt.started is in the record before the agent runs.
//   - Whatever the end, the tree is on refs/torve/attempts/<task>/<n> before
//     anything else happens.
//   - The changes are what the host finds in the tree, never what the agent says.
//   - Nothing is removed that a ref, the record or torve itself does not hold.
package attempt

import (
	"context"
	"sync"
	"time"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/workload"
)

// Settings are the repository's, as plain values.
type Settings struct {
	Root                                     string // where worktrees are made
	States                                   string // the .wt folder
	Telemetry                                string // the telemetry file; "" for none
	Caches                                   string // tool caches that torve owns
	Target                                   string // branch name
	Setup                                    []string
	Teardown                                 []string
	Copy                                     []string
	Keep                                     []string
	Acceptance                               []string // the repository's own lines, after the contract's
	SetupLimit, AcceptanceLimit, Idle, Grace time.Duration
	Terms                                    gate.Terms
	Agents                                   map[string]agent.Setting
	Default                                  string // agent
	Walls                                    string // "none" until a wall is up
}

// Station makes attempts in one repository.
type Station struct {
	Repo      *git.Repo
	Log       record.Log
	Partition record.Partition
	Host      string
	Now       func() time.Time
	Note      func(Note)                                // progress for people; may be nil
	Head      func(ctx context.Context) (string, error) // the target's head, fresh; nil: the job's is taken
	Settings  Settings
	Board     func(ctx context.Context) (*board.Board, error) // the record's fold as it is now; nil: the station follows the record itself

	memory   truth.Memory
	bases    baseMemory
	slots    slots
	compared recent[[]git.Delta]
	gained   recent[map[string][]git.Line]
}

// Note is one line of progress.
type Note struct {
	Kind       string // base, started, judged, retry, warn
	Task, Text string
	Attempt    int
}

// Job is one attempt to make.
type Job struct {
	Task     board.Task                                                             // as folded; its open claim is ours
	Head     string                                                                 // the target's head, freshly resolved
	N        int                                                                    // the attempt's number
	Mode     string                                                                 // first, repair, fresh, continue
	From     string                                                                 // kept commit to go on from; "" for first and fresh
	Evidence string                                                                 // of the place, for a repair: the command, its output, the hunks
	Agent    string                                                                 // adapter or adapter@model
	Landed   func(ctx context.Context, head string, ids []string) ([]string, error) // those of ids that have not landed at head
	Stop     <-chan struct{}                                                        // closed when a person stops this very attempt; nil: nobody can
}

// Result is what became of it.
type Result struct {
	N        int
	End      string // as attempt.finished; base_red, base_broken before any agent was started
	Why      string
	Judged   *workload.Judged // nil when it was not judged
	Base     string
	Kept     string // commit on Ref
	Ref      string
	Worktree string
	Counts   bool // against the budget
	Usage    agent.Usage
	Red      *BaseRed
	Until    time.Time
	Evidence string // of the place, for the next repair; "" when there is none
	Reason   string // escalation for halted: locked_conflict or underspecified
	Missing  bool   // of unavailable: what the agent needs is not on this host, and another try finds no more
}

// Ends of an attempt that the record never sees: no agent was started.
const (
	EndBaseRed    = "base_red"    // the repository's own acceptance or setup does not pass on the base
	EndBaseBroken = "base_broken" // a line of the contract itself cannot be asked of the base
)

// The ends of the record that are named in this package.
const (
	endDone        = "done"
	endHalted      = "halted"
	endCrashed     = "crashed"
	endIsolation   = "isolation"
	endInterrupted = "interrupted"
	endBroken      = "infrastructure"
	endUnavailable = "unavailable"
	endStopped     = "stopped"
)

// BaseRed is what the base said before an agent was paid.
type BaseRed struct {
	Own  bool // a contract's own line, else the repository's acceptance
	Line string
	Why  string // exited 1: …; or: it passed, and the contract says base: red
	Mend string // the likely mend
	Head string
}

// note tells people; a station without ears says nothing.
func (s *Station) note(kind, task string, n int, text string) {
	if s.Note != nil {
		s.Note(Note{Kind: kind, Task: task, Attempt: n, Text: text})
	}
}

// slots gives each attempt that runs here a small number of its own, so that two
// agents side by side can choose ports and folders that do not meet.
type slots struct {
	mu   sync.Mutex
	used map[int]bool
}

// take is the lowest free slot, and how to give it back.
func (s *slots) take() (slot int, free func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil {
		s.used = map[int]bool{}
	}
	for s.used[slot] {
		slot++
	}
	s.used[slot] = true
	return slot, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.used, slot)
	}
}
