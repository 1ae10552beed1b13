package view

import (
	"fmt"
	"slices"
	"strings"

	"torve/internal/carrier"
)

// behind prints who is behind a line, a path or a commit.
func (p whyPage) behind() {
	l, a := p.a.Line, p.a
	switch a.Kind {
	case ofLine:
		at := fmt.Sprintf("%s:%d", l.Path, l.N)
		p.line("%s   %s", at, p.Cut(l.Text, max(10, p.Width-3-Width(at))))
	case ofPath:
		p.line("%s", l.Path)
	default:
		p.line("%s  %s", Short(l.Commit), p.Cut(l.Title, p.Width-9))
	}
	p.line("read from git (%s)", p.found())
	p.blank()
	p.origin()
	if !l.Ours {
		what := "this commit"
		if l.Uncommitted {
			what = "what is not committed"
		}
		p.field("task", "none: no landing names "+what)
		return
	}
	lead := fmt.Sprintf("%-10s%s   ", "task", p.a.Task)
	p.wrapped(lead, p.a.Title+p.which(), Width(lead))
	p.why()
	p.because()
	p.entries()
	p.written()
	if others := a.Tasks; len(others) > 1 {
		p.field("tasks", strings.Join(others, ", "))
	}
}

// found is how git was asked, and what it had.
func (p whyPage) found() string {
	how := map[string]string{ofLine: "blame", ofPath: "its last change", ofCommit: "the commit"}[p.a.Kind]
	if p.a.Line.Uncommitted {
		how = "the work tree"
	}
	if !p.a.Line.Ours {
		return how + ", no landing"
	}
	return how + ", 1 landing"
}

// origin is the commit behind the subject.
func (p whyPage) origin() {
	l := p.a.Line
	if l.Uncommitted {
		p.field(map[string]string{ofLine: "line", ofPath: "changed"}[p.a.Kind], "not committed yet")
		return
	}
	text := fmt.Sprintf("%s  %s", Short(l.Commit), p.full(l.At, p.a.now))
	switch {
	case !l.Ours:
		text += fmt.Sprintf(" by %s, %q", l.Author, p.Cut(l.Title, 40))
	case p.a.Kind == ofLine:
		text += ", unchanged since"
	}
	p.line("%-10s%s", map[string]string{ofLine: "line", ofPath: "changed", ofCommit: "commit"}[p.a.Kind], p.Cut(text, p.Width-10))
}

// which is the attempt that landed, of how many.
func (p whyPage) which() string {
	l := p.a.Landing
	if l == nil || l.Attempt == 0 {
		return ""
	}
	return fmt.Sprintf(", attempt %d of %d", l.Attempt, max(l.Attempt, l.Spent.Attempts))
}

// mostIntent lines of what was asked.
const mostIntent = 4

// why prints who asked, and in which words.
func (p whyPage) why() {
	by := ""
	if p.a.Owner != "" {
		by = "by " + p.a.Owner
	}
	intent := clean(p.a.Intent)
	if intent == "" {
		if by != "" {
			p.line("%-10s%s", "asked", by)
		}
		return
	}
	lead := fmt.Sprintf("%-10s%s", "asked", by)
	if Width(lead) > 30 {
		p.line("%s", lead)
		lead = strings.Repeat(" ", 16)
	}
	lead += strings.Repeat(" ", max(0, 16-Width(lead))) + "   "
	lines := p.Lines(lead, `"`+intent+`"`, Width(lead))
	if len(lines) > mostIntent {
		lines = lines[:mostIntent]
		lines[mostIntent-1] += ` …"`
	}
	for _, l := range lines {
		p.line("%s", l)
	}
}

// mostBecause decisions stand behind a line, and mostPassed lines of acceptance; the
// page of the task has the rest.
const mostBecause, mostPassed = 4, 3

// because prints the decisions that bound it and whether they stand today: those that
// the work said something about come first.
func (p whyPage) because() {
	noted := func(d Decision) int {
		if slices.ContainsFunc(p.a.Divergences, func(e carrier.Entry) bool { return e.Decision == d.ID }) {
			return 0
		}
		return 1
	}
	rows := slices.SortedStableFunc(slices.Values(p.a.Decisions), func(a, b Decision) int { return noted(a) - noted(b) })
	rest := len(rows) - mostBecause
	if rest > 1 {
		rows = rows[:mostBecause]
	}
	label := "because"
	for _, d := range rows {
		p.line("%-10s%s", label, p.Cut(fmt.Sprintf("%s %s  %s", d.ID, d.Grade, d.Text), p.Width-10))
		p.line("%19s%s", "", p.Cut(today(d), p.Width-19))
		label = ""
	}
	if rest > 1 {
		p.line("%10sand %d more: torve why %s", "", rest, p.a.Task)
	}
}

// today says where a decision stands and whether its text is the one that bound.
func today(d Decision) string {
	at := d.File
	if d.Line > 0 {
		at = fmt.Sprintf("%s:%d", d.File, d.Line)
	}
	switch d.Today {
	case "same":
		return at + ", in force, same text today"
	case "edited":
		return at + ", in force, another text today"
	case "superseded":
		return at + ", superseded since"
	case "missing":
		return "no longer in the specifications"
	}
	return at + ", which does not read today"
}

func (p whyPage) entries() {
	label := "noted"
	for _, e := range p.a.Divergences {
		text := fmt.Sprintf("%s %s: %s", e.Decision[strings.LastIndexByte(e.Decision, '/')+1:], e.Action, e.Claim)
		if e.Evidence != "" {
			text += " (" + firstLine(e.Evidence) + ")"
		}
		p.field(label, text)
		label = ""
	}
}

// written is who wrote it, and what judged it.
func (p whyPage) written() {
	l := p.a.Landing
	if l == nil {
		return
	}
	if l.Gate == nil {
		p.field("written", "by "+l.Work.By+"; attested by "+l.Attested+", and no gate judged it")
		return
	}
	parts := []string{"by " + writer(l.Agent), fmt.Sprintf("gated %d of 6", l.Gate.Asked)}
	plain := 0
	for _, r := range l.Gate.Acceptance {
		switch {
		case r.Flaky:
			parts = append(parts, r.Line+" passed on a second run (flaky: first "+r.First+")")
		case r.Exit == 0:
			if plain++; plain <= mostPassed {
				parts = append(parts, r.Line+" passed")
			}
		}
	}
	if plain > mostPassed {
		parts = append(parts, fmt.Sprintf("%d lines more passed", plain-mostPassed))
	}
	p.field("written", strings.Join(parts, "; "))
	p.field("spent", fmt.Sprintf("%s, %s, %s", Count(l.Spent.Attempts, "attempt"), lasted(l.Spent.Seconds), cost(l.Spent.USD, l.Spent.Source)))
}

// decision prints a row, where it stands, and which tasks it bound.
func (p whyPage) decision() {
	d := p.a.Decisions[0]
	p.line("%s  %s", d.ID, d.Grade)
	p.line("read from %s", map[string]string{fromRecord: "the record and git", fromFiles: "git (specifications and landings)"}[p.a.Sources["tasks"].Carrier])
	p.blank()
	p.field("says", d.Text)
	p.field("stands", today(d))
	if len(p.a.Tasks) == 0 {
		p.field("bound", "no task yet")
	} else {
		p.field("bound", strings.Join(p.a.Tasks, ", "))
	}
	p.entries()
}
