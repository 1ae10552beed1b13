package decide

import (
	"context"
	"slices"
	"strings"

	"torve/internal/law"
	"torve/internal/record"
	"torve/internal/village"
)

// arrive judges one recorded answer as it arrives, at the very tick of its question.
func (b *bench) arrive(ctx context.Context) error {
	v, k, err := b.recall(ctx)
	if err != nil {
		return err
	}
	b.title("%s, asked at tick %d", v.Name, b.Now)
	b.line("  the prompt, as it is rendered")
	b.quote(k.q.Prompt)
	b.asks(v, k.q)
	b.answered(k, k.voice())
	before := b.world.Pending(v.ID)
	verdict := k.unread()
	if k.err == nil {
		if verdict, err = b.judgeHere(v, k); err != nil {
			return err
		}
	}
	b.line("  the seam: %s", shown(verdict.String()))
	row, err := k.row(record.Plan, b.Now, verdict)
	if err != nil {
		return err
	}
	b.row(row, b.calledAll(k.q.Set), k.a.Settings, k.voice())
	b.line("  the stream: %d events pending before the seam ran, %d after; the seam wrote nothing", before, b.world.Pending(v.ID))
	return nil
}

// judgeHere judges a plan at this boundary, and prints how.
func (b *bench) judgeHere(v village.Villager, k asked) (law.Verdict, error) {
	r, err := b.world.Reading(v.ID)
	if err != nil {
		return law.Verdict{}, err
	}
	j := b.judge(k.proposal(), r)
	b.judgement(r, j)
	b.put(k.plan, r, j)
	return j.Verdict, nil
}

// put says what the first step asked the world for and what its rule said, where the fifth
// check came to ask it.
func (b *bench) put(p law.Plan, r law.Reading, j judged) {
	i := slices.Index(j.order, law.OnReach)
	if said := j.said(i); said == "-" || len(p.Steps) == 0 {
		return
	}
	act, says := law.Next(p.Steps[0], r), "allowed"
	if err := r.Actor.Legal(act, r.View); err != nil {
		says = err.Error()
	}
	if j.Failed == law.OnReach && !strings.HasSuffix(j.Why, says) {
		return // the cell, the grams or the body was refused before
	}
	b.line(`  the fifth check put step 1 to the world as "%s", through Legal, and the world said: %s`, act, says)
}

// quote prints a text behind a rule, so that none of it is taken for the bench's own words.
func (p *page) quote(text string) {
	for l := range strings.Lines(text) {
		p.line("    | %s", shown(strings.TrimSuffix(l, "\n")))
	}
}
