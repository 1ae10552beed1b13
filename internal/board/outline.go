package board

import (
	"fmt"
	"slices"

	"torve/internal/contract"
	"torve/internal/record"
)

// Outline reports whether a task holds only what a board shows of it: who asked for what
// in one line, where it landed and what it cost. Glance alone gives such tasks, and of
// these no more than id, state, place and end until ReadOutlines is asked.
func (t *Task) Outline() bool { return t.outline }

// outlined reports whether a board shows no more of a task than its outline: it has landed
// and nobody holds it. Nearly all of a long record is so.
func (t *Task) outlined() bool {
	return (t.State == Landed || t.State == Reverted) && t.Claim == nil
}

// outlineOf leaves out what is long: intent, scope, the answers of the gate, the log.
func outlineOf(t *Task) *Task {
	o := *t
	c := t.Contract
	o.Contract = contract.Contract{ID: c.ID, Title: c.Title, Owner: c.Owner, Spec: c.Spec, Role: c.Role, Budget: c.Budget, Priority: c.Priority}
	o.Rows, o.Log, o.Proposed, o.Answer = nil, nil, nil, nil
	o.Blob, o.Commit = "", ""
	if l := t.Landing; l != nil {
		o.Landing = &record.Landed{Path: l.Path, Target: l.Target, Commit: l.Commit, Attested: l.Attested, Observed: l.Observed}
	}
	o.Attempts = nil
	for i := range t.Attempts {
		o.Attempts = append(o.Attempts, t.Attempts[i].outline())
	}
	o.outline = true
	return &o
}

func (a *Attempt) outline() Attempt {
	o := Attempt{N: a.N, StartedAt: a.StartedAt, FinishedAt: a.FinishedAt,
		Started: record.Started{Agent: a.Started.Agent, Worktree: a.Started.Worktree}}
	if f := a.Finished; f != nil {
		o.Finished = &record.Finished{End: f.End, Seconds: f.Seconds, Usage: f.Usage, Agent: f.Agent}
	}
	// The first word on arrival is the attempt's own, and the last word is what became of it.
	first := slices.IndexFunc(a.Judged, func(j Judging) bool { return j.Moment == "arrival" })
	for i, j := range a.Judged {
		if i == first || i == len(a.Judged)-1 {
			o.Judged = append(o.Judged, Judging{Judged: record.Judged{Moment: j.Moment, Verdict: j.Verdict, Check: j.Check}, At: j.At})
		}
	}
	return o
}

// outlineError says that an event is about a task of which only an outline is here.
type outlineError struct{ task string }

func (e *outlineError) Error() string { return fmt.Sprintf("of %s there is an outline alone", e.task) }

// whole asks that the tasks that an event changes are here whole.
func (b *Board) whole(e record.Event) error {
	for _, id := range touched(e) {
		if t := b.Tasks[id]; t != nil && t.outline {
			return &outlineError{id}
		}
	}
	return nil
}

// touched are the tasks that an event changes: its own, and what its landing reverts.
func touched(e record.Event) []string {
	var ids []string
	if e.Task != "" {
		ids = append(ids, e.Task)
	}
	if e.Kind == record.KindLanded {
		if p, err := record.Decode(e); err == nil {
			ids = append(ids, p.(record.Landed).Reverts...)
		}
	}
	return ids
}
