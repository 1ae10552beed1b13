package audit

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/truth"
)

// askStates compares this host's state files with the board, which outranks them. The
// file of a task that is held is its holder's, and of one that the record does not know
// it is the only word there is.
func (i *inquiry) askStates(context.Context) (int, error) {
	var later []string
	for _, task := range slices.Sorted(maps.Keys(i.r.States)) {
		st, s := i.r.States[task], i.r.Settled(task)
		switch t := s.Board(); {
		case t != nil && t.Claim != nil:
		case i.overElsewhere(t):
			later = append(later, task)
		case s.State() == board.Landed || s.State() == board.Reverted:
			i.leftOver(task, fmt.Sprintf("its state file says %s, and it has landed", st.State))
		case t == nil:
		case t.State == board.Abandoned:
			i.leftOver(task, fmt.Sprintf("its state file says %s, and it was abandoned", st.State))
		default:
			i.stateAs(t, st)
		}
	}
	if len(later) > 0 {
		i.note("brought to an end from another clone, and their state files here go with the next dispatch: %s", listed(later))
	}
	i.unreadStates()
	return len(i.r.States), nil
}

// overElsewhere reports whether a task of a shared record landed from another clone or was
// given up, perhaps there: who did it has no hand on the files of this one.
func (i *inquiry) overElsewhere(t *board.Task) bool {
	if t == nil || !record.Shared(i.Log) {
		return false
	}
	switch t.State {
	case board.Abandoned:
		return true
	case board.Landed, board.Reverted:
		if t.Landing == nil {
			return false
		}
		_, n, _, _ := carrier.ParseLandingPath(t.Landing.Path)
		a := t.Attempt(n)
		return t.Landing.Attested != "" || a == nil || !i.ours(a)
	}
	return false
}

// leftOver is the state file of a task that is done with.
func (i *inquiry) leftOver(task, says string) {
	i.differ("left", task, "%s", says).mends(func(context.Context, Hands) (string, error) {
		if !i.asRead(task) {
			return "", nil
		}
		return "removed the state file of " + task, carrier.RemoveState(i.States, task)
	})
}

// stateAs compares the state file of a task that nobody holds with its attempt.
func (i *inquiry) stateAs(t *board.Task, st carrier.State) {
	a := t.Attempt(st.Attempt)
	if a == nil && !i.story.claims[st.Run] {
		i.note("%s ran here before the record knew it; its state file stays until it runs again", t.ID)
		return
	}
	says := ""
	switch want := atRest(a); {
	case a == nil:
		says = fmt.Sprintf("its state file is of attempt %d, which the record does not know", st.Attempt)
	case !slices.Contains(want, st.State):
		says = fmt.Sprintf("its state file says %s, and in the record attempt %d is %s", st.State, a.N, want[0])
	case st.PID != 0 || st.PGID != 0:
		says = fmt.Sprintf("its state file names process %d, and nobody holds the task", max(st.PID, st.PGID))
	default:
		return
	}
	i.differ("overruled", t.ID, "%s", says).mends(func(context.Context, Hands) (string, error) {
		if !i.asRead(t.ID) {
			return "", nil
		}
		return "rendered the state file of " + t.ID + " anew", i.render(t, st)
	})
}

// asRead reports whether a state file says what it said when it was read: a run that has
// taken the task since writes its own.
func (i *inquiry) asRead(task string) bool {
	now, _ := carrier.ReadStates(i.States)
	return reflect.DeepEqual(now[task], i.r.States[task])
}

// atRest are the states that the file of an attempt may say while nobody works on it, the
// plainest first.
func atRest(a *board.Attempt) []string {
	switch {
	case a == nil || a.Finished == nil || a.Finished.End != "done":
		return []string{"claimed"}
	case a.Last() == nil:
		return []string{"gated", "claimed"}
	case a.Last().Verdict == "accepted":
		return []string{"ready"}
	}
	return []string{"claimed"}
}

// render writes the state file as the record has the run; without an attempt there is
// nothing to say.
func (i *inquiry) render(t *board.Task, was carrier.State) error {
	a := t.Attempt(was.Attempt)
	if a == nil && len(t.Attempts) > 0 {
		a = &t.Attempts[len(t.Attempts)-1]
	}
	if a == nil {
		return carrier.RemoveState(i.States, t.ID)
	}
	now := i.Now.UTC().Truncate(time.Second)
	st := carrier.State{
		Task: t.ID, Run: was.Run, State: atRest(a)[0], Attempt: a.N, Worktree: a.Started.Worktree, Base: a.Started.Base,
		Boot: was.Boot, Host: was.Host, Agent: was.Agent, Started: a.StartedAt, Updated: now, History: was.History,
	}
	if a.Finished != nil {
		st.Base = a.Finished.Base
	}
	st.History = append(st.History, carrier.Move{At: now, From: was.State, To: st.State, Fact: "the record overrules this file"})
	return carrier.WriteState(i.States, st)
}

// unreadStates names the state files that do not read. Where the record knows the task
// they say nothing that it does not, and go.
func (i *inquiry) unreadStates() {
	for _, f := range i.r.Faults {
		if carrier.StateFile(i.States, f.Task) != f.Path {
			continue
		}
		d := i.differ("broken", f.Task, "%v", f.Err).by("look at it, and remove it: " + f.Path)
		if t := i.r.Board.Tasks[f.Task]; t != nil && t.Digest != "" && t.Claim == nil && ordinary(f) {
			d.mends(func(context.Context, Hands) (string, error) {
				if states, _ := carrier.ReadStates(i.States); states[f.Task].Task != "" {
					return "", nil // somebody wrote it anew
				}
				return "removed the state file of " + f.Task + ", which did not read", carrier.RemoveState(i.States, f.Task)
			})
		}
	}
}

// ordinary reports whether a fault is of what a file says, and not of what it is.
func ordinary(f truth.Fault) bool { return f.Err.Line > 0 }
