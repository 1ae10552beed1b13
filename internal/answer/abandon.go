package answer

import (
	"context"
	"fmt"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/failpoint"
	"torve/internal/record"
	"torve/internal/truth"
)

// Abandon ends a task that is no longer wanted. Its kept work stays on its refs, and
// requeue revives it; this host's state file goes, as the record says the same now.
func (s *Station) Abandon(ctx context.Context, task, note string) error {
	err := s.settledAnew(ctx, task, func(_ *truth.Reading, settled truth.Settled) error {
		if no := mayAbandon(settled); no != nil {
			return no
		}
		return s.append(ctx, task, settled.Board().Last, record.Resolved{Answer: "abandoned", Note: note})
	})
	if err != nil || s.States == "" {
		return err
	}
	failpoint.Hit(failpoint.AnswerAbandoned)
	if err := carrier.RemoveState(s.States, task); err != nil {
		return fmt.Errorf("%s is abandoned: %w", task, err)
	}
	return nil
}

func mayAbandon(s truth.Settled) *NotAllowed {
	id := s.Task()
	if t := s.Board(); t != nil && t.InFlight() && s.Carrier() == truth.Board {
		return not(s, "torve status "+id, "it is being worked on: see what comes of it first")
	}
	switch s.State() {
	case board.Queued, board.Ready, board.InReview, board.Escalated:
		return nil
	case board.Abandoned:
		return not(s, "torve status", "there is nothing left to end")
	case truth.RanHere, truth.Removed, truth.Committed:
		return not(s, "git rm -r "+contract.Folder+"/"+id, "it is not on the board; without its contract it ends")
	}
	return elsewhere(s)
}
