package dispatch

import (
	"fmt"
	"slices"

	"torve/internal/board"
	"torve/internal/record"
)

// What comes next for a claimed task, by the record alone. What this run has just
// seen (memory) adds only what the record does not carry: the evidence of the
// place, the paths of a clause, and tries that started no agent.

// do is the kind of a step.
type do int

const (
	doAttempt do = iota
	doAgain
	doLand
	doEscalate
	doWait
)

// step is the next thing to do.
type step struct {
	do    do
	mode  string // of an attempt: first, repair, fresh, continue
	of    int    // the attempt that is gone on from, asked again or landed
	raise record.Escalation
	free  record.Released // of a wait
}

// memory is what this claim saw and the record does not carry.
type memory struct {
	last     *Ended // of the attempt that was made or asked last
	faults   int    // tries in a row that infrastructure or a missing agent ended
	fault    string // infrastructure or agent_unavailable
	why      string // of the last of them
	unlanded bool   // a dependency is no longer landed
	rescued  int    // the attempt whose tree was kept after its end could not be recorded
}

// tries is how often infrastructure is tried before a person is asked.
const tries = 3

// cuts is how often work is cut again on a new head without counting.
const cuts = 2

// next is the step that follows from where the task stands.
func next(t *board.Task, m memory) step {
	switch {
	case m.faults >= tries:
		return escalate(m.fault, "", m.why)
	case m.last != nil && m.last.End == "isolation" && !m.last.judged(): // acceptance is the agent's code, too
		return escalate("isolation_broken", "", orElse(m.last.Why, "what ran changed what is not its own"))
	case t.Answer != nil && t.Answer.Answer == "requeued":
		return answered(t)
	case t.State == board.Ready && t.Accepted != nil:
		return step{do: doLand, of: t.Accepted.Attempt}
	case t.Accepted != nil: // the contract changed since: the kept tree is asked under the new one
		return step{do: doAgain, of: t.Accepted.Attempt}
	}
	run := sinceAsked(t)
	if len(run) == 0 {
		return afford(t, step{do: doAttempt, mode: "first"})
	}
	return after(t, run, m)
}

// answered does what the person asked for. Without a kept tree there is nothing to
// ask or to go on from, and it starts over.
func answered(t *board.Task) step {
	kept := keptWork(t.Attempts)
	switch {
	case kept == nil || t.Answer.Mode == "fresh":
		mode := "fresh"
		if len(t.Attempts) == 0 {
			mode = "first"
		}
		return afford(t, step{do: doAttempt, mode: mode})
	case t.Answer.Mode == "ask":
		return step{do: doAgain, of: kept.N}
	}
	return afford(t, step{do: doAttempt, mode: "continue", of: kept.N})
}

// sinceAsked are the attempts since the last requeue; the one whose kept tree was asked
// again, where that is all that came of it.
func sinceAsked(t *board.Task) []board.Attempt {
	if since := t.Attempts[min(t.Asked, len(t.Attempts)):]; len(since) > 0 {
		return since
	}
	if kept := keptWork(t.Attempts); kept != nil {
		return []board.Attempt{*kept}
	}
	return nil
}

// keptWork is the newest attempt whose tree is kept; nil when none is.
func keptWork(run []board.Attempt) *board.Attempt {
	for i := len(run) - 1; i >= 0; i-- {
		if f := run[i].Finished; f != nil && f.Head != "" {
			return &run[i]
		}
	}
	return nil
}

// after is what follows the newest attempt's end.
func after(t *board.Task, run []board.Attempt, m memory) step {
	a := &run[len(run)-1]
	seen := m.last
	if seen != nil && seen.N != a.N {
		seen = nil
	}
	end := endOf(a)
	if end == "done" || a.Last() != nil { // whatever its end: the gate's word is the last
		return judged(t, run, seen, m)
	}
	switch end {
	case "halted":
		return escalate(halted(t, a, seen), "", whyOf(a, seen, "the agent halted"))
	case "time", "idle", "money":
		return afford(t, step{do: doAttempt, mode: goOn(a, "repair"), of: a.N})
	case "stopped":
		return escalate("killed", "", whyOf(a, seen, "stopped by a person"))
	case "isolation":
		return escalate("isolation_broken", "", whyOf(a, seen, "the agent changed what is not its own"))
	case "quota":
		if seen != nil {
			return step{do: doWait, free: record.Released{Why: "waiting", NotBefore: seen.Until}}
		}
	case "crashed":
		if inARow(run, end) >= tries {
			return escalate("killed", "", fmt.Sprintf("the run died %d times running", tries))
		}
	case "unavailable", "infrastructure":
		if inARow(run, end) >= tries {
			return escalate(faultOf(end), "", whyOf(a, seen, end))
		}
	}
	return afford(t, step{do: doAttempt, mode: goOn(a, "continue"), of: a.N})
}

// endOf is how an attempt ended; one that nobody closed crashed.
func endOf(a *board.Attempt) string {
	if a.Finished == nil {
		return "crashed"
	}
	return a.Finished.End
}

// goOn is the mode of the attempt that follows, where the one before left a tree;
// where it left none, it is made again as it was.
func goOn(a *board.Attempt, mode string) string {
	if a.Finished != nil && a.Finished.Head != "" {
		return mode
	}
	if a.Started.Mode == "first" || a.Started.Mode == "" {
		return "first"
	}
	return "fresh"
}

// inARow counts the newest attempts that ended so.
func inARow(run []board.Attempt, end string) int {
	n := 0
	for i := len(run) - 1; i >= 0 && endOf(&run[i]) == end; i-- {
		n++
	}
	return n
}

// halted is why an agent that halted needs a person: what it met was locked, or
// the contract does not say enough.
func halted(t *board.Task, a *board.Attempt, seen *Ended) string {
	if seen != nil && seen.Escalate != "" {
		return seen.Escalate
	}
	for _, n := range t.Log {
		locked := slices.ContainsFunc(t.Rows, func(r record.Row) bool { return r.ID == n.Decision && r.Grade == "LOCKED" })
		if n.Attempt == a.N && locked {
			return "locked_conflict"
		}
	}
	return "underspecified"
}

func whyOf(a *board.Attempt, seen *Ended, otherwise string) string {
	switch {
	case a.Finished != nil && a.Finished.Why != "":
		return a.Finished.Why
	case seen != nil && seen.Why != "":
		return seen.Why
	}
	return otherwise
}

func faultOf(end string) string {
	if end == "unavailable" {
		return "agent_unavailable"
	}
	return "infrastructure"
}

func escalate(reason, check, detail string, paths ...string) step {
	return step{do: doEscalate, raise: record.Escalation{Reason: reason, Check: check, Detail: detail, Paths: paths}}
}
