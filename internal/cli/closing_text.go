package cli

import (
	"fmt"
	"slices"
	"strings"

	"torve/internal/dispatch"
	"torve/internal/view"
)

// table lists the tasks, when there were several or the one did not land.
func (c closing) table() {
	rows := c.outcomes()
	switch {
	case c.dry:
		c.planned()
		return
	case len(rows) == 0:
		return
	case len(rows) == 1 && landed(rows[0]):
		if c.rep.From == c.rep.To {
			c.a.say("nothing to do: %s has landed, as %s", rows[0].ID, view.Short(rows[0].Commit))
			return
		}
		c.a.say("")
		return
	}
	c.a.say("\n%s\n", c.header(rows))
	widths := c.widths(rows)
	for _, o := range rows {
		c.row(o, widths)
	}
	c.a.say("")
}

// header counts: 5 tasks, or 5 of 5 landed; the time; and what was spent.
func (c closing) header(rows []dispatch.Outcome) string {
	parts := []string{view.Count(len(rows), "task")}
	if n := c.counted(landed); n == len(rows) {
		parts[0] = fmt.Sprintf("%d of %d landed", n, n)
	}
	parts = append(parts, view.Took(c.rep.Took))
	if c.rep.Attempts > 0 {
		parts = append(parts, view.Count(c.rep.Attempts, "attempt"), c.spent())
	}
	return joined(parts)
}

