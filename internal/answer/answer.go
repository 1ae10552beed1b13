// Package answer is the station of a person: requeue, abandon and widen. Each
// says what the state allows and appends the answer to the record.
package answer

import (
	"context"
	"time"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// Station answers in one repository.
type Station struct {
	Repo      *git.Repo
	Log       record.Log
	Partition record.Partition
	Host, By  string
	Now       func() time.Time
	Target    string
	Gather    func(ctx context.Context) (*truth.Reading, error)
	Remint    func(ctx context.Context, task string) error // mint's pass over one task
}

// NotAllowed is returned when the state does not allow the answer.
type NotAllowed struct {
	Task    string
	State   board.State
	Carrier truth.Carrier
	Why     string
	Hint    string
}

// Error names the state and its carrier.
func (e *NotAllowed) Error() string { return e.Why }

// Requeue puts a task back: mode "" picks by what it was refused for; ask, continue or fresh name it.
func (s *Station) Requeue(ctx context.Context, task, mode, note string) (string, error) {
	panic("unwritten")
}

// Abandon ends a task that is no longer wanted.
func (s *Station) Abandon(ctx context.Context, task, note string) error { panic("unwritten") }

// Widening is the edit of a contract that lets more paths in.
type Widening struct {
	Task, Path    string
	Before, After []byte
	Globs         []string
}

// Widen makes the edit and shows it; nothing is written.
func (s *Station) Widen(ctx context.Context, task string, globs []string) (Widening, error) {
	panic("unwritten")
}

// Commit commits the edit on the target, re-mints and requeues.
func (s *Station) Commit(ctx context.Context, w Widening, note string) (string, error) {
	panic("unwritten")
}
