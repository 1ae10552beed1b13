package village

import (
	"fmt"
	"strings"

	"torve/internal/law"
	"torve/internal/sim"
)

// verbs says what each verb does and needs, as a prompt tells it.
var verbs = [...]struct{ verb, does string }{
	{law.Go, "walks to a cell: where."},
	{law.Wait, "stands still."},
	{law.Watch, "looks at a body: who."},
	{law.Hand, "gives grams to a body: who, grams."},
	{law.Take, "takes grams from a body: who, grams."},
	{law.Say, "speaks to a body: who, line."},
}

// form is the answer's keys.
const form = `{"steps":[{"reason","verb","where":{"x","y"},"who","grams","line"}]}`

// prompt is the question as a model reads it: lines, each ending in a line feed.
func (r *Roster) prompt(b *body, q Question, t Thought) string {
	var p strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&p, format+"\n", args...) }
	c := b.Cell()
	line("You are %s, %s. It is tick %d.", b.Name, called("", b.Kind.Name), q.Tick)
	line("You stand on %d,%d. You carry %.4f grams.", c.X, c.Y, b.Carrying())
	line("You see: %s.", r.sights(b))
	line("You know: %s.", r.names(q.Set))
	remembered(line, q.Rows)
	line("Say what you will do next as 1 to %d steps, no more than %d ticks in all.", t.Caps.Steps, t.Caps.Horizon)
	for _, v := range verbs {
		ticks, _ := law.Span(v.verb)
		line("%s %s %d ticks.", v.verb, v.does, ticks)
	}
	line("Answer with JSON: %s", form)
	return p.String()
}

func (r *Roster) sights(b *body) string {
	var all []string
	for _, id := range r.Sees(b.ID) {
		o := r.Body(id)
		c := o.Cell()
		all = append(all, fmt.Sprintf("%d %s on %d,%d, %.1f cells off", id, r.called(id), c.X, c.Y, b.Away(o)))
	}
	if all == nil {
		return "nobody"
	}
	return strings.Join(all, "; ")
}

func (r *Roster) names(ids []sim.EntityID) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = fmt.Sprintf("%d %s", id, r.called(id))
	}
	return strings.Join(all, ", ")
}

func remembered(line func(string, ...any), rows []Row) {
	if len(rows) == 0 {
		line("You remember nothing.")
		return
	}
	line("You remember:")
	for _, row := range rows {
		verb := ""
		if row.Register == saw {
			verb = "saw: "
		}
		line("- tick %d you %s%s", row.Tick, verb, row.Text)
	}
}
