package decide

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
	"torve/internal/village"
)

// pond is open water between two banks of one row: the last cell of ground before it, its
// first cell, and the first cell of ground behind it.
type pond struct{ bank, water, beyond sim.Coord }

// pondOf is the widest of a valley, the first where there are several.
func pondOf(bed *sim.Bed) (widest pond, is bool) {
	width := 0
	for y := range bed.H {
		for x := range bed.W {
			p := pond{bank: sim.Coord{X: x, Y: y}, water: sim.Coord{X: x + 1, Y: y}, beyond: sim.Coord{X: x + 1, Y: y}}
			if bed.Kind(p.bank) != sim.Ground {
				continue
			}
			for bed.In(p.beyond) && bed.Kind(p.beyond) == sim.Water {
				p.beyond.X++
			}
			if n := p.beyond.X - p.water.X; n > width && bed.In(p.beyond) {
				width, widest = n, p
			}
		}
	}
	return widest, width > 0
}

// pair is a villager and an animal that stand on one cell and face the same water.
type pair struct {
	v      village.Villager
	animal sim.EntityID
	at     pond
}

// plenty is what the animal carries, in grams.
const plenty = 100

// beside puts a villager and an animal before the same water, first with full stores and then
// with empty ones, and asks the one rule of both.
func (b *bench) beside(ctx context.Context) error {
	v, err := b.stand(ctx)
	if err != nil {
		return err
	}
	at, is := pondOf(b.world.Valley().Bed)
	if !is {
		return unfit("go run ./cmd/decide -mode settings", "the valley has no water between two banks")
	}
	animal, err := b.world.Spawn("browser", at.bank, 0, plenty*sim.Gram)
	if err != nil {
		return err
	}
	p := pair{v, animal, at}
	b.title("%s and an animal before one rule, at tick %d", v.Name, b.Now)
	b.blank()
	b.stage(p)
	for _, empty := range []bool{false, true} {
		b.blank()
		if err := b.both(p, empty); err != nil {
			return err
		}
	}
	b.blank()
	b.line("  one function, (*beast.Beast).Rule, under Legal: the price to the store first, then the entry's own test")
	b.line("  the villager's refusal is the seam's reason and the animal's is the phase's report, and neither was told which it was")
	return nil
}

func (b *bench) stage(p pair) {
	v, o := b.world.Body(p.v.ID), b.world.Body(p.animal)
	b.line("  the cell       %s, ground; %s east of it is open water; %s beyond is ground again", cell(p.at.bank), cell(p.at.water), cell(p.at.beyond))
	b.line("  the villager   %s, stood there by the bench facing east, carrying %.4f grams", b.called(v.ID), v.Carrying())
	b.line("  the animal     %d, a browser off the fauna table, spawned there by the bench facing east, carrying %.4f grams", o.ID, o.Carrying())
}

// both asks the villager at a boundary and the animal inside a tick, and prints what each was
// told.
func (b *bench) both(p pair, empty bool) error {
	v, o := b.world.Body(p.v.ID), b.world.Body(p.animal)
	if v == nil || o == nil {
		return fmt.Errorf("body %d or %d did not outlive a tick in which it did nothing", p.v.ID, p.animal)
	}
	title := "both facing the water, with full stores"
	for _, body := range []*beast.Beast{v, o} {
		brink(body, p.at.bank)
		if empty {
			body.Store, title = 0, "both stores emptied by the bench, still facing the water"
		}
	}
	r, err := b.world.Reading(v.ID)
	if err != nil {
		return err
	}
	step := law.Step{Verb: law.Go, Where: &p.at.beyond}
	act := law.Next(step, r)
	seam := b.judge(law.Proposal{Plan: law.Plan{Steps: []law.Step{step}}, Asked: r.Tick, Set: []sim.EntityID{v.ID}, Profile: p.v.Profile}, r)
	legal := v.Legal(act, r.View)
	if legal == nil {
		return fmt.Errorf("%w: %s was allowed to %s into the water", ErrOdd, p.v.Name, act)
	}
	report, err := b.tick(p, act)
	if err != nil {
		return err
	}
	b.line("  %s", title)
	b.line(`    the villager's step   go to %s, which the fifth check puts to the world as "%s"`, cell(p.at.beyond), act)
	b.line("    the seam              %s", seam)
	b.line("    the call it made      Legal(%s): %v", act, legal)
	b.line("    the animal's tick     asked to %s; the phase's report: %v", act, report)
	b.line("    the same value        errors.Is(ErrNoGround) %t for the villager and %t for the animal; ErrBroke %t and %t",
		errors.Is(legal, beast.ErrNoGround), errors.Is(report, beast.ErrNoGround), errors.Is(legal, beast.ErrBroke), errors.Is(report, beast.ErrBroke))
	b.line("    refusals so far       %d for the animal, by the world's own check inside its tick", b.world.Counts(p.animal).Refused)
	return nil
}

// brink stands a body on the east edge of a cell, facing east, so that one stride leaves it.
func brink(o *beast.Beast, c sim.Coord) {
	o.Place(c, 0)
	o.X = (c.X+1)*beast.Cell - 1
}

// tick asks the animal for an act and the villager for none, lives one tick, and gives the
// phase's report of the animal.
func (b *bench) tick(p pair, act beast.Act) (error, error) {
	err := errors.Join(b.world.Post(p.animal, village.Intent{Act: act}), b.world.Post(p.v.ID, village.Intent{Act: beast.Rest}))
	if err != nil {
		return nil, err
	}
	b.world.Step()
	for _, report := range b.world.Reports() {
		if report.ID == p.animal {
			return report, nil
		}
	}
	return nil, fmt.Errorf("%w: the animal was allowed to %s into the water", ErrOdd, act)
}
