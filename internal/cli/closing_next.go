package cli

import (
	"strconv"
	"strings"

	"torve/internal/dispatch"
	"torve/internal/mint"
	"torve/internal/view"
)

type nextStep struct{ command, why string }

// nextLines prints what to type now, one under the other; a command is never cut, and
// its reason is left out where it does not fit.
func (c closing) nextLines(next []nextStep) {
	width := 0
	for i, n := range next { // each is about the record that was typed, not the first alone
		next[i].command = strings.TrimPrefix(c.a.again("next: "+n.command), "next: ")
		width = max(width, view.Width(next[i].command))
	}
	lead := "next: "
	for _, n := range next {
		line := lead + n.command
		if pad := strings.Repeat(" ", width-view.Width(n.command)); 6+width+2+view.Width(n.why) <= c.a.style().Width {
			line += pad + "  " + n.why
		}
		print := c.a.say
		if c.outcome() != Done && lead == "next: " {
			print = c.a.tell
		}
		print("%s", line)
		lead = "      "
	}
}

// needs counts the tasks of this run that a person moves on.
func (c closing) needs() int {
	return c.counted(func(o dispatch.Outcome) bool {
		return o.NeedsPerson() || o.Outcome == dispatch.IsReady || o.Person && o.Next != ""
	})
}

// next is what a person does now: first what only a person can free.
func (c closing) next() []nextStep {
	switch r := c.rep; {
	case c.dry && c.landOnly && len(r.Planned) > 0:
		return []nextStep{{"torve land" + c.typed, ""}}
	case c.dry && len(r.Planned) > 0:
		return []nextStep{{"torve dispatch" + c.typed, ""}}
	case r.Interrupted || r.Stopped:
		return []nextStep{{"torve dispatch", "goes on"}}
	case r.Limit.By != "":
		return c.beyond()
	}
	var out []nextStep
	if step := c.firstNeed(); step.command != "" {
		out = append(out, step)
	}
	for _, r := range c.minted {
		if r.Outcome == mint.Broken && len(out) == 0 {
			out = append(out, nextStep{mends(r), "it is broken, and the others ran"})
		}
	}
	out = append(out, c.look(len(out) > 0)...)
	if len(out) > 0 {
		return out
	}
	switch r := c.rep; {
	case mintOutcome(c.minted) != Done:
		return []nextStep{{mintNext(c.minted), ""}}
	case len(r.Broken) > 0:
		return []nextStep{{"torve mint", "says what mends it"}}
	case r.Person > 0:
		return []nextStep{{"torve status", needing(r.Person) + " you"}}
	case c.dry || c.landOnly || len(r.Outcomes)+len(r.Waits)+len(r.HeldBy)+r.Worst.Tasks > 0:
		return []nextStep{{"torve status", ""}}
	}
	return []nextStep{{`torve new "what you want" --allow 'where/**'`, ""}}
}

// beyond goes on after a limit of the run; what only a person can free comes first.
func (c closing) beyond() []nextStep {
	var out []nextStep
	if step := c.firstNeed(); step.command != "" && c.needs()+c.rep.Person == 1 {
		out = append(out, step)
	} else if n := c.needs() + c.rep.Person; n > 0 {
		out = append(out, nextStep{"torve status", needing(n) + " you"})
	}
	switch l := c.rep.Limit; l.By {
	case dispatch.ByQuota:
		return append(out, nextStep{"torve dispatch --until " + untilText(after(l.Until), c.a.now()), "waits for it"})
	case dispatch.ByUSD:
		return append(out, nextStep{"torve dispatch --usd " + strconv.FormatFloat(l.USD, 'f', -1, 64), "goes on, for as much again"})
	}
	return append(out, nextStep{"torve dispatch", "goes on"})
}

// firstNeed is the first task's command that a person moves on, and how many there are.
func (c closing) firstNeed() nextStep {
	for _, o := range c.outcomes() {
		if o.Next != "" && (o.NeedsPerson() || o.Outcome == dispatch.IsReady || o.Person) {
			return nextStep{o.Next, needing(c.needs()) + " you: torve status"}
		}
	}
	return nextStep{}
}

// look is what to do with what landed: see it, and push it where there is anywhere to.
func (c closing) look(busy bool) []nextStep {
	n, commit := 0, ""
	for _, o := range c.outcomes() {
		if landed(o) {
			n, commit = n+1, o.Commit
		}
	}
	var out []nextStep
	switch {
	case n == 1 && !busy && c.s.cfg.Landing.Push == "":
		return []nextStep{{"git show " + view.Short(commit), ""}}
	case n == 1 && !busy:
		out = append(out, nextStep{"git show " + view.Short(commit), ""})
	case n > 1 && !busy:
		out = append(out, nextStep{"git log " + view.Short(c.rep.From) + "..", ""})
	}
	switch to := c.s.cfg.Landing.Push; {
	case n > 0 && to != "":
		out = append(out, nextStep{"git pull --rebase " + to + " " + c.s.cfg.Target, "brings what landed here"})
	case n > 0 && c.pushable && c.rep.Green.Red == "":
		out = append(out, nextStep{"git push", view.Count(n, "landing")})
	}
	return out
}
