package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/failpoint"
	"torve/internal/record"
	"torve/internal/truth"
)

// ErrGoesOn is returned by Stop when the task did not end within the time given.
var ErrGoesOn = errors.New("it has not ended yet")

// Stopped is what became of a task that a person stopped.
type Stopped struct {
	State   board.State // escalated; another where it came to its end by itself just then
	Why     string      // of escalated: the reason; another than killed where it came to that by itself just then
	Attempt int         // its newest; 0 when none was started
	Counts  bool        // that attempt counts: its agent had ended, and the gate was stopped
	Agent   string
	Kept    string // the ref of that attempt's tree; "" when none is kept
	There   string // the clone that has it, where this one has not
	Commit  string // of a task that had landed
}

// Stop ends the attempt that runs for a task: it tells whoever holds the claim, over the
// record, and waits until the claim is let go, at most so long (awake time). The tree is
// kept, and the task needs a person. asked is told once the record has it.
func (s *Station) Stop(ctx context.Context, task string, within time.Duration, asked func(board.Task)) (Stopped, error) {
	var claim string
	var from record.Seq
	err := s.settledAnew(ctx, task, func(_ *truth.Reading, settled truth.Settled) error {
		no, err := s.mayStop(settled)
		if err != nil {
			return err
		}
		if no != nil {
			return no
		}
		t := settled.Board()
		claim = t.Claim.ID
		if from, err = s.tell(ctx, task, claim, record.Stop); err == nil {
			failpoint.Hit(failpoint.AnswerStop)
			asked(*t)
		}
		return err
	})
	if err != nil {
		return Stopped{}, err
	}
	if err := s.letGo(ctx, task, claim, from, within); err != nil {
		return Stopped{}, err
	}
	r, err := s.Gather(ctx)
	if err != nil {
		return Stopped{}, err
	}
	out := stoppedAs(r.Settled(task))
	if t := r.Settled(task).Board(); out.Kept != "" {
		a := t.Attempt(out.Attempt)
		here, err := truth.Here{Repo: s.Repo, Log: s.Log}.Kept(ctx, a)
		if err != nil {
			return Stopped{}, err
		}
		if !here {
			out.There = a.Place()
		}
	}
	return out, nil
}

// mayStop asks that something runs for the task, and that its holder is there to hear.
func (s *Station) mayStop(settled truth.Settled) (*NotAllowed, error) {
	id, t := settled.Task(), settled.Board()
	running := slices.Contains([]board.State{board.Claimed, board.Running, board.Gated}, settled.State())
	switch {
	case settled.Carrier() == truth.Board && settled.State() == board.Ready && t.Claim != nil:
		return not(settled, "torve status "+id, "it is being landed"), nil
	case !running || settled.Carrier() != truth.Board || t.Claim == nil:
		no := elsewhere(settled)
		if settled.Known() && settled.State() != truth.Broken {
			no.Why = "nothing runs for it"
		}
		if slices.Contains([]board.State{board.Queued, board.Ready, board.Escalated, board.InReview}, settled.State()) {
			no.Hint = "torve status " + id
		}
		return no, nil
	}
	lives, err := s.Lives(t.Claim)
	if err != nil || lives {
		return nil, err
	}
	return not(settled, "torve dispatch", "process %d on %s, which ran it, is gone; the next dispatch takes it over", t.Claim.PID, t.Claim.Host), nil
}

// tell sends a line to whoever holds a claim, while it is open.
func (s *Station) tell(ctx context.Context, task, claim, text string) (record.Seq, error) {
	e, err := record.New(record.Message{To: claim, Text: text}, s.Now(), record.Envelope{
		Task: task, Claim: claim, Host: s.Host, Actor: record.Actor{Kind: record.ByPerson, ID: s.By},
	})
	if err != nil {
		return 0, fmt.Errorf("recording that %s is to stop: %w", task, err)
	}
	return s.Log.Append(ctx, s.Partition, record.Holding(task, claim), e)
}

// lifeCheck is how often it is asked whether the holder still lives.
const lifeCheck = time.Second

// letGo waits until a claim is released. A holder that dies meanwhile lets go of it, too:
// nothing waits for a claim that only the next dispatch can release.
func (s *Station) letGo(ctx context.Context, task, claim string, from record.Seq, within time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("%s: %w after %s", task, ErrGoesOn, within))
	defer cancel()
	released := make(chan error, 1)
	go func() {
		for e, err := range s.Log.Watch(ctx, s.Partition, from) {
			if err != nil || e.Kind == record.KindReleased && e.Claim == claim {
				released <- err
				return
			}
		}
		released <- context.Cause(ctx)
	}()
	tick := time.NewTicker(lifeCheck)
	defer tick.Stop()
	for {
		select {
		case err := <-released:
			return err
		case <-tick.C:
			r, err := s.Gather(ctx)
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), over(cancel, released))
			}
			if err != nil {
				return errors.Join(err, over(cancel, released))
			}
			t := r.Settled(task).Board()
			if t == nil || t.Claim == nil || t.Claim.ID != claim {
				continue // the release is on its way here
			}
			if lives, err := s.Lives(t.Claim); err == nil && !lives {
				over(cancel, released)
				return &NotAllowed{Task: task, State: t.State, Carrier: truth.Board, Hint: "torve dispatch",
					Why: "whoever ran it died meanwhile; the next dispatch takes it over"}
			}
		}
	}
}

// over ends the watch; its own end is no news.
func over(cancel context.CancelFunc, released <-chan error) error {
	cancel()
	<-released
	return nil
}

func stoppedAs(s truth.Settled) Stopped {
	out := Stopped{State: s.State()}
	t := s.Board()
	if t == nil {
		return out
	}
	if t.Escalation != nil {
		out.Why = t.Escalation.Reason
	}
	if t.Landing != nil {
		out.Commit = t.Landing.Commit
	}
	if n := len(t.Attempts); n > 0 {
		a := t.Attempts[n-1]
		out.Attempt, out.Agent = a.N, a.Started.Agent.Adapter
		if a.Finished != nil {
			out.Kept, out.Counts = a.Finished.Ref, board.Counts(a.Finished.End)
		}
	}
	return out
}
