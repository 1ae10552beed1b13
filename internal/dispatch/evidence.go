package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"torve/internal/board"
)

// cutShort are the ends of an agent that its limits ended.
var cutShort = []string{"time", "idle", "money"}

// evidence is what a further attempt is told of the place (which command failed and
// its last line), never the verdict or its clause. The hunks that do not merge are
// added by whoever cuts the attempt, over the head as it is then.
func (m memory) evidence(a *board.Attempt) string {
	if m.last != nil && m.last.N == a.N && m.last.Evidence != "" {
		return m.last.Evidence
	}
	j := a.Last()
	switch {
	case j == nil && a.Finished != nil && slices.Contains(cutShort, a.Finished.End):
		return "The work on it was cut short: " + a.Finished.Why + "."
	case j == nil || j.Verdict == "accepted":
		return ""
	}
	var lines []string
	for _, ran := range j.Acceptance {
		if ran.Why != "" {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s\n%s", ran.Line, ran.Why, ran.Last)))
		}
	}
	return strings.Join(lines, "\n")
}
