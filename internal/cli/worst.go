package cli

import (
	"fmt"
	"strings"

	"torve/internal/dispatch"
)

// worst is the first line of a run: what it may come to at most, before it starts.
func worst(w dispatch.Worst) string {
	parts := []string{fmt.Sprintf("%s by %s", count(w.Tasks, "task"), joined(w.Agents))}
	if w.Workers > 1 && w.Tasks > 1 {
		parts[0] += fmt.Sprintf(", %d at once", min(w.Workers, w.Tasks))
	}
	most := []string{"at most " + count(w.Attempts, "attempt")}
	if w.USD > 0 {
		most = append(most, fmt.Sprintf("$%.2f", w.USD))
	}
	if w.Unbounded {
		most = []string{"no limit: a budget says 0"}
	}
	parts = append(parts, strings.Join(most, ", "))
	if w.Unpriced {
		parts = append(parts, "cost is not told: held by minutes and attempts")
	}
	return strings.Join(parts, " · ")
}

// begin prints the worst case.
func (p *progress) begin(w dispatch.Worst) { p.line("", "", worst(w)) }
