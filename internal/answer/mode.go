package answer

import (
	"context"
	"errors"

	"torve/internal/board"
	"torve/internal/git"
)

// How a requeued task goes on.
const (
	Ask      = "ask"      // the kept tree is asked again, with no agent
	Continue = "continue" // an agent goes on from the kept tree
	Fresh    = "fresh"    // an agent starts over
)

// byReason is how a task goes on that was escalated for a reason, where the reason
// alone says it. What broke outside the work is no fault of the work: it is asked
// again. What the work did not get done is gone on from.
var byReason = map[string]string{
	"push_refused":      Ask,
	"infrastructure":    Ask,
	"killed":            Continue,
	"exhausted":         Continue,
	"locked_conflict":   Continue,
	"underspecified":    Continue,
	"blocker_finding":   Continue,
	"merge_conflict":    Continue,
	"review_closed":     Continue,
	"agent_unavailable": Continue,
	"base_red":          Continue,
	"pack_over_window":  Fresh,
	"isolation_broken":  Fresh,
}

// byCheck is how a task goes on that one check refused: another try of the same
// cannot mend what shape, verb, grounding and law say no to.
var byCheck = map[string]string{
	"shape": Fresh, "verb": Fresh, "grounding": Fresh, "law": Fresh,
	"reach":     Continue,
	"freshness": Ask,
}

// likely is the mode when the person names none: by what the task was escalated for,
// else by what the gate last said of its work. A scope that was widened since lets the
// kept tree be asked.
func likely(t *board.Task) string {
	work := kept(t)
	switch e := t.Escalation; {
	case work == nil:
		return Fresh
	case e == nil:
		return byLastWord(work)
	case e.Reason == "scope" && work.Started.Contract != t.Digest:
		return Ask
	case e.Reason == "scope":
		return Fresh
	case e.Reason == "refused":
		return byCheck[e.Check]
	default:
		return byReason[e.Reason]
	}
}

func byLastWord(work *board.Attempt) string {
	switch last := work.Last(); {
	case last == nil:
		return Continue
	case last.Verdict == "accepted":
		return Ask
	default:
		return byCheck[last.Check]
	}
}

// kept is the newest attempt whose tree is kept; nil when none is.
func kept(t *board.Task) *board.Attempt {
	for i := len(t.Attempts) - 1; i >= 0; i-- {
		if f := t.Attempts[i].Finished; f != nil && f.Head != "" {
			return &t.Attempts[i]
		}
	}
	return nil
}

// there reports whether a kept tree is in this repository.
func (s *Station) there(ctx context.Context, work *board.Attempt) (bool, error) {
	if work == nil {
		return false, nil
	}
	_, err := s.Repo.Resolve(ctx, work.Finished.Head)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
