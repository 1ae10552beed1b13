// Package workload is what an attempt works on, behind one interface: code, and
// later the world. A workload fills a seam and gives the answers of its two
// moments as values that the record and the landing can carry.
package workload

import (
	"context"
	"errors"

	"torve/internal/contract"
	"torve/internal/gate"
	"torve/internal/seam"
)

// The two moments at which a proposal is asked about.
const (
	Arrival = "arrival"
	Due     = "due"
)

// What a check can say.
const (
	Yes      = "yes"
	No       = "no"
	NotAsked = "-"
)

// ErrHalted is returned by Arrive when the report says that the executor halted:
// that is no proposal, and it is not put to the seam.
var ErrHalted = errors.New("the executor halted: there is no proposal to judge")

// Judged is what the six said at one moment, with the very tree they were asked of.
type Judged struct {
	Moment     string // arrival or due
	Verdict    seam.Verdict
	Asked      int
	Answers    []Answer // always six, in order
	Acceptance []gate.Ran
	Tree       string // G: what would land without its landing file; "" when the place was not read
	Head       string // the target's head as read; "" when the place was not read
	Contract   string // digest
	Conflicts  []string
	Evidence   string   // of the place, for a repair: never a word of the verdict; "" when there is none
	Outside    []string // every changed path that scope alone refuses, when that was the clause
}

// Answer is one check's answer: yes, no, or - for not asked. Note is the reason
// of a no, what a yes saw, or why it was not asked.
type Answer struct{ Check, Said, Note string }

// Place takes readings for code proposals: git and the acceptance run.
type Place interface {
	// Changes is the attempt's tree against its base, as the host sees it.
	Changes(ctx context.Context) ([]gate.Change, error)
	// Arrival reads the place for a whole proposal: its own tree, run now.
	Arrival(ctx context.Context) (gate.Reading, string, error) // the tree that was run
	// Due reads the place as head stands: the merge, run unless that very tree passed already.
	Due(ctx context.Context, head string) (gate.Reading, string, error)
}

// Workload judges one attempt at its two moments.
type Workload interface {
	Arrive(ctx context.Context) (Judged, error)
	Due(ctx context.Context, head string) (Judged, error)
}

// Attempt is a code attempt as the host took it.
type Attempt struct {
	Contract contract.Contract
	Digest   string
	Base     string
	Report   []byte // nil when none was left
	Rows     []gate.Row
	Known    []string                   // ids it was given: rows, dependencies
	Resolves func(evidence string) bool // whether path:line is in the attempt's tree; nil: none is
	Pack     map[string]bool
}
