// Package attempt is the station that makes one attempt at a claimed task: it
// cuts a worktree, asks the base first, runs the agent, takes the changes
// itself, keeps the tree on a ref, and puts the proposal to the gate.
package attempt

import (
	"context"
	"time"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/seam"
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
	Note      func(Note) // progress for people; may be nil
	Settings  Settings

	bases baseMemory
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
	Stop     <-chan struct{}                                                        // a person's second Ctrl-C
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
	Took     time.Duration
	Red      *BaseRed
	Until    time.Time
	Evidence string // of the place, for the next repair; "" when there is none
	Reason   string // escalation for halted: locked_conflict or underspecified
}

// BaseRed is what the base said before an agent was paid.
type BaseRed struct {
	Own  bool // a contract's own line, else the repository's acceptance
	Line string
	Why  string // exited 1: …; or: it passed, and the contract says base: red
	Mend string // the likely mend
	Head string
}

// Run makes one attempt, records it, and gives its result. An error is
// infrastructure: nothing was judged.
func (s *Station) Run(ctx context.Context, j Job) (Result, error) { panic("unwritten") }

// Again puts a kept tree to the gate once more, with no agent: a further
// gate.judged of the same attempt.
func (s *Station) Again(ctx context.Context, j Job, of board.Attempt) (Result, error) {
	panic("unwritten")
}

// Due asks the last two checks of an accepted attempt over the merge with head, and
// records the answer. It is what landing is handed.
func (s *Station) Due(ctx context.Context, j Job, of board.Attempt, head string) (workload.Judged, error) {
	panic("unwritten")
}

// Done puts away what the attempt used, when its work is landed and held.
func (s *Station) Done(ctx context.Context, task string, n int) error { panic("unwritten") }

type baseMemory struct{}

var _ = seam.Whole
