package decide

import (
	"context"
	"fmt"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/record"
	"torve/internal/village"
)

// dispatch judges a recorded answer so many ticks late, and lives its plan if it is accepted.
func (b *bench) dispatch(ctx context.Context) error {
	v, k, err := b.recall(ctx)
	if err != nil {
		return err
	}
	b.title("%s, asked at tick %d, answered %d ticks late", v.Name, b.Now, b.Late)
	b.asks(v, k.q)
	b.answered(k, k.voice())
	if err := b.until(ctx, b.Now+b.Late); err != nil {
		return err
	}
	verdict, err := b.land(v, k)
	if err != nil {
		return err
	}
	row, err := k.row(record.Plan, b.Now, verdict)
	if err != nil {
		return err
	}
	rows := []record.Proposal{row}
	if verdict.OK {
		counts := b.world.Counts(v.ID)
		b.line("  %s; the mailbox has been read %d times and the habit has run %d ticks", b.where(v), counts.Taken, counts.Habit)
		b.blank()
		step, err := b.walk(v, k)
		if err != nil {
			return err
		}
		rows = append(rows, step...)
	} else {
		b.line("  nothing is dispatched: the plan is refused whole, and the habit runs")
	}
	b.blank()
	b.short(rows)
	return nil
}

// land judges an answer at the boundary where it lands, and prints how.
func (b *bench) land(v village.Villager, k asked) (law.Verdict, error) {
	verdict := k.unread()
	if k.err != nil {
		b.line("  landed at the boundary of tick %d; no reading is taken for what is no plan", b.world.Tick())
	} else {
		b.line("  landed at the boundary of tick %d; the six checks on arrival", b.world.Tick())
		r, err := b.world.Reading(v.ID)
		if err != nil {
			return verdict, err
		}
		j := b.judge(k.proposal(), r)
		b.checks(j)
		verdict = j.Verdict
	}
	b.line("  the seam: %s", shown(verdict.String()))
	return verdict, nil
}

// where is where a villager stands and what it carries.
func (b *bench) where(v village.Villager) string {
	o := b.world.Body(v.ID)
	if o == nil {
		return v.Name + " is not in the world any more"
	}
	return fmt.Sprintf("%s is on %s carrying %.4f grams", v.Name, cell(o.Cell()), o.Carrying())
}

// walk lives an accepted plan and prints what came of it: each step, the totals, what the
// witness wrote, and where it ended. It gives the row of the step that was refused when due.
func (b *bench) walk(v village.Villager, k asked) ([]record.Proposal, error) {
	written := len(b.world.Stream(v.ID))
	done, err := b.world.Dispatch(v.ID, k.proposal(), b.terms)
	if err != nil {
		return nil, err
	}
	b.steps(done, k.plan, false)
	b.blank()
	b.spent(done, k.plan, false)
	var rows []record.Proposal
	if no, is := refusedStep(done); is {
		b.line("  step %d refused at its due tick; the witness held %d events before the check and %d after it", no.N, no.Before, no.After)
		row, err := k.row(record.Step, no.Due, no.Verdict)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	b.line("  what the witness wrote down while the plan ran, in the register the stream is kept in")
	stream := append(b.world.Stream(v.ID)[written:], b.world.Open(v.ID)...)
	for _, row := range stream {
		b.line("    tick %5d  %s  %s", row.Tick, row.Register, row.Text)
	}
	if len(stream) == 0 {
		b.line("    nothing")
	}
	b.line("  %s at the boundary of tick %d", b.where(v), b.world.Tick())
	return rows, nil
}

// refusedStep is the step that was asked and refused; behind it none was asked.
func refusedStep(done []village.Done) (village.Done, bool) {
	for _, d := range done {
		if d.Asked && !d.Verdict.OK {
			return d, true
		}
	}
	return village.Done{}, false
}

// steps is the table of a plan that was lived: of a live one without what its mailbox counted.
func (p *page) steps(done []village.Done, plan law.Plan, live bool) {
	const head, row = "%6s %-6s %-17s %4s  %-44s %6s ", "%6d %-6s %-17s %4d  %-44s %6d "
	heads := []any{"#", "verb", "argument", "due", "reach, then freshness, at the due tick", "posted"}
	if live {
		p.line(head+"%6s  %s", append(heads, "habit", "what the world did")...)
	} else {
		p.line(head+"%6s %6s %7s  %s", append(heads, "taken", "habit", "refused", "what the world did")...)
	}
	for _, d := range done {
		cells := []any{d.N, d.Step.Verb, p.argument(d.Step), d.Due, cut(whenDue(d), 44), d.Posted}
		if live {
			p.line(row+"%6d  %s", append(cells, d.Counts.Habit, p.did(d))...)
		} else {
			p.line(row+"%6d %6d %7d  %s", append(cells, d.Counts.Taken, d.Counts.Habit, d.Counts.Refused, p.did(d))...)
		}
	}
	if len(done) < len(plan.Steps) {
		p.line("  the body is not in the world any more, and step %d never came due", len(done)+1)
	}
}

// whenDue is what the two checks of the world said of a step when it was due.
func whenDue(d village.Done) string {
	switch {
	case !d.Asked:
		return "not asked: the plan was refused before it"
	case d.Verdict.OK:
		return "yes, yes"
	}
	return d.Verdict.String()
}

// did is what a body did in a step's ticks.
func (p *page) did(d village.Done) string {
	turns, walks := d.Counts.Acts[beast.TurnLeft]+d.Counts.Acts[beast.TurnRight], d.Counts.Acts[beast.Walk]
	switch {
	case d.Habit:
		return fmt.Sprintf("the habit; stood on %s at the end", cell(d.To))
	case d.Step.Verb == law.Go:
		return fmt.Sprintf("%d turns, %d walks: went from %s to %s", turns, walks, cell(d.From), cell(d.To))
	case d.Step.Verb == law.Watch:
		return fmt.Sprintf("%d turns, then stood on %s", turns, cell(d.To))
	case d.Step.Verb == law.Hand:
		return fmt.Sprintf("handed %.1f grams to %s; stood on %s", d.Grams, p.called(d.Step.Who), cell(d.To))
	case d.Step.Verb == law.Take:
		return fmt.Sprintf("took %.1f grams from %s; stood on %s", d.Grams, p.called(d.Step.Who), cell(d.To))
	case d.Step.Verb == law.Say:
		return fmt.Sprintf("said %q; stood on %s", shown(cut(d.Step.Line, 44)), cell(d.To))
	}
	return "stood on " + cell(d.To)
}

// spent is what the steps took together.
func (p *page) spent(done []village.Done, plan law.Plan, live bool) {
	posted, taken, habit := 0, 0, 0
	for _, d := range done {
		posted, taken, habit = posted+d.Posted, taken+d.Counts.Taken, habit+d.Counts.Habit
	}
	if live {
		p.line("  %d intents posted at the boundary and %d ticks ran the habit, over the plan's %d ticks", posted, habit, plan.Span())
		return
	}
	p.line("  %d intents posted at the boundary, %d taken out of the slot, %d ticks ran the habit, over the plan's %d ticks", posted, taken, habit, plan.Span())
}
