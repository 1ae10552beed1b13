package view

import (
	"fmt"
	"io"
	"strings"
)

// Text prints the context in the columns of a terminal.
func (a ContextAnswer) Text(w io.Writer, s Style) error {
	p := newPage(s)
	a.head(p)
	for _, b := range a.blocks(p.Style) {
		p.blank()
		p.ends(b.title, b.from)
		p.block(b)
	}
	p.blank()
	if none := a.unheld(); len(none) > 0 {
		p.wrapped("", "Nothing here tells of "+strings.Join(none, ", ")+": that there are none is not known.", 0)
	}
	p.line("next: %s", a.step())
	return p.to(w)
}

// head says what was read, above the first figure.
func (a ContextAnswer) head(p *page) {
	p.wrapped("", a.status.from.readFrom(a.Sources["tasks"].Carrier), 0)
	p.ends(a.status.place(), p.zone(a.now))
	for _, l := range a.told.counts() {
		p.wrapped("", l, 0)
	}
	for _, f := range a.Faults {
		p.wrapped("broken  ", f.Error, 8)
	}
	p.blank()
	p.field("tasks", a.counted())
	if text := severities(a.Findings); text != "" {
		p.field("findings", text+" open")
	}
}

func (p *page) block(b block) {
	lead, beside := 6, 0
	for _, i := range b.items {
		lead, beside = max(lead, Width(i.lead)), max(beside, Width(i.beside))
	}
	text := max(12, min(37, p.Width-lead-5-min(beside, 40)))
	for _, i := range b.items {
		head := "  "
		indent := 2
		if i.lead != "" {
			head, indent = "  "+p.Pad(i.lead, lead)+"  ", lead+4
		}
		if i.beside != "" {
			p.line("%s%s %s", head, p.Pad(i.text, text), p.Cut(i.beside, p.Width-indent-text-1))
		} else {
			p.wrapped(head, i.text, indent)
		}
		for _, u := range i.under {
			p.wrapped(strings.Repeat(" ", indent), u, indent)
		}
		if i.command != "" {
			p.line("%s→ %s", strings.Repeat(" ", indent), i.command)
		}
	}
	if b.table != nil {
		b.table.print(p)
	}
	if b.rest != "" {
		p.line("  %s", b.rest)
	}
}

func (a ContextAnswer) step() string {
	if len(a.Escalations) > 0 {
		return "torve status"
	}
	return `torve new "…" --allow 'where/**'`
}

// Markdown prints the context for a planner's prompt: the same blocks, and no columns.
func (a ContextAnswer) Markdown(w io.Writer, s Style) error {
	p := newPage(s)
	name := a.status.from.Partition
	if name == "" {
		name = a.status.name
	}
	p.line("# What a planner should know of %s", marked(name))
	p.blank()
	p.line("%s, %s %s.", marked(a.status.from.readFrom(a.Sources["tasks"].Carrier)), a.Target.Name, Short(a.Target.Head))
	for _, l := range a.told.counts() {
		p.line("%s.", marked(l))
	}
	for _, f := range a.Faults {
		p.line("- broken: %s", marked(f.Error))
	}
	p.line("Tasks: %s.", a.counted())
	if none := a.unheld(); len(none) > 0 {
		p.line("Nothing here tells of %s: that there are none is not known.", strings.Join(none, ", "))
	}
	for _, b := range a.blocks(p.Style) {
		p.blank()
		p.line("## %s%s (read from %s)", strings.ToUpper(b.title[:1]), marked(b.title[1:]), b.from)
		p.blank()
		p.markdown(b)
	}
	return p.to(w)
}

func (p *page) markdown(b block) {
	for _, i := range b.items {
		text := marked(i.text)
		if i.lead != "" {
			text = fmt.Sprintf("**%s** %s", marked(i.lead), text)
		}
		for _, u := range append(i.under, i.beside) {
			if u != "" {
				text += " - " + marked(u)
			}
		}
		if i.command != "" {
			text += " - next: `" + strings.ReplaceAll(clean(i.command), "`", "'") + "`"
		}
		p.line("- %s", text)
	}
	if t := b.table; t != nil {
		shown, _ := t.columns()
		row := func(label string, cells []string) {
			line := "| " + marked(label) + " |"
			for _, c := range shown {
				line += " " + cells[c] + " |"
			}
			p.line("%s", line)
		}
		row("", t.heads)
		p.line("|---|%s", strings.Repeat("---:|", len(shown)))
		for i, cells := range t.cells {
			row(t.labels[i], cells)
		}
	}
	if b.rest != "" {
		p.blank()
		p.line("%s", marked(b.rest))
	}
}

// plainMark keeps what Markdown would take for its own.
var plainMark = strings.NewReplacer("`", "\\`", "*", "\\*", "<", "\\<", "|", "\\|", "[", "\\[", "\n", " ")

// marked is a text in which nothing is Markdown by accident.
func marked(text string) string { return plainMark.Replace(clean(text)) }
