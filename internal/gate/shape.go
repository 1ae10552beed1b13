package gate

import (
	"fmt"
	"slices"
	"strconv"

	"torve/internal/seam"
)

// shape asks whether the proposal is the shape asked for and within its caps.
func shape(p Proposal) seam.Verdict {
	no := func(format string, a ...any) seam.Verdict {
		return seam.Refused(seam.OnShape, fmt.Sprintf(format, a...))
	}
	if p.Report != nil {
		if why := p.Report.Wrong(); why != "" {
			return no("not the shape asked for: %s", why)
		}
		if p.Bound() && p.Report.Task != p.Contract.ID {
			return no("the report answers for %s, and the task is %s", named(p.Report.Task), p.Contract.ID)
		}
	}
	n, most := len(p.Changes), p.Contract.Budget.Changes
	switch {
	case n == 0:
		return no("an attempt of no changes")
	case p.Bound() && most > 0 && n > most:
		return no("an attempt of %s, and the cap is %d", counted(n, "change"), most)
	}
	return seam.Accepted()
}

var actions = []string{"upheld", "departed", "decided", "halted"}

// Wrong is why a report is not the shape asked for; "" when it is.
func (r Report) Wrong() string {
	if r.Fault != "" {
		return r.Fault
	}
	if r.Halted {
		return "the report says halted, and a halt is no proposal"
	}
	for i, e := range r.Entries {
		switch {
		case e.Decision == "":
			return fmt.Sprintf("entry %d names no decision", i+1)
		case !slices.Contains(actions, e.Action):
			return fmt.Sprintf("entry %d has the action %q, and an action is upheld, departed, decided or halted", i+1, e.Action)
		case e.Decision == Unlisted && e.Proposal == "":
			return fmt.Sprintf("entry %d is of an unlisted decision and proposes nothing", i+1)
		}
	}
	return ""
}

func named(task string) string {
	if task == "" {
		return "no task"
	}
	return oneLine(task)
}

// counted is a number with its noun: 1 change, 4 changes.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
