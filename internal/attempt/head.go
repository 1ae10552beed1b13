package attempt

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"torve/internal/failpoint"
	"torve/internal/gate"
	"torve/internal/process"
)

// headRoom begins the name of a room that is no attempt's; no task has such an id.
const headRoom = "head"

// Green runs the repository's own acceptance on a head's tree, outside any attempt: in a
// room of its own that is gone afterwards. Runs are the lines as they ran; red is the one
// that fails, or a setup line; nil when all pass. An error is that it could not be asked.
func (s *Station) Green(ctx context.Context, head string) (runs []gate.Ran, red *BaseRed, err error) {
	if len(s.Settings.Acceptance) == 0 {
		return nil, nil, nil
	}
	unlock, err := s.Repo.Lock(ctx, headRoom)
	if err != nil {
		return nil, nil, fmt.Errorf("waiting for who asks a head's acceptance: %w", err)
	}
	defer unlock()
	if err := s.clearHeads(ctx); err != nil {
		return nil, nil, err
	}
	a := about{task: headRoom, claim: rand.Text()}
	r, err := s.fresh(ctx, a, head)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.clear(context.WithoutCancel(ctx), r)) }()
	slot, free := s.slots.take()
	defer free()
	r.slot = slot
	return s.askHead(ctx, r, a)
}

// askHead sets a room up and runs the acceptance of its head there.
func (s *Station) askHead(ctx context.Context, r *room, a about) ([]gate.Ran, *BaseRed, error) {
	if red, err := s.furnish(ctx, r, a.task, a.n); red != nil || err != nil {
		return nil, red, err
	}
	tree, err := s.Repo.TreeID(ctx, r.Base)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the tree of %s: %w", short(r.Base), err)
	}
	runs, _, err := s.accept(ctx, r, tree, s.Settings.Acceptance, a)
	if err != nil {
		return nil, nil, err
	}
	failpoint.Hit(failpoint.AttemptHead)
	if why := s.tearDown(context.WithoutCancel(ctx), r, a.task, a.n); why != "" {
		s.note("warn", "", 0, why)
	}
	for _, ran := range runs {
		if ran.Why != "" {
			return runs, &BaseRed{Line: ran.Line, Why: strings.TrimSuffix(ran.Why+": "+ran.Last, ": "), Head: r.Base}, nil
		}
	}
	return runs, nil, nil
}

// heads are the rooms of heads that stand under the root.
func (s *Station) heads() ([]numbered, error) {
	return s.named(func(task string, _ int) bool { return task == headRoom })
}

// tidyHeads takes away the rooms of heads that a run left when it died; one who asks now
// has the lock.
func (s *Station) tidyHeads(ctx context.Context) error {
	if left, err := s.heads(); err != nil || len(left) == 0 {
		return err
	}
	unlock, got, err := s.Repo.TryLock(headRoom)
	if err != nil || !got {
		return err
	}
	defer unlock()
	return s.clearHeads(ctx)
}

// clearHeads is tidyHeads for who has the lock. What a dead run left running there is
// ended first.
func (s *Station) clearHeads(ctx context.Context) error {
	left, err := s.heads()
	if err != nil {
		return err
	}
	for _, r := range left {
		if s.strange(ctx, r) != "" {
			continue // a person's, that is called so
		}
		if r.Run != "" {
			process.EndMarked(r.Run, s.Settings.Grace)
		}
		if err := s.clear(ctx, r.room); err != nil {
			return fmt.Errorf("taking away the worktree %s that a dead run left: %w", r.dir, err)
		}
	}
	return nil
}
