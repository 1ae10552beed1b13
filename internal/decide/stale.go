package decide

import (
	"context"

	"torve/internal/village"
)

// stale judges the same plan twice: at the tick of its question, and one tick past the cap.
func (b *bench) stale(ctx context.Context) error {
	v, k, err := b.standing(ctx)
	if err != nil {
		return err
	}
	b.title("%s, asked at tick %d, and the answer judged again when it is %d ticks old", v.Name, b.Now, b.terms.Stale+1)
	b.asks(v, k.q)
	b.blank()
	b.line("  the plan, asked at tick %d, %s:", b.Now, k.voice().wrote)
	b.plan(k.plan, k.voice())
	b.blank()
	at, err := b.readAndJudge(v, k)
	if err != nil {
		return err
	}
	if err := b.until(ctx, b.Now+b.terms.Stale+1); err != nil {
		return err
	}
	then, err := b.readAndJudge(v, k)
	if err != nil {
		return err
	}
	b.twice(b.Now, b.world.Tick(), at, then)
	b.blank()
	b.line("  the same %s, asked at tick %d: %s at tick %d and %s at tick %d",
		counted(len(k.a.Text), "byte"), b.Now, word(at), b.Now, word(then), b.world.Tick())
	return nil
}

// readAndJudge takes a reading at this boundary, prints it and judges over it.
func (b *bench) readAndJudge(v village.Villager, k asked) (judged, error) {
	r, err := b.world.Reading(v.ID)
	if err != nil {
		return judged{}, err
	}
	b.reading(r)
	b.blank()
	return b.judge(k.proposal(), r), nil
}

// standing is a villager with a recorded answer that reads as a plan.
func (b *bench) standing(ctx context.Context) (village.Villager, asked, error) {
	v, k, err := b.recall(ctx)
	if err == nil && k.err != nil {
		err = unfit(dayCommand, "what is recorded of %s at tick %d is no plan: %v", v.Name, b.Now, k.err)
	}
	return v, k, err
}

func word(j judged) string {
	if j.OK {
		return "accepted"
	}
	return "refused"
}