// spent adds what is known, and says how many attempts are not in it.
func (c closing) spent() string {
	sum, unknown := 0.0, 0
	var sources []string
	for _, o := range c.rep.Outcomes {
		if o.USD != nil {
			sum += *o.USD
			if source := first(o.Source, "of several sources"); !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
		unknown += o.Unknown
	}
	switch {
	case len(sources) == 0:
		return "cost unknown"
	case unknown == 0:
		return fmt.Sprintf("$%.2f %s", sum, strings.Join(sources, " and "))
	}
	return fmt.Sprintf("$%.2f %s, %s of unknown cost", sum, strings.Join(sources, " and "), view.Count(unknown, "attempt"))
}

// planned says what a run would start, and what waits on what.
func (c closing) planned() {
	for _, p := range c.rep.Planned {
		does := "would " + first(map[string]string{"first": "start"}[p.Does], p.Does)
		text := p.Title
		switch {
		case p.Then != "":
			text += ", then start, by " + p.Agent
		case p.Agent != "":
			text += ", by " + p.Agent
		case len(p.WaitsOn) > 0:
			text += ", and it waits on " + joined(p.WaitsOn)
		}
		lead := fmt.Sprintf("  %-13s %s  ", does, p.ID)
		c.a.say("%s", c.a.wrapped(lead, text, len(lead)))
	}
	rows := c.outcomes()
	widths := c.widths(rows)
	for _, o := range rows {
		c.row(o, widths)
	}
	if len(c.rep.Planned)+len(rows) == 0 {
		c.a.say("nothing would %s", map[bool]string{true: "land", false: "start"}[c.landOnly])
	}
}

// roomy is what fits beside a title; what is longer stands on lines of its own.
const roomy = 20

// columns are the widths of the table's.
type columns struct{ id, title, detail, cost int }

func (c closing) widths(rows []dispatch.Outcome) columns {
	w := columns{id: 6, detail: 7}
	for _, o := range rows {
		_, detail, _ := c.words(o)
		w.id, w.detail, w.cost = max(w.id, len(o.ID)), max(w.detail, min(roomy, view.Width(detail))), max(w.cost, len(costOf(o)))
	}
	w.title = max(12, c.a.style().Width-2-10-w.id-2-w.detail-2-w.cost-2)
	return w
}

// row is one task: how it stands, its title, a detail, its cost, and below it why.
func (c closing) row(o dispatch.Outcome, w columns) {
	word, detail, reason := c.words(o)
	if view.Width(detail) > w.detail {
		detail, reason = "", detail
	}
	print := c.a.say
	if o.NeedsPerson() {
		print = c.a.tell
	}
	s := c.a.style()
	print("  %s %s  %s  %s  %*s", s.Paint(fmt.Sprintf("%-9s", word)), s.Pad(o.ID, w.id), s.Pad(o.Title, w.title), s.Pad(detail, w.detail), w.cost, costOf(o))
	if reason != "" {
		print("%s", c.a.wrapped("            ", reason, 12))
	}
}

// words are the state word of a row, the detail beside it, and the reason below.
func (c closing) words(o dispatch.Outcome) (word, detail, reason string) {
	switch o.Outcome {
	case dispatch.IsLanded:
		return "landed", view.Short(o.Commit), ""
	case dispatch.IsReady:
		return "accepted", "", o.Reason
	case dispatch.IsInReview:
		return "in review", "", o.Reason
	case dispatch.IsRefused:
		return "refused", first(o.Check, strings.ReplaceAll(o.Why, "_", " ")), o.Reason
	case dispatch.IsEscalated:
		if by := "stopped by a person"; o.Why == "killed" && strings.HasPrefix(o.Reason, by) {
			return "needs you", by, strings.TrimPrefix(o.Reason, by)
		}
		return "needs you", strings.ReplaceAll(o.Why, "_", " "), o.Reason
	case dispatch.IsInterrupted:
		return "stopped", "", o.Reason
	}
	switch {
	case len(o.WaitsOn) > 0:
		detail = "on " + joined(o.WaitsOn)
	case !o.Until.IsZero():
		detail = "until " + c.a.style().Until(o.Until, c.a.now())
	case c.rep.BaseRed != "" && strings.Contains(o.Reason, "is red"):
		detail = "the base is red"
	case view.Width(o.Reason) <= roomy:
		detail = o.Reason
	default:
		reason = o.Reason
	}
	return "waits", detail, reason
}

// costOf is the last column: a figure, or that it is unknown.
func costOf(o dispatch.Outcome) string {
	if o.USD != nil && o.Unknown > 0 {
		return fmt.Sprintf("$%.2f+?", *o.USD) // the line above the table counts what is unknown
	}
	return strings.TrimPrefix(cost(o), "cost ")
}

// notes say what is about the run and not about one task.
func (c closing) notes() {
	r := c.rep
	if r.BaseRed != "" {
		c.a.tell("%s", c.a.labelled("red", "", fmt.Sprintf("%s %s: %s. Its tasks wait for another head", c.s.cfg.Target, view.Short(r.To), r.BaseRed)))
		if r.Mend != "" {
			c.a.tell("          likely mend: %s", r.Mend)
		}
	}
	for _, h := range r.HeldBy {
		c.a.say("%s", c.a.labelled("held", "", h))
	}
	for _, b := range r.Broken {
		if !c.shown(b) {
			c.a.tell("%s", c.a.labelled("broken", "", b))
		}
	}
	if text := c.limit(); text != "" {
		c.a.tell("%s", c.a.wrapped("", text, 2))
	}
	if kept := c.counted(func(o dispatch.Outcome) bool { return o.Outcome == dispatch.IsInterrupted && o.Kept }); kept > 0 {
		c.a.say("stopped: %s kept, not counted", view.Count(kept, "attempt"))
	}
}

// limit says what ended the run before its tasks were done.
func (c closing) limit() string {
	l := c.rep.Limit
	wait := "1 task waits"
	if l.Tasks != 1 {
		wait = fmt.Sprintf("%d tasks wait", l.Tasks)
	}
	switch l.By {
	case dispatch.ByQuota:
		return fmt.Sprintf("%s limit until %s: %s, trees kept", first(possessive(l.Agent), "the agents'"), c.a.style().Until(l.Until, c.a.now()), wait)
	case dispatch.ByUSD:
		return fmt.Sprintf("the run's limit of $%.2f is reached ($%.2f spent): %s", l.USD, l.Spent, wait)
	case dispatch.ByUntil:
		return fmt.Sprintf("nothing starts after %s: %s", c.a.style().Until(l.Until, c.a.now()), wait)
	case dispatch.ByEscalations:
		return fmt.Sprintf("%s you, and nothing more was started: %s", needing(l.Escalations), wait)
	}
	return ""
}

func possessive(name string) string {
	if name == "" {
		return ""
	}
	return name + "'s"
}

// shown reports whether a row of the table has said it.
func (c closing) shown(text string) bool {
	return slices.ContainsFunc(c.outcomes(), func(o dispatch.Outcome) bool { return text == o.ID+": "+o.Reason })
}

// target says where the target stands and whether its very tree passed.
func (c closing) target() {
	r, name := c.rep, c.s.cfg.Target
	n := c.counted(landed)
	switch {
	case c.dry:
	case r.Interrupted && len(r.Outcomes) == 0:
		c.a.say("stopped before anything was started")
	case len(r.Outcomes)+len(r.Waits) == 0 && r.BaseRed == "" && len(r.Broken) == 0:
		c.a.say("%s", c.nothing())
	case r.To == "": // the carriers could not be read at the end
		c.a.say("%s was at %s when this began", name, view.Short(r.From))
	case r.From == r.To:
		c.a.say("%s stays at %s", name, view.Short(r.To))
	case r.Green.Red != "":
		c.a.tell("%s", c.a.wrapped("", fmt.Sprintf("%s %s is %s. %s.", name, view.Short(r.To), c.tree(), c.pushed()), 2))
	case n == 0:
		c.a.say("%s is at %s now, and nothing of it is this run's", name, view.Short(r.To))
	case n == 1:
		c.a.say("%s", c.a.wrapped("", fmt.Sprintf("%s %s: %s. %s.", name, view.Short(r.To), c.tree(), c.pushed()), 2))
	default:
		c.a.say("%s", c.a.wrapped("", fmt.Sprintf("%s %s → %s, %s. %s.", name, view.Short(r.From), view.Short(r.To), c.tree(), c.pushed()), 2))
	}
}

// tree says what passed on the target's very tree, the repository's own lines first, or
// what fails on it.
func (c closing) tree() string {
	passed := c.passedLines()
	switch g := c.rep.Green; {
	case g.Red != "":
		return "red: " + g.Red
	case g.Why != "":
		return "its acceptance was not run: " + g.Why
	}
	if len(passed) == 0 {
		return "its acceptance was not run"
	}
	i := slices.IndexFunc(passed, func(l string) bool { return slices.Contains(c.s.cfg.Acceptance, l) })
	line := passed[max(0, i)]
	return c.a.style().Cut(line, 36) + " passed on this very tree" + c.flaky(line)
}

// flaky says which lines passed on the target's very tree only when they were run once
// more; line is the one that was named before.
func (c closing) flaky(line string) string {
	var others []string
	said := ""
	for _, r := range c.runs {
		switch {
		case !r.flaky:
		case r.line == line:
			said = ", flaky: it was red first"
		default:
			others = append(others, c.a.style().Cut(r.line, 36))
		}
	}
	if len(others) > 0 {
		said += "; flaky: " + strings.Join(others, ", ")
	}
	return said
}

func (c closing) pushed() string {
	if to := c.s.cfg.Landing.Push; to != "" {
		return "Pushed to " + to
	}
	return "Not pushed"
}

// nothing says why a run had nothing to do.
func (c closing) nothing() string {
	head := c.s.cfg.Target + " " + view.Short(c.rep.To)
	if c.landOnly {
		return "nothing to land: no task is accepted on " + head
	}
	if c.rep.Worst.Tasks > 0 { // it was said at the beginning what there is
		return "nothing is left to do on " + head + ": another run took it up first"
	}
	return "nothing to do: no task is ready on " + head
}

// needing is 1 task needs, 2 tasks need.
func needing(n int) string {
	if n == 1 {
		return "1 task needs"
	}
	return fmt.Sprintf("%d tasks need", n)
}
