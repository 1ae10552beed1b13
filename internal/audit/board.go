package audit

import (
	"context"
	"fmt"

	"torve/internal/board"
	"torve/internal/record"
)

// starts takes attempt.started: a number is used once, under the claim that is open.
func (s *story) starts(e record.Event) {
	id := attemptID{e.Task, e.Attempt}
	if was := s.attempts[id]; was != nil {
		s.fault("number", e, "attempt %d of %s was started by event %d, and event %d starts it again", e.Attempt, e.Task, was.started, e.Seq)
		return
	}
	s.attempts[id] = &attemptTold{started: e.Seq}
	s.fenced(e)
}

// follows takes what may only come after an attempt was started.
func (s *story) follows(e record.Event) {
	if s.attempts[attemptID{e.Task, e.Attempt}] == nil {
		s.fault("order", e, "event %d, %s, is of attempt %d of %s, which no event started", e.Seq, e.Kind, e.Attempt, e.Task)
		return
	}
	s.fenced(e)
}

// fenced asks that a fact of a run was written by whoever held the task.
func (s *story) fenced(e record.Event) {
	if open := s.open[e.Task]; e.Claim != open {
		s.fault("fence", e, "event %d, %s of %s, was written under claim %q, and the open one was %q", e.Seq, e.Kind, e.Task, e.Claim, open)
	}
}

func (s *story) fault(what string, e record.Event, format string, args ...any) {
	s.wrong = append(s.wrong, fault{what, e.Task, fmt.Sprintf(format, args...)})
}

// askBoard asks what the events say of attempts, in their order, and that what was
// accepted and waits to land can still be made.
func (i *inquiry) askBoard(ctx context.Context) (int, error) {
	for _, f := range i.story.wrong {
		i.differ(f.what, f.task, "%s", f.says).by("torve why " + f.task)
	}
	var ids []string
	waiting := map[string]string{} // tree → task
	for _, t := range i.r.Board.Tasks {
		if t.Accepted != nil && t.State == board.Ready && (t.Attempt(t.Accepted.Attempt) == nil || i.ours(t.Attempt(t.Accepted.Attempt))) {
			ids = append(ids, t.Accepted.Tree)
			waiting[t.Accepted.Tree] = t.ID
		}
	}
	there, err := i.Repo.Present(ctx, ids)
	if err != nil {
		return 0, err
	}
	for tree, task := range waiting {
		if there[tree] == "" {
			i.note("the tree that was accepted of %s is gone; it is made again from the kept commit", task)
		}
	}
	return len(i.story.attempts), nil
}
