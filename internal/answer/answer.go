// Package answer is the station of a person: requeue, abandon and widen. Each
// says what the state allows and appends the answer to the record.
package answer

import (
	"context"
	"errors"
	"fmt"
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
	Push      string // the remote whose branch the target is; "" when it is the local branch
	States    string // the folder of this host's state files; "" for none
	Gather    func(ctx context.Context) (*truth.Reading, error)
	Remint    func(ctx context.Context, task string) error // mint's pass over one task
	Lives     func(c *board.Claim) (bool, error)           // whether a claim's holder is there still; of stop alone

	// Facts is what a mint of the committed contract would write now, whatever this
	// host's state file says; refused is why it would not come into force.
	Facts func(ctx context.Context, task string) (m record.Minted, refused string, err error)
}

// NotAllowed is returned when the state does not allow the answer.
type NotAllowed struct {
	Task    string
	State   board.State
	Carrier truth.Carrier
	Why     string
	Hint    string // a command that may be pasted; "" when there is none
}

// Error names the state and its carrier.
func (e *NotAllowed) Error() string {
	if e.Carrier == "" {
		return fmt.Sprintf("%s is not known here: %s", e.Task, e.Why)
	}
	return fmt.Sprintf("%s is %s, settled by the %s: %s", e.Task, words(e.State), e.Carrier, e.Why)
}

// words is a state as people read it.
func words(s board.State) string {
	switch s {
	case board.Ready:
		return "accepted"
	case board.Escalated:
		return "escalated (needs you)"
	case truth.RanHere:
		return "not in the record, though it ran here"
	case truth.Removed:
		return "landed and taken out again"
	case truth.Committed:
		return "committed and not minted"
	case truth.Draft:
		return "a draft"
	case board.InReview:
		return "in review"
	}
	return string(s)
}

// not refuses an answer to a settled task.
func not(s truth.Settled, hint, format string, args ...any) *NotAllowed {
	return &NotAllowed{Task: s.Task(), State: s.State(), Carrier: s.Carrier(), Hint: hint, Why: fmt.Sprintf(format, args...)}
}

// tries bounds how often an answer is thought over because others wrote meanwhile.
const tries = 20

// settledAnew gathers, settles one task, and lets do answer; again when the record
// has moved on under it.
func (s *Station) settledAnew(ctx context.Context, task string, do func(*truth.Reading, truth.Settled) error) error {
	var err error
	for range tries {
		var r *truth.Reading
		if r, err = s.Gather(ctx); err != nil {
			return err
		}
		settled := r.Settled(task)
		if err := settled.Err(); err != nil {
			return err
		}
		if err = do(r, settled); !errors.Is(err, record.ErrMoved) {
			return err
		}
	}
	return fmt.Errorf("answering for %s: %w, %d times running", task, err, tries)
}

// append writes payloads of a task, from the person, while its last event is the one
// that was seen.
func (s *Station) append(ctx context.Context, task string, last record.Seq, payloads ...record.Payload) error {
	events := make([]record.Event, len(payloads))
	for i, p := range payloads {
		e, err := record.New(p, s.Now(), record.Envelope{
			Task: task, Host: s.Host, Actor: record.Actor{Kind: record.ByPerson, ID: s.By},
		})
		if err != nil {
			return fmt.Errorf("recording an answer for %s: %w", task, err)
		}
		events[i] = e
	}
	_, err := s.Log.Append(ctx, s.Partition, record.TaskAt(task, last), events...)
	return err
}

// lastOf is the task's last event; 0 when the record has none.
func lastOf(t *board.Task) record.Seq {
	if t == nil {
		return 0
	}
	return t.Last
}
