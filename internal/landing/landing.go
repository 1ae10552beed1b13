// Package landing is the station that moves the target: it writes W, L and M,
// asks the gate of the very tree that would land, and moves the branch in the
// one safe way. Only the gate's yes, or a person's attestation, lands.
//
// Its rules: the merged tree is built and gated outside the target's lock; inside
// it, in this order, the claim is still held, the head is unmoved, compare-and-swap,
// then the record. What lands without its one new landing file is the tree that was
// judged. A person's work tree is moved by a fast-forward that overwrites nothing, or
// not at all. Git is written before the record, and the record is repaired from git.
package landing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"torve/internal/board"
	"torve/internal/failpoint"
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
	Board     func(ctx context.Context) (*board.Board, error) // the record's fold as it is now; nil: it is read for each question
}

// Job is accepted work to land. Due asks the gate about the merge with a head, and
// appends its answer to the record itself.
type Job struct {
	Task    board.Task
	Claim   string
	Attempt board.Attempt
	Due     func(ctx context.Context, head string) (workload.Judged, error)
}

// Outcome is what became of it: exactly one of its fields is set.
type Outcome struct {
	Landed  *Landed
	Refused *workload.Judged // the due answer that said no
	Blocked *Blocked         // accepted, and the target could not be moved now
	Already *Already         // the head holds a landing of this task: nothing was landed twice
}

// Landed is where it landed.
type Landed struct {
	Work, Head, Onto, Path, Tree string // W, M, the head before, the landing file, G
	At                           time.Time
	Judged                       workload.Judged // the zero value when attested
}

// Blocked is why the target did not move; it costs no attempt.
type Blocked struct {
	Why, Next string // Next is a command to paste
	Escalate  string // a reason of the closed list, where waiting mends nothing: push_refused
}

// Already names the landing of the task that the head holds, and its work commit.
type Already struct{ Path, Commit string }

// losses is how many races are lost outside the lock before the task takes its place
// in the target's queue and is gated inside; most is how many are lost in all, which
// then only a person's own commits can cause.
const (
	losses = 2
	most   = 12
)

// Land lands accepted work. A refusal and a target that cannot be moved are values;
// an error is infrastructure, or wraps record.ErrMoved when the claim is lost.
func (s *Station) Land(ctx context.Context, j Job) (Outcome, error) {
	for lost := 0; lost < most; lost++ {
		out, moved, err := s.once(ctx, j, lost >= losses)
		if err != nil {
			return Outcome{}, fmt.Errorf("landing %s on %s: %w", j.Task.ID, s.Target, err)
		}
		if !moved {
			return out, nil
		}
	}
	return Outcome{Blocked: &Blocked{
		Why:  fmt.Sprintf("%s moved %d times while the work was judged", s.Target, most),
		Next: "torve land " + j.Task.ID,
	}}, nil
}

// once judges and lands over one head; moved says that the head was lost to another.
func (s *Station) once(ctx context.Context, j Job, ticket bool) (out Outcome, moved bool, err error) {
	if ticket {
		release, err := s.lock(ctx)
		if err != nil {
			return out, false, err
		}
		defer release()
	}
	head, err := s.head(ctx)
	if err != nil {
		return out, false, err
	}
	if out.Already, err = s.already(ctx, head, j.Task.ID); err != nil || out.Already != nil {
		return out, false, err
	}
	due, err := j.Due(ctx, head)
	if err != nil {
		return out, false, fmt.Errorf("asking the gate about the merge with %.7s: %w", head, err)
	}
	yes, said := accepted(due, head)
	if !said {
		return Outcome{Refused: &due}, false, unanswered(due, head)
	}
	l, err := s.build(ctx, j, head, yes)
	if err != nil {
		return out, false, err
	}
	failpoint.Hit(failpoint.LandingWritten)
	if !ticket {
		release, err := s.lock(ctx)
		if err != nil {
			return out, false, err
		}
		defer release()
	}
	return s.inside(ctx, j, l, due)
}

// inside is what happens under the target's lock, in this order: the claim is still
// held, the head is unmoved, compare-and-swap, then the record.
func (s *Station) inside(ctx context.Context, j Job, l landable, due workload.Judged) (out Outcome, moved bool, err error) {
	if err := s.holds(ctx, j.Task.ID, j.Claim); err != nil {
		return out, false, err
	}
	blocked, moved, err := s.advance(ctx, l)
	if errors.Is(err, errPruned) {
		err = s.mended(ctx, j, l, due)
	}
	if err != nil || moved || blocked != nil {
		return Outcome{Blocked: blocked}, moved, err
	}
	if err := s.recorded(ctx, j.Claim, l); err != nil {
		return out, false, fmt.Errorf("it is on %s as %.7s, and not in the record yet: %w", s.Target, l.commit, err)
	}
	failpoint.Hit(failpoint.LandingRecorded)
	return Outcome{Landed: &Landed{
		Work: l.work, Head: l.commit, Onto: l.onto, Path: l.path, Tree: l.grounds.tree(), At: l.at, Judged: due,
	}}, false, nil
}

// lock serialises landings on one target.
func (s *Station) lock(ctx context.Context) (release func(), err error) {
	return s.Repo.Lock(ctx, "target-"+s.Target)
}
