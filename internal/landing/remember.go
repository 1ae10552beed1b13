package landing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"torve/internal/board"
	"torve/internal/failpoint"
	"torve/internal/record"
	"torve/internal/truth"
)

func (s *Station) now() time.Time { return s.Now().UTC().Truncate(time.Second) }

// board is the record's fold as it is now.
func (s *Station) board(ctx context.Context) (*board.Board, error) {
	if s.Board != nil {
		return s.Board(ctx)
	}
	return board.Resume(ctx, s.Log, s.Partition)
}

// task is a task as the record has it now.
func (s *Station) task(ctx context.Context, id string) (*board.Task, error) {
	b, err := s.board(ctx)
	if err != nil {
		return nil, err
	}
	t := b.Tasks[id]
	if t == nil {
		return nil, fmt.Errorf("the record does not hold %s", id)
	}
	return t, nil
}

// holds asks that a claim is still open.
func (s *Station) holds(ctx context.Context, task, claim string) error {
	t, err := s.task(ctx, task)
	if err != nil {
		return err
	}
	if t.Claim == nil || t.Claim.ID != claim {
		return fmt.Errorf("the claim on %s is lost: %w", task, record.ErrMoved)
	}
	return nil
}

// facts are what the landing file says of the landing itself.
func (s *Station) facts(l landable) truth.Facts {
	return truth.Facts{
		At: l.at, Target: s.Target, Onto: l.onto, Work: l.work, Tree: l.grounds.tree(),
	}
}

// payload is the landing as the record has it.
func (s *Station) payload(l landable) record.Landed {
	return record.Landed{
		Path: l.path, Target: s.Target, Base: l.base, Onto: l.onto, Commit: l.work,
		Head: l.commit, Tree: l.grounds.tree(), Contract: l.digest,
	}
}

// recorded appends the landing under its claim; when the claim was lost meanwhile, as
// one that was found in git, for git holds it and nothing overrules it.
func (s *Station) recorded(ctx context.Context, claim string, l landable) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), swapTime)
	defer cancel()
	p := s.payload(l)
	e, err := record.New(p, l.at, s.envelope(l.task, l.attempt, claim, record.ByLanding))
	if err != nil {
		return err
	}
	_, err = s.Log.Append(ctx, s.Partition, record.Holding(l.task, claim), e)
	if !errors.Is(err, record.ErrMoved) {
		return err
	}
	p.Observed = true
	return s.observe(ctx, l.task, l.attempt, p)
}

// observe appends a landing that git holds, unless the record holds it by now.
func (s *Station) observe(ctx context.Context, task string, attempt int, p record.Landed) error {
	e, err := record.New(p, s.now(), s.envelope(task, attempt, "", record.ByLanding))
	if err != nil {
		return err
	}
	for {
		known, last, err := s.known(ctx, task, p.Path)
		if err != nil || known {
			return err
		}
		_, err = s.Log.Append(ctx, s.Partition, record.TaskAt(task, last), e)
		if !errors.Is(err, record.ErrMoved) {
			failpoint.Hit(failpoint.LandingObserved)
			return err
		}
	}
}

// known reports whether the record holds a landing file, and the task's last event. Of a
// task that is not on the board there is none: a record that was lost need not be read anew
// for each of its landings.
func (s *Station) known(ctx context.Context, task, path string) (known bool, last record.Seq, err error) {
	b, err := s.board(ctx)
	if err != nil || b.Tasks[task] == nil {
		return false, 0, err
	}
	for e, err := range s.Log.Read(ctx, s.Partition, 1) {
		if err != nil {
			return false, 0, err
		}
		if e.Task != task {
			continue
		}
		last = e.Seq
		if e.Kind != record.KindLanded {
			continue
		}
		p, err := record.Decode(e)
		if err != nil {
			return false, 0, err
		}
		if l, ok := p.(record.Landed); ok && l.Path == path {
			known = true
		}
	}
	return known, last, nil
}

func (s *Station) envelope(task string, attempt int, claim, actor string) record.Envelope {
	return record.Envelope{
		Task: task, Attempt: attempt, Claim: claim, Host: s.Host,
		Actor: record.Actor{Kind: actor, ID: s.Person.Name},
	}
}
