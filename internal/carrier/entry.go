package carrier

import (
	"fmt"
	"slices"
	"time"
)

// wrongEntry finds the first entry that cannot be as it is; why is "" when all can.
func wrongEntry(entries []Entry) (at int, why string) {
	for i, e := range entries {
		switch {
		case e.Decision == "":
			return i, "it names no decision"
		case !ValidAction(e.Action):
			return i, fmt.Sprintf("action is %q, and one of upheld, departed, decided, halted is wanted", e.Action)
		}
	}
	return 0, ""
}

// ValidAction reports whether an executor may do that with a decision.
func ValidAction(action string) bool {
	switch action {
	case "upheld", "departed", "decided", "halted":
		return true
	}
	return false
}

// inSeconds is a copy in which every time is in whole seconds.
func inSeconds(entries []Entry) []Entry {
	out := slices.Clone(entries)
	for i := range out {
		out[i].At = second(out[i].At)
	}
	return out
}

func cutEntries(c *cutter, entries []Entry) []Entry {
	out := list(c, "entries", entries)
	for i := range out {
		e := &out[i]
		at := fmt.Sprintf("entries[%d].", i)
		e.Claim = c.text(at+"claim", e.Claim)
		e.Evidence = c.text(at+"evidence", e.Evidence)
		e.Why = c.text(at+"why", e.Why)
		e.Proposal = c.text(at+"proposal", e.Proposal)
	}
	return out
}

// second is a time as every file holds it: UTC, whole seconds.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
