package answer

import (
	"context"
	"fmt"
	"slices"

	"torve/internal/board"
	"torve/internal/failpoint"
	"torve/internal/record"
	"torve/internal/truth"
)

// Requeue puts a task back and gives the mode in which it goes on. With mode "" it is
// picked by what the task was escalated for; ask, continue or fresh name it. What ran
// here and the record does not know is put on the board by the same append, and so is
// what landed and was taken out again. The note is for the record, never for the agent.
func (s *Station) Requeue(ctx context.Context, task, mode, note string) (string, error) {
	if mode != "" && !slices.Contains(record.RequeueModes, mode) {
		return "", fmt.Errorf("requeuing %s: %q is no way to go on: %v are", task, mode, record.RequeueModes)
	}
	err := s.settledAnew(ctx, task, func(r *truth.Reading, settled truth.Settled) error {
		if no := mayRequeue(settled, mode); no != nil {
			return no
		}
		if t := settled.Board(); t == nil || t.Digest == "" || settled.State() == truth.Removed {
			return s.putBack(ctx, r, settled, &mode, note)
		}
		return s.again(ctx, settled, &mode, note)
	})
	return mode, err
}

// mayRequeue says why a state does not allow it. What waits its turn or for its landing
// needs no answer; a person may still say how it shall go on.
func mayRequeue(s truth.Settled, mode string) *NotAllowed {
	id := s.Task()
	if t := s.Board(); t != nil && t.InFlight() && s.Carrier() == truth.Board {
		return not(s, "torve status "+id, "it is being worked on: see what comes of it first")
	}
	switch s.State() {
	case board.Escalated, board.Abandoned, truth.RanHere, truth.Removed:
		return nil
	case board.Queued:
		if mode != "" {
			return nil
		}
		return not(s, "torve dispatch "+id, "it is queued already")
	case board.Ready:
		if mode != "" {
			return nil
		}
		return not(s, "torve land "+id, "its work may land as it is")
	case board.InReview:
		return not(s, "torve abandon "+id, "its pull request is open")
	}
	return elsewhere(s)
}

// elsewhere refuses for a state that neither requeue nor abandon nor widen can change.
func elsewhere(s truth.Settled) *NotAllowed {
	id := s.Task()
	switch s.State() {
	case board.Landed:
		return not(s, `torve new "what is still wanted"`, "new work takes a new id")
	case board.Reverted:
		return not(s, `torve new "what is wanted again"`, "a landing reverts it, and new work takes a new id")
	case board.Withdrawn:
		return not(s, "torve mint "+id, "its contract is gone from the target; the same contract, committed again, brings it back")
	case truth.Committed:
		return not(s, "torve mint "+id, "nothing has been tried yet")
	case truth.Draft:
		return not(s, fmt.Sprintf("git add .torve && git commit -m %q", "Ask for "+id), "its contract is not committed on the target")
	case truth.Broken:
		f := s.Fault()
		return not(s, f.Err.Hint, "%s", f.Err.Error())
	case "":
		return not(s, "torve status", "no carrier knows it")
	}
	return not(s, "torve why "+id, "nothing is to be answered")
}

// again requeues what is on the board.
func (s *Station) again(ctx context.Context, settled truth.Settled, mode *string, note string) error {
	t := settled.Board()
	there, err := s.there(ctx, kept(t))
	if err != nil {
		return fmt.Errorf("looking for the kept work of %s: %w", t.ID, err)
	}
	how := *mode
	switch {
	case how == "" && !there:
		how = Fresh
	case how == "":
		how = likely(t)
	case how != Fresh && !there:
		if work := kept(t); work != nil && record.Shared(s.Log) {
			return not(settled, "torve requeue "+t.ID+" --fresh", "the work to %s is in %s, and not in this clone", verb(how), work.Place())
		}
		return not(settled, "torve requeue "+t.ID+" --fresh", "no kept work of it is in this repository to %s", verb(how))
	}
	if err := s.append(ctx, t.ID, t.Last, record.Resolved{Answer: "requeued", Mode: how, Note: note}); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AnswerRequeued)
	*mode = how
	return nil
}

func verb(mode string) string {
	if mode == Ask {
		return "be asked again"
	}
	return "go on from"
}

// putBack mints what the record does not have in force and queues it, in one append:
// from then on the board says where it stands. A kept tree of an earlier record is
// none that this record can vouch for.
func (s *Station) putBack(ctx context.Context, r *truth.Reading, settled truth.Settled, mode *string, note string) error {
	id := settled.Task()
	if *mode == Ask || *mode == Continue {
		if t := settled.Board(); t != nil && t.Digest != "" {
			return s.again(ctx, settled, mode, note)
		}
		return not(settled, "torve requeue "+id, "the record holds no attempt of it to %s", verb(*mode))
	}
	if _, committed := r.Contracts[id]; !committed {
		return not(settled, "torve status", "its contract is not on %s, so that there is nothing to put back", r.Target)
	}
	resolved := record.Resolved{Answer: "requeued", Mode: Fresh, Note: note}
	t := settled.Board()
	payloads := []record.Payload{resolved}
	if t == nil || t.Digest == "" {
		m, refused, err := s.Facts(ctx, id)
		switch {
		case err != nil:
			return fmt.Errorf("reading the contract of %s: %w", id, err)
		case refused != "":
			return not(settled, "torve mint "+id, "its contract does not come into force: %s", refused)
		}
		payloads = []record.Payload{m, resolved}
	}
	if err := s.append(ctx, id, lastOf(t), payloads...); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AnswerPutBack)
	*mode = Fresh
	return nil
}
