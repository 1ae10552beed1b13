package decide

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/law"
	"torve/internal/record"
	"torve/internal/village"
)

// refuse changes an accepted plan in six ways, each of which the law is to refuse. It is
// ErrOdd when one of them is accepted.
func (b *bench) refuse(ctx context.Context) error {
	v, k, err := b.standing(ctx)
	if err != nil {
		return err
	}
	r, err := b.world.Reading(v.ID)
	if err != nil {
		return err
	}
	recorded := b.judge(k.proposal(), r)
	if !recorded.OK {
		return unfit(dayCommand, "the plan recorded of %s at tick %d is %s: refuse begins with one that is accepted", v.Name, b.Now, recorded)
	}
	b.title("%s, asked at tick %d, and the plan changed in six ways", v.Name, b.Now)
	b.asks(v, k.q)
	b.blank()
	b.line("  the plan, recorded, %s:", k.voice().wrote)
	b.plan(k.plan, k.voice())
	b.line("  as recorded  %s", recorded)
	b.reading(r)
	b.blank()
	return b.tryAll(v, k, r)
}

// tryAll tries each change, prints what came of it, and counts.
func (b *bench) tryAll(v village.Villager, k asked, r law.Reading) error {
	refused, accepted, not, told := 0, 0, 0, false
	for _, t := range b.trials(v, k.plan, k.q.Set, r) {
		if t.why != "" {
			not++
			b.line("  %s", t.title)
			b.line("    not tried    %s", t.why)
			b.blank()
			continue
		}
		p := k.proposal()
		p.Plan = t.plan
		j := b.judge(p, t.reading)
		if b.tried(t, j); j.OK {
			accepted++
		} else {
			refused++
		}
		if !told {
			told = true
			row, err := k.row(record.Plan, b.Now, j.Verdict)
			if err != nil {
				return err
			}
			b.row(row, b.calledAll(k.q.Set), k.a.Settings, k.voice())
		}
		b.blank()
	}
	return b.counted(refused, accepted, not)
}

// tried prints one change.
func (b *bench) tried(t trial, j judged) {
	b.line("  %s", t.title)
	b.line("    the plan     %d steps spanning %d ticks", len(t.plan.Steps), t.plan.Span())
	b.line("    the seam     %s", j)
	b.line("    checks run   %d of %d", j.asked, len(j.order))
	if j.OK {
		b.line("    dispatched   nothing, and it would be: this plan had to be refused")
		return
	}
	if j.Failed == law.OnLaw {
		b.line("    first came   the law, and not the check that the change is for")
	}
	b.line("    dispatched   nothing; the plan is not trimmed to the steps that check")
}

func (b *bench) counted(refused, accepted, not int) error {
	rest := ""
	if not > 0 {
		rest = fmt.Sprintf("; %d not tried", not)
	}
	if accepted > 0 {
		b.line("  %d plans refused whole, and %d accepted that had to be refused%s", refused, accepted, rest)
		return errors.Join(b.err, fmt.Errorf("%w: %d of the changed plans accepted", ErrOdd, accepted))
	}
	b.line("  %d plans refused whole, 0 steps dispatched, and the one that checks is the one above%s", refused, rest)
	return nil
}
