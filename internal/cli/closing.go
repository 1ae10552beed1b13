package cli

import (
	"context"
	"fmt"
	"strings"

	"torve/internal/dispatch"
)

// closing is the last screen of a run: what landed, what needs a person, what waits,
// whether the target's tree passed, and one next command.
type closing struct {
	a             *app
	s             *session
	rep           dispatch.Report
	runs          []ranLine
	dry, landOnly bool
}

type dispatchDocument struct {
	Schema    string             `json:"schema"`
	Partition string             `json:"partition"`
	Tasks     []dispatch.Outcome `json:"tasks"`
	Target    targetDocument     `json:"target"`
	Next      string             `json:"next"`
}

type targetDocument struct {
	From       string   `json:"from"`
	To         string   `json:"to"`
	Acceptance []string `json:"acceptance"` // the lines that passed on this very tree
}

func (c closing) print(ctx context.Context) error {
	next := c.next(ctx)
	if c.a.json {
		doc := dispatchDocument{"torve/dispatch/v1", string(c.s.named.partition), c.rep.Outcomes,
			targetDocument{c.rep.From, c.rep.To, c.passedLines()}, ""}
		if doc.Tasks == nil {
			doc.Tasks = []dispatch.Outcome{}
		}
		if len(next) > 0 {
			doc.Next = next[0].command
		}
		if err := writeJSON(c.a.out, doc); err != nil {
			return err
		}
		return end(c.outcome())
	}
	c.table()
	c.notes()
	c.target()
	for i, n := range next {
		lead := "next:"
		if i > 0 {
			lead = "     "
		}
		why := n.why
		if why != "" {
			why = strings.Repeat(" ", max(2, 34-len([]rune(n.command)))) + why
		}
		c.a.say("%s %s%s", lead, n.command, why)
	}
	return end(c.outcome())
}

// table lists the tasks when there were several, or any that did not land.
func (c closing) table() {
	if c.dry || len(c.rep.Outcomes) == 0 {
		return
	}
	if len(c.rep.Outcomes) == 1 && c.rep.Outcomes[0].Outcome == "landed" {
		c.a.say("")
		return
	}
	c.a.say("\n%s, %s, %s, %s\n", count(len(c.rep.Outcomes), "task"), took(c.rep.Took), count(c.rep.Attempts, "attempt"), c.spent())
	for _, o := range c.rep.Outcomes {
		c.row(o)
	}
	c.a.say("")
}

func (c closing) row(o dispatch.Outcome) {
	word, detail, reason := o.Outcome, "", ""
	switch o.Outcome {
	case "landed":
		detail = short(o.Commit)
	case "refused":
		detail, reason = o.Check, o.Reason
	case "waiting":
		word, detail = "waits", first(joinedOn(o.WaitsOn), o.Reason)
	case "ready":
		word, reason = "accepted", o.Reason
	case "escalated":
		word, detail, reason = "needs you", o.Check, o.Reason
	default:
		reason = o.Reason
	}
	cost := ""
	if o.Attempt > 0 && o.Outcome != "waiting" {
		cost = usd(o.USD)
	}
	c.a.say("%s", strings.TrimRight(fmt.Sprintf("  %-9s %-7s %-36s %-12s %s", word, o.ID, cut(o.Title, 36), detail, cost), " "))
	if reason != "" {
		c.a.say("            %s", cut(reason, 67))
	}
}

func joinedOn(on []string) string {
	if len(on) == 0 {
		return ""
	}
	return "on " + joined(on)
}

// spent adds what is known, and says how many attempts are not in it.
func (c closing) spent() string {
	sum, known, unknown := 0.0, 0, 0
	for _, o := range c.rep.Outcomes {
		switch {
		case o.USD != nil:
			sum, known = sum+*o.USD, known+1
		case o.Attempt > 0:
			unknown++
		}
	}
	switch {
	case known == 0 && unknown == 0:
		return "nothing spent"
	case known == 0:
		return "cost unknown"
	case unknown == 0:
		return fmt.Sprintf("$%.2f reported", sum)
	}
	return fmt.Sprintf("$%.2f reported, %s of unknown cost", sum, count(unknown, "task"))
}

