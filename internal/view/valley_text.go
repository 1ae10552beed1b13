package view

import (
	"fmt"
	"io"
	"strings"

	"torve/internal/sim"
)

// newestWitnessed is how many of the newest rows people see.
const newestWitnessed = 3

// gap is what stands between the chart and its legend, in columns.
const gap = 3

// valleyPage is the world on its way to text for people.
type valleyPage struct {
	*page
	v     Valley
	chart *chart
}

// Text draws the valley, and says of each body where it is, what it carries and does, and
// whom it sees; below it what was witnessed last.
func (v Valley) Text(w io.Writer, s Style) error {
	p := valleyPage{page: newPage(s), v: v}
	p.chart = newChart(v, p.Style)
	p.head()
	p.blank()
	p.drawn()
	p.blank()
	p.bodies()
	p.blank()
	p.witnessed()
	p.blank()
	if v.Foot != "" {
		p.wrapped("", v.Foot, 0)
	}
	if v.Next != "" {
		p.line("%s", v.Next)
	}
	return p.to(w)
}

// head is the hour in words, or where they have no room as a clock shows it; and the tick.
func (p valleyPage) head() {
	left, right := fmt.Sprintf("The valley, day %d, %s", p.v.Day, p.v.Hour), fmt.Sprintf("tick %d", p.v.Tick)
	if Width(left)+2+Width(right) > p.Width {
		left = fmt.Sprintf("The valley, day %d, %s", p.v.Day, p.v.Clock)
	}
	p.ends(left, right)
}

// drawn is the chart with its legend beside it, or below it where there is no room.
func (p valleyPage) drawn() {
	legend := p.chart.legend()
	indent, wide := p.chart.across()+gap, 0
	for _, l := range legend {
		wide = max(wide, Width(bare(l)))
	}
	beside := indent+wide <= p.Width
	for i, line := range p.chart.lines() {
		if beside && i > 0 && len(legend) > 0 {
			line, legend = padded(line, indent)+legend[0], legend[1:]
		}
		p.line("%s", line)
	}
	if len(legend) > 0 {
		p.blank()
	}
	for len(legend) > 0 {
		line := "  " + legend[0]
		if legend = legend[1:]; len(legend) > 0 && 2*(wide+gap) <= p.Width {
			line, legend = padded(line, wide+gap+2)+legend[0], legend[1:]
		}
		p.line("%s", line)
	}
}

// padded is a text that may be coloured, filled to a width.
func padded(text string, to int) string {
	return text + strings.Repeat(" ", max(0, to-Width(bare(text))))
}

// bare is a text without its colours.
func bare(text string) string {
	var b strings.Builder
	for {
		before, rest, coloured := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !coloured {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "m")
	}
}

// bodyLine is what is said of a body, in the order in which it stands.
type bodyLine struct{ mark, name, cell, looks, grams, bar, doing, sees string }

// bodies is a line for each body, and one for each that was buried.
func (p valleyPage) bodies() {
	var rows []bodyLine
	var name, cell, grams, doing int
	for _, b := range p.v.Bodies {
		r := bodyLine{
			mark: p.chart.named[b.ID] + p.arrow(b.Heading), name: clean(called(b.Name, b.Kind, b.ID)), cell: cellOf(b.Cell), looks: b.Looks,
			grams: fmt.Sprintf("%.1f g", b.Grams), bar: p.bar(b.Grams, b.Holds), doing: b.Doing, sees: "sees " + p.names(b.Sees),
		}
		name, cell, grams, doing = max(name, Width(r.name)), max(cell, Width(r.cell)), max(grams, Width(r.grams)), max(doing, Width(r.doing))
		rows = append(rows, r)
	}
	for _, r := range rows {
		r.name, r.cell, r.doing = padded(r.name, name), padded(r.cell, cell), padded(r.doing, doing)
		r.grams = strings.Repeat(" ", grams-Width(r.grams)) + r.grams
		p.body(r)
	}
	for _, g := range p.v.Buried {
		p.line("  %s", p.Cut(fmt.Sprintf("+   %s was buried on %s at tick %d", called(g.Name, g.Kind, g.ID), cellOf(g.Cell), g.Tick), p.Width-2))
	}
	if len(p.v.Bodies)+len(p.v.Buried) == 0 {
		p.line("  nobody lives here")
	}
}

// body prints one: what has no room beside the rest goes below it, and a bar that has none
// is left out.
func (p valleyPage) body(r bodyLine) {
	const apart = "  "
	line := apart + p.ink("1", r.mark) + apart + strings.Join([]string{r.name, r.cell, padded(r.looks, 3), r.grams}, apart)
	if Width(bare(line))+len(apart)+barWide+len(apart)+Width(r.doing) <= p.Width {
		line += apart + r.bar
	}
	if more := line + apart + r.doing; Width(bare(more)) <= p.Width {
		line, r.doing = more, ""
	}
	if more := line + apart + r.sees; r.doing == "" && Width(bare(more)) <= p.Width {
		line, r.sees = more, ""
	}
	p.line("%s", line)
	if r.sees != "" {
		p.line("      %s", p.Cut(strings.TrimPrefix(strings.TrimSpace(r.doing)+", "+r.sees, ", "), p.Width-6))
	}
}

// names are those of bodies alive.
func (p valleyPage) names(ids []sim.EntityID) string {
	var out []string
	for _, id := range ids {
		for _, b := range p.v.Bodies {
			if b.ID == id {
				out = append(out, called(b.Name, b.Kind, b.ID))
			}
		}
	}
	if len(out) == 0 {
		return "nobody"
	}
	return strings.Join(out, ", ")
}

// barWide is how many columns a store's bar has.
const barWide = 10

// bar is how much of what a body can carry it does, to half a column.
func (p valleyPage) bar(grams, holds float64) string {
	halves := 0
	if holds > 0 {
		halves = min(max(int(grams/holds*2*barWide+0.5), 0), 2*barWide)
	}
	full, half, rest := "━", "╸", "─"
	if p.ASCII {
		full, half, rest = "=", "=", "-"
	}
	text, n := strings.Repeat(full, halves/2), (halves+1)/2
	if halves%2 == 1 {
		text += half
	}
	return p.ink("32", text) + p.ink("2", strings.Repeat(rest, barWide-n))
}

// witnessed are the newest rows, as sentences.
func (p valleyPage) witnessed() {
	rows := p.v.Witness[max(0, len(p.v.Witness)-newestWitnessed):]
	tick := 0
	for _, r := range rows {
		tick = max(tick, Width(fmt.Sprint(r.Tick)))
	}
	for _, r := range rows {
		said := r.Name + " " + r.Text
		if r.Register == "saw" {
			said = r.Name + " saw: " + r.Text
		}
		lead := fmt.Sprintf("  tick %*d  ", tick, r.Tick)
		p.wrapped(lead, said, Width(lead))
	}
}
