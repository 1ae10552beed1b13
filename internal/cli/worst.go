package cli

import (
	"fmt"
	"strings"
	"time"

	"torve/internal/dispatch"
	"torve/internal/view"
)

// worst is the first line of a run: what it may come to at most, before it starts.
func worst(w dispatch.Worst) string {
	head := fmt.Sprintf("%s by %s", view.Count(w.Tasks, "task"), joined(w.Agents))
	if w.Workers > 1 && w.Tasks > 1 {
		head += fmt.Sprintf(", %d at once", min(w.Workers, w.Tasks))
	}
	return head + " · " + most(w)
}

// most are the limits that hold a run: money only where every agent says what it costs.
func most(w dispatch.Worst) string {
	switch {
	case w.Unbounded:
		return "no limit: a budget says 0"
	case w.Unpriced:
		return fmt.Sprintf("at most %s, %s in all", view.Count(w.Attempts, "attempt"), view.Took(time.Duration(w.Minutes*float64(time.Minute))))
	}
	return fmt.Sprintf("at most %s, $%.2f", view.Count(w.Attempts, "attempt"), w.USD)
}

// sayBegin prints the worst case, and what a person is to know before an agent starts.
func (s *session) sayBegin(p *progress, w dispatch.Worst) {
	p.line(p.a.wrapped("", worst(w), 10))
	if w.Unpriced {
		p.line("cost unknown: held by minutes and attempts")
	}
	p.line(p.a.labelled("walls", "", "none: the agent runs as you, and only its worktree is its own"))
	if len(s.cfg.Acceptance) == 0 {
		p.line(p.a.wrapped("", "no repository acceptance: only each contract's own lines are asked", 10))
	}
	if len(w.Everything) > 0 {
		verb := "have"
		if len(w.Everything) == 1 {
			verb = "has"
		}
		p.line(p.a.wrapped("", fmt.Sprintf("%s %s a scope of everything: nothing runs beside it", strings.Join(w.Everything, ", "), verb), 10))
	}
}
