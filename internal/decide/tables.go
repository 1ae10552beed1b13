package decide

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"torve/internal/beast"
	"torve/internal/lang"
	"torve/internal/law"
	"torve/internal/record"
)

// plan is the table of a plan's steps.
func (p *page) plan(plan law.Plan, v voice) {
	p.line("%6s %-6s %-24s %5s  %s", "#", "verb", "argument", "ticks", v.reason)
	for i, s := range plan.Steps {
		ticks, _ := law.Span(s.Verb)
		p.line("%6d %-6s %-24s %5d  %s", i+1, shown(s.Verb), p.argument(s), ticks, shown(s.Reason))
	}
}

// argument is what a step's verb is about; the words of a say are not among it.
func (p *page) argument(s law.Step) string {
	switch {
	case s.Verb == law.Go && s.Where != nil:
		return "to " + cell(*s.Where)
	case s.Verb == law.Watch && s.Who != 0, s.Verb == law.Say && s.Who != 0:
		return p.called(s.Who)
	case s.Verb == law.Hand && s.Who != 0:
		return fmt.Sprintf("%g g to %s", s.Grams, p.called(s.Who))
	case s.Verb == law.Take && s.Who != 0:
		return fmt.Sprintf("%g g from %s", s.Grams, p.called(s.Who))
	}
	return "-"
}

// reading is the world at a boundary, as it is handed to the last two checks.
func (p *page) reading(r law.Reading) {
	b := r.Actor
	p.line("  the reading of the world at the boundary of tick %d, handed to the last two checks", r.Tick)
	p.line("    the actor    %s on %s carrying %.4f grams, heading %.2f, reach %s",
		p.called(b.ID), cell(b.Cell()), b.Carrying(), heading(b), counted(int(b.Kind.Reach), "cell"))
	p.line("    in sight     %s", p.calledAll(r.Sees))
	var alive []string
	for _, id := range slices.Sorted(maps.Keys(r.Bodies)) {
		o := r.Bodies[id]
		alive = append(alive, fmt.Sprintf("%s on %s with %.4f g", p.called(id), cell(o.Cell), o.Grams))
	}
	p.line("    alive        %s", strings.Join(alive, "; "))
}

func heading(b *beast.Beast) float64 { return float64(b.Heading) * math.Pi / (beast.Headings / 2) }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// checks is the table of what each check said.
func (p *page) checks(j judged) {
	p.line("%4s %-10s %s", "#", "check", "said")
	for i, check := range j.order {
		p.line("%4d %-10s %s", i+1, check, j.said(i))
	}
}

// twice is the same table for two ticks.
func (p *page) twice(at, then int, a, b judged) {
	p.line("%4s %-10s %-24s %s", "#", "check", fmt.Sprintf("at tick %d", at), fmt.Sprintf("at tick %d", then))
	for i, check := range a.order {
		p.line("%4d %-10s %-24s %s", i+1, check, a.said(i), b.said(i))
	}
	p.line("%4s %-10s %-24s %s", "", "the seam", a, b)
}

// row is a row of the ledger, column by column.
func (p *page) row(row record.Proposal, set string, s lang.Settings, v voice) {
	p.line("  the ledger row, column by column")
	for _, c := range [...][2]string{
		{"villager", row.Actor},
		{"tick", fmt.Sprint(row.Tick)},
		{"kind", row.Kind},
		{"model", shown(row.Model)},
		{"digest", digits(row.Digest)},
		{"settings", s.String()},
		{"prompt_sha256", digits(row.Prompt)},
		{"tokens", tokens(row.TokensIn) + " in, " + tokens(row.TokensOut) + " out"},
		{"grounding", set},
		{"answer", counted(len(row.Answer), "byte") + ", " + v.answer},
		{"verdict", row.Verdict},
		{"failed", orDash(row.Failed)},
		{"reason", orDash(shown(row.Reason))},
	} {
		p.line("    %-14s %s", c[0], c[1])
	}
}

// tokens is a count of them; of an answer that was cut off nobody counted any.
func tokens(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

// short is the ledger of a run that has no store: the proposal and what was refused when due.
func (p *page) short(rows []record.Proposal) {
	p.line("  the ledger, %d row(s): the proposal, and one row for each step refused at dispatch", len(rows))
	p.line("%5s %6s %-5s %-8s %-9s %s", "#", "tick", "kind", "verdict", "failed", "reason")
	for i, r := range rows {
		p.line("%5d %6d %-5s %-8s %-9s %s", i+1, r.Tick, r.Kind, r.Verdict, orDash(r.Failed), orDash(shown(r.Reason)))
	}
}

// readBack is a villager's rows as the store gives them, and which of them is its plan.
func (p *page) readBack(who string, rows []record.Proposal, current *record.Proposal) {
	p.line("  %s's proposals read back, ORDER BY id: %d row(s)", who, len(rows))
	p.line("%6s %6s %-5s %-16s %8s %6s  %-14s %-8s %-9s %s", "id", "tick", "kind", "prompt_sha256", "in", "out", "grounding", "verdict", "failed", "reason")
	for _, r := range rows {
		p.line("%6d %6d %-5s %-16s %8s %6s  %-14s %-8s %-9s %s", r.ID, r.Tick, r.Kind, digits(r.Prompt),
			orUnknown(r.TokensIn), orUnknown(r.TokensOut), braced(r.Grounding), r.Verdict, orDash(r.Failed), orDash(cut(bare(r.Reason), 40)))
	}
	if current == nil {
		p.line("  %s's current plan: none; no accepted plan in the ledger, so the habit runs", who)
		return
	}
	p.line("  %s's current plan, the newest accepted row of the plan kind: proposal %d, asked at tick %d", who, current.ID, current.Tick)
}

// orUnknown is a count in a column.
func orUnknown(n *int64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// bare is a reason without the sentence that says which model it is about.
func bare(reason string) string {
	if _, after, is := strings.Cut(reason, " answered with something that is "); is && strings.HasPrefix(reason, "lang: ") {
		return shown(after)
	}
	return shown(reason)
}
