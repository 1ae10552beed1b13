package dispatch

import (
	"fmt"

	"torve/internal/board"
	"torve/internal/record"
)

// judged is what follows the gate's last word on the newest attempt. An attempt
// that ended and was never asked is asked now, as a crash between the two leaves it.
func judged(t *board.Task, run []board.Attempt, seen *Ended, m memory) step {
	a := &run[len(run)-1]
	j := a.Last()
	switch {
	case j == nil || j.Verdict == "accepted":
		return step{do: doAgain, of: a.N}
	case m.unlanded && j.Check == "freshness":
		return step{do: doWait, free: record.Released{Why: "waiting"}}
	}
	switch j.Check {
	case "verb", "grounding":
		return escalate("refused", j.Check, j.Reason)
	case "law":
		return unlawful(a, j, seen)
	case "freshness":
		return stale(t, run, j)
	}
	return mend(t, run, j)
}

// unlawful: a repeat of the same prompt cannot mend it, so no attempt is bought. The
// paths that scope alone refuses are not in the record; where this run did not see
// them, the kept tree is asked once more.
func unlawful(a *board.Attempt, j *board.Judging, seen *Ended) step {
	switch {
	case seen == nil:
		return step{do: doAgain, of: a.N}
	case seen.Escalate == "scope" || len(seen.Paths) > 0:
		return escalate("scope", j.Check, j.Reason, seen.Paths...)
	}
	return escalate("refused", j.Check, j.Reason)
}

// stale: not the agent's fault. What still merges is cut again on the new head; what
// does not gets one repair.
func stale(t *board.Task, run []board.Attempt, j *board.Judging) step {
	a := &run[len(run)-1]
	if len(j.Conflicts) == 0 {
		if staleBefore(a) > cuts {
			return escalate("refused", j.Check, j.Reason)
		}
		return step{do: doAgain, of: a.N}
	}
	if conflicted(run) > 1 || spentAll(t) != "" {
		return escalate("merge_conflict", j.Check, j.Reason, j.Conflicts...)
	}
	return step{do: doAttempt, mode: "repair", of: a.N}
}

// staleBefore counts how often freshness refused this attempt's work although it merges.
func staleBefore(a *board.Attempt) int {
	n := 0
	for _, j := range a.Judged {
		if j.Verdict == "refused" && j.Check == "freshness" && len(j.Conflicts) == 0 {
			n++
		}
	}
	return n
}

// conflicted counts the attempts whose last word was a conflict.
func conflicted(run []board.Attempt) int {
	n := 0
	for i := range run {
		if j := run[i].Last(); j != nil && j.Verdict == "refused" && len(j.Conflicts) > 0 {
			n++
		}
	}
	return n
}

// mend buys a repair, then a fresh attempt, while the budget lasts; the same check
// and reason twice running needs a person. Reasons that differ only in times, paths of
// temporary files, digests and counts are the same.
func mend(t *board.Task, run []board.Attempt, j *board.Judging) step {
	a := &run[len(run)-1]
	if was := wordBefore(run); was != nil && was.Check == j.Check && board.SameReason(was.Reason, j.Reason) {
		return escalate("refused", j.Check, j.Reason)
	}
	mode := goOn(a, "repair")
	if a.Started.Mode == "repair" {
		mode = "fresh"
	}
	return afford(t, step{do: doAttempt, mode: mode, of: a.N})
}

// wordBefore is the refusal of the attempt that was judged before the newest; nil
// where it was not refused. Attempts that never met the gate are passed over.
func wordBefore(run []board.Attempt) *board.Judging {
	for i := len(run) - 2; i >= 0; i-- {
		if j := run[i].Last(); j != nil {
			if j.Verdict != "refused" {
				return nil
			}
			return j
		}
	}
	return nil
}

// afford lets an attempt through while the budget has one left.
func afford(t *board.Task, s step) step {
	gone := spentAll(t)
	if gone == "" {
		return s
	}
	out := escalate("exhausted", "", gone)
	run := sinceAsked(t)
	if len(run) > 0 {
		a := &run[len(run)-1]
		if j := a.Last(); j != nil && j.Verdict == "refused" {
			out.raise.Check, out.raise.Detail = j.Check, j.Reason
		} else if why := whyOf(a, nil, ""); why != "" {
			out.raise.Detail = gone + "; " + why
		}
	}
	return out
}

// spentAll says what the budget has run out of; "" while it has not. Money acts on
// reported and estimated cost only.
func spentAll(t *board.Task) string {
	b := t.Contract.Budget
	if b.Attempts > 0 && t.Counted >= b.Attempts {
		return fmt.Sprintf("%d of %d attempts", t.Counted, b.Attempts)
	}
	if usd := spentSince(t); b.USD > 0 && usd >= b.USD {
		return fmt.Sprintf("$%.2f of $%.2f are spent", usd, b.USD)
	}
	return ""
}

// spentSince is the money since the last requeue that a budget acts on.
func spentSince(t *board.Task) float64 {
	usd := board.SpentSince(t).USD
	return usd["reported"] + usd["estimated"]
}
