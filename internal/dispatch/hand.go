package dispatch

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"torve/internal/board"
	"torve/internal/truth"
)

// try calls a hand; a panic in it is that task's infrastructure, and no other's.
func try[R any](ctx context.Context, hand func(context.Context, Job) (R, error), j Job) (out R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the run broke: %v", p)
		}
	}()
	if hand == nil {
		return out, fmt.Errorf("no hand was given for this step")
	}
	return hand(ctx, j)
}

// agentFor is the agent of the next attempt: the run's, else the contract's list gone
// up one an attempt, else the configuration's.
func (s *Station) agentFor(t *board.Task) string {
	if s.Options.Agent != "" {
		return s.Options.Agent
	}
	return orElse(t.Contract.Agent.At(t.Counted+1), s.Options.Default)
}

// missing is why the settings cannot name an agent for a task's next step; "" when they
// can, and when it needs none.
func (s *Station) missing(t *board.Task) string {
	if s.Options.Missing == nil || next(t, memory{}).do != doAttempt {
		return ""
	}
	return s.Options.Missing(s.agentFor(t))
}

// nextN is one more than the highest number in the record, the refs, the state file
// and the landings: numbers never restart. A task that a person put on the board may have
// had a landing that was taken out of the tree since; history alone tells its number.
func (s *Station) nextN(ctx context.Context, rd *truth.Reading, t *board.Task) (int, error) {
	n := max(t.NextAttempt(), rd.States[t.ID].Attempt+1)
	for _, l := range rd.Landings {
		if l.Task == t.ID {
			n = max(n, l.Attempt+1)
		}
	}
	if len(t.Attempts) == 0 && t.Answer != nil {
		highest, err := truth.HighestLanded(ctx, s.Repo, rd.Head, t.ID)
		if err != nil {
			return 0, err
		}
		n = max(n, highest+1)
	}
	under := "refs/torve/attempts/" + t.ID + "/"
	refs, err := s.Repo.Refs(ctx, under)
	if err != nil {
		return 0, fmt.Errorf("listing kept trees: %w", err)
	}
	for ref := range refs {
		if k, err := strconv.Atoi(strings.TrimPrefix(ref, under)); err == nil {
			n = max(n, k+1)
		}
	}
	return n, nil
}
