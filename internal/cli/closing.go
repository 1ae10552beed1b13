package cli

import (
	"fmt"
	"strings"

	"torve/internal/dispatch"
)

// closing is the last screen of a run: what landed, what needs a person, what waits,
// whether the target's tree passed, and one next command.
type closing struct {
	a    *app
	s    *session
	rep  dispatch.Report
	runs []ranLine
	dry  bool
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

func (c closing) print() error {
	next := c.next()
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
	c.nextLines(next)
	return end(c.outcome())
}

// nextLines prints what to type now, one under the other; a command is never cut.
func (c closing) nextLines(next []nextStep) {
	width := 0
	for _, n := range next {
		width = max(width, len([]rune(n.command)))
	}
	lead := "next:"
	for _, n := range next {
		c.a.say("%s", strings.TrimRight(fmt.Sprintf("%s %-*s  %s", lead, width, n.command, n.why), " "))
		lead = "     "
	}
}

// table lists the tasks when there were several, or any that did not land.
func (c closing) table() {
	r := c.rep
	if c.dry {
		c.planned()
		return
	}
	if len(r.Outcomes)+len(r.Waits) == 0 {
		return
	}
	if len(r.Outcomes) == 1 && len(r.Waits) == 0 && r.Outcomes[0].Outcome == dispatch.IsLanded {
		c.a.say("")
		return
	}
	c.a.say("\n%s, %s, %s, %s\n", count(len(r.Outcomes), "task"), took(r.Took), count(r.Attempts, "attempt"), c.spent())
	for _, o := range append(r.Outcomes[:len(r.Outcomes):len(r.Outcomes)], r.Waits...) {
		c.row(o)
	}
	c.a.say("")
}

// planned says what a run would start, and what waits on what.
func (c closing) planned() {
	for _, p := range c.rep.Planned {
		c.a.say("%-9s %s  %-44s %s", "would "+p.Does, p.ID, cut(p.Title, 44), p.Agent)
	}
	for _, o := range c.rep.Waits {
		c.row(o)
	}
}

// roomy is what fits beside a title; a longer reason stands on lines of its own.
const roomy = 23

func (c closing) row(o dispatch.Outcome) {
	word, detail, reason := o.Outcome, "", ""
	switch o.Outcome {
	case "landed":
		detail = short(o.Commit)
	case "refused":
		detail, reason = o.Check, o.Reason
	case "waiting":
		word, detail = "waits", first(joinedOn(o.WaitsOn), o.Reason)
		if len([]rune(detail)) > roomy {
			detail, reason = "", detail
		}
	case "ready":
		word, reason = "accepted", o.Reason
	case "escalated":
		word, detail, reason = "needs you", needsWord(o.Why), o.Reason
	default:
		reason = o.Reason
	}
	c.a.say("%s", strings.TrimRight(fmt.Sprintf("  %-9s %-7s %-36s %-12s %s", word, o.ID, cut(o.Title, 36), detail, cost(o)), " "))
	if reason != "" {
		c.a.say("%s", wrap("            "+reason, 80, 12))
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
	sum, known, unknown := 0.0, false, 0
	for _, o := range c.rep.Outcomes {
		if o.USD != nil {
			sum, known = sum+*o.USD, true
		}
		unknown += o.Unknown
	}
	switch {
	case !known && unknown == 0:
		return "nothing spent"
	case !known:
		return "cost unknown"
	case unknown == 0:
		return fmt.Sprintf("$%.2f reported", sum)
	}
	return fmt.Sprintf("$%.2f reported, %s of unknown cost", sum, count(unknown, "attempt"))
}

// needsWord is why a task needs a person, as people say it.
func needsWord(reason string) string { return strings.ReplaceAll(reason, "_", " ") }

func (c closing) notes() {
	if c.rep.BaseRed != "" {
		c.note("red", fmt.Sprintf("%s %s: %s; tasks wait for another head", c.s.cfg.Target, short(c.rep.To), c.rep.BaseRed))
		if c.rep.Mend != "" {
			c.note("", "likely mend: "+c.rep.Mend)
		}
	}
	for _, h := range c.rep.HeldBy {
		c.note("held", h)
	}
	for _, b := range c.rep.Broken {
		c.note("broken", b)
	}
	if c.rep.Limit != "" {
		c.note("limit", c.rep.Limit)
	}
}

// note is a line about the run as a whole.
func (c closing) note(word, text string) {
	c.a.say("%s", wrap(fmt.Sprintf("%-9s %s", word, text), 80, 10))
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
	case len(r.Outcomes)+len(r.Waits) == 0 && r.From == r.To && r.BaseRed == "":
		c.a.say("nothing to do: no task is ready on %s %s", c.s.cfg.Target, short(r.To))
	case r.From != r.To && r.To != "":
		passed := "its acceptance was not run"
		if lines := c.passedLines(); len(lines) > 0 {
			passed = cut(strings.Join(lines, "; "), 28) + " passed on this very tree"
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

func needYou(n int) string {
	if n == 1 {
		return "1 task needs you"
	}
	return count(n, "task") + " need you"
}

type nextStep struct{ command, why string }

// next is what a person does now: first what only a person can free.
func (c closing) next() []nextStep {
	r := c.rep
	var out []nextStep
	needs, landed, commit, waits := 0, 0, "", false
	for _, o := range append(r.Outcomes[:len(r.Outcomes):len(r.Outcomes)], r.Waits...) {
		switch {
		case o.Outcome == dispatch.IsLanded:
			landed, commit = landed+1, o.Commit
		case o.NeedsPerson() || o.Outcome == dispatch.IsReady:
			if needs++; o.Next != "" && len(out) == 0 {
				out = append(out, nextStep{o.Next, ""})
			}
		case o.Outcome == dispatch.IsWaiting:
			waits = true
		}
	}
	if len(out) > 0 {
		out[0].why = needYou(needs) + ": torve status"
	}
	switch {
	case r.Interrupted || r.Stopped:
		return []nextStep{{"torve dispatch", "goes on"}}
	case c.dry:
		return []nextStep{{"torve dispatch", ""}}
	case landed == 1 && needs == 0:
		return append(out, nextStep{"git show " + short(commit), ""})
	case landed > 0 && needs == 0:
		out = append(out, nextStep{"git log " + short(r.From) + "..", ""})
	case landed == 0 && len(out) == 0 && !waits && r.Person > 0:
		return []nextStep{{"torve status", needYou(r.Person)}}
	case landed == 0 && len(out) == 0 && !waits && len(r.Outcomes) == 0:
		return []nextStep{{`torve new "what you want" --allow 'where/**'`, ""}}
	case len(out) == 0:
		out = append(out, nextStep{"torve status", ""})
	}
	if landed > 0 && c.s.cfg.Landing.Push == "" {
		out = append(out, nextStep{"git push", count(landed, "landing")})
	}
	return out
}

// outcome is the first that is true, in the order that the exit codes are documented.
func (c closing) outcome() Outcome {
	r := c.rep
	switch {
	case r.Interrupted:
		return Interrupted
	case r.Limit != "":
		return Limit
	case c.dry:
		return Done
	case r.Unjudged():
		return Infrastructure
	case r.NeedsPerson():
		return NeedsPerson
	case len(r.Broken) > 0:
		return Usage
	}
	return Done
}
