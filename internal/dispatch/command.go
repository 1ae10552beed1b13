package dispatch

import (
	"regexp"
	"strings"

	"torve/internal/record"
)

// most is how many paths one command names; past it the task's own page is named.
const most = 12

// mendedBy is the one command that answers an escalation first.
func mendedBy(task string, e record.Escalation) string {
	switch e.Reason {
	case "scope":
		if len(e.Paths) > 0 && len(e.Paths) <= most {
			return "torve widen " + task + " " + quoted(e.Paths)
		}
	case "killed", "infrastructure", "push_refused", "merge_conflict", "base_red":
		return "torve requeue " + task
	case "agent_unavailable":
		return "torve doctor"
	}
	return "torve why " + task
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted joins paths as a shell reads them back.
func quoted(paths []string) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = p
		if !plain.MatchString(p) {
			out[i] = "'" + strings.ReplaceAll(p, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