func (c closing) notes() {
	if c.rep.BaseRed != "" {
		c.a.say("%s", c.rep.BaseRed)
	}
	for _, h := range c.rep.HeldBy {
		c.a.say("held      %s", h)
	}
	for _, b := range c.rep.Broken {
		c.a.say("broken    %s", b)
	}
}

func (c closing) passedLines() []string {
	lines := []string{}
	for _, r := range c.runs {
		if r.why == "" {
			lines = append(lines, r.line)
		}
	}
	return lines
}

// target says where the target stands and whether its very tree passed.
func (c closing) target() {
	r := c.rep
	switch {
	case c.dry:
	case len(r.Outcomes) == 0 && r.From == r.To:
		c.a.say("nothing to do: no task is ready on %s %s", c.s.cfg.Target, short(r.To))
	case r.From != r.To && r.To != "":
		passed := "its acceptance was not run"
		if lines := c.passedLines(); len(lines) > 0 {
			passed = cut(strings.Join(lines, "; "), 40) + " passed on this very tree"
		}
		pushed := "Not pushed"
		if c.s.cfg.Landing.Push != "" {
			pushed = "Pushed to " + c.s.cfg.Landing.Push
		}
		c.a.say("%s %s → %s, %s. %s.", c.s.cfg.Target, short(r.From), short(r.To), passed, pushed)
	default:
		c.a.say("%s stays at %s", c.s.cfg.Target, short(r.To))
	}
}

type nextStep struct{ command, why string }

// next is what a person does now: first what only a person can free.
func (c closing) next(context.Context) []nextStep {
	var out []nextStep
	needs, landed, commit := 0, 0, ""
	for _, o := range c.rep.Outcomes {
		switch o.Outcome {
		case "landed":
			landed, commit = landed+1, o.Commit
		case "refused", "escalated", "ready":
			if needs++; o.Next != "" && len(out) == 0 {
				out = append(out, nextStep{o.Next, ""})
			}
		}
	}
	if needs > 0 && len(out) > 0 {
		out[0].why = count(needs, "task") + " " + map[bool]string{true: "needs", false: "need"}[needs == 1] + " you: torve status"
	}
	switch {
	case c.rep.Interrupted:
		return []nextStep{{"torve dispatch", "goes on"}}
	case c.dry:
		return []nextStep{{"torve dispatch", ""}}
	case landed == 1 && needs == 0:
		out = append(out, nextStep{"git show " + short(commit), ""})
	case landed > 0:
		if needs == 0 {
			out = append(out, nextStep{"git log " + short(c.rep.From) + "..", ""})
		}
		if c.s.cfg.Landing.Push == "" {
			out = append(out, nextStep{"git push", count(landed, "landing")})
		}
	case len(out) == 0:
		out = append(out, nextStep{"torve status", ""})
	}
	return out
}

// outcome is the first that is true, in the order that the exit codes are documented.
func (c closing) outcome() Outcome {
	r := c.rep
	judged, person, trouble := false, false, false
	for _, o := range r.Outcomes {
		switch o.Outcome {
		case "landed":
			judged = true
		case "refused", "ready":
			judged, person = true, true
		case "escalated":
			person = true
			if o.Check == "infrastructure" || o.Check == "agent_unavailable" {
				trouble = true
			} else {
				judged = true
			}
		case "waiting":
			person = person || o.Person
		}
	}
	switch {
	case r.Interrupted:
		return Interrupted
	case trouble && !judged:
		return Infrastructure
	case person || r.BaseRed != "":
		return NeedsPerson
	case len(r.Broken) > 0:
		return Usage
	}
	return Done
}
