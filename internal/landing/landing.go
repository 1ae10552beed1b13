// Package landing is the station that moves the target: it writes W, L and M,
// asks the gate of the very tree that would land, and moves the branch in the
// one safe way. Only the gate's yes, or a person's attestation, lands.
package landing

import (
	"context"
	"time"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/workload"
)

// Station lands in one repository.
type Station struct {
	Repo      *git.Repo
	Log       record.Log
	Partition record.Partition
	Host      string
	Now       func() time.Time
	Target    string
	Push      string // a remote's name; "" does not push
	Sign      bool
	Person    git.Person
}

// Job is accepted work to land.
type Job struct {
	Task    board.Task
	Claim   string
	Attempt board.Attempt
	Due     func(ctx context.Context, head string) (workload.Judged, error)
}

// Outcome is what became of it: exactly one of Landed, Refused, Blocked.
type Outcome struct {
	Landed  *Landed
	Refused *workload.Judged // the due answer that said no
	Blocked *Blocked         // accepted, and the target could not be moved now
}

// Landed is where it landed.
type Landed struct {
	Work, Head, Onto, Path, Tree string // W, M, the head before, the landing file, G
	At                           time.Time
	Judged                       workload.Judged
}

// Blocked is why the target did not move; it costs no attempt.
type Blocked struct {
	Why, Next string // Next is a command to paste
}

// Land lands accepted work. An error is infrastructure.
func (s *Station) Land(ctx context.Context, j Job) (Outcome, error) { panic("unwritten") }

// Attest lands nothing new: it writes the landing file of work that a person did by
// hand, whose commit is on the target's line.
func (s *Station) Attest(ctx context.Context, t board.Task, sha string) (Landed, error) {
	panic("unwritten")
}

// Repair appends what git holds and the record does not: landing files in the target's
// tree that have no landing.recorded. It returns the tasks that it mended.
func (s *Station) Repair(ctx context.Context, b *board.Board) ([]string, error) { panic("unwritten") }
