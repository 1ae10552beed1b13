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

// sayBegin prints the worst case, and what a person is to know before an agent starts: unlike
// is what of the settings is not as the target has it.
func (s *session) sayBegin(p *progress, w dispatch.Worst, unlike string) {
	p.line(p.a.wrapped("", worst(w), 10))
	if limits := s.limits(w); limits != "" {
		p.line(p.a.labelled("limits", "", limits))
	}
	if len(w.Uncapped) > 0 {
		p.line(p.a.wrapped("", fmt.Sprintf("--usd cannot hold %s: %s cost is not known", joined(w.Uncapped), owners(len(w.Uncapped))), 10))
	} else if w.Unpriced {
		p.line("cost unknown: held by minutes and attempts")
	}
	if p.begun { // a watch that minted more
		return
	}
	p.begun = true
	p.line(p.a.labelled("walls", "", "none: the agent runs as you, and only its worktree is its own"))
	if unlike != "" {
		p.line(p.a.labelled("settings", "", unlike))
	}
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

func owners(n int) string {
	if n == 1 {
		return "its"
	}
	return "their"
}

// limits are what ends the run before its tasks are done.
func (s *session) limits(w dispatch.Worst) string {
	var out []string
	if w.Cap > 0 {
		out = append(out, fmt.Sprintf("$%.2f for the run, which its last task may pass within its own budget", w.Cap))
	}
	if !w.Until.IsZero() {
		text := "nothing starts after " + s.a.style().Until(w.Until, s.a.now()) + "; what runs then "
		if w.Longest == 0 {
			text += "has no limit of time"
		} else {
			text += "may take until " + s.a.style().Until(w.Until.Add(w.Longest), s.a.now())
		}
		out = append(out, text)
	}
	if w.Escalations > 0 {
		out = append(out, fmt.Sprintf("nothing starts once %s you", needing(w.Escalations)))
	}
	return strings.Join(out, "; ")
}
