package decide

import (
	"fmt"
	"maps"
	"slices"

	"torve/internal/law"
	"torve/internal/sim"
	"torve/internal/village"
)

// trial is one change of a plan, or of the reading that it is judged over.
type trial struct {
	title   string
	plan    law.Plan
	reading law.Reading
	why     string // it cannot be tried at this tick
}

// trials are the six, of whoever the reading is of. Whom and where they name is chosen from
// the set and the reading: the lowest id that fits, and the water of beside.
func (b *bench) trials(v village.Villager, p law.Plan, set []sim.EntityID, r law.Reading) []trial {
	return []trial{
		b.strange(p, set, r),
		b.unseen(v, p, set, r),
		b.unreached(v, p, set, r),
		b.flooded(v, p, r),
		b.tooMuch(v, p, set, r),
		b.dead(p, r),
	}
}

// strange has a step watch a body that nobody told the villager of.
func (b *bench) strange(p law.Plan, set []sim.EntityID, r law.Reading) trial {
	id := sim.EntityID(1)
	for known := slices.Concat(set, slices.Collect(maps.Keys(r.Bodies))); slices.Contains(known, id); {
		id++
	}
	which, plan := second(p, law.Step{Verb: law.Watch, Who: id})
	return trial{title: fmt.Sprintf("the %s step swapped for a watch of body %d, which is in no grounding set", which, id), plan: plan, reading: r}
}

// unseen has the first step watch somebody who is not in sight.
func (b *bench) unseen(v village.Villager, p law.Plan, set []sim.EntityID, r law.Reading) trial {
	id, is := of(set, r, func(id sim.EntityID) bool { return id != v.ID && !slices.Contains(r.Sees, id) })
	if !is {
		return trial{title: "the first step swapped for a watch of somebody who is in the set and not in sight", why: "everyone in the set is in sight"}
	}
	return trial{
		title: fmt.Sprintf("the first step swapped for a watch of %s, who is in the set and not in sight", b.called(id)),
		plan:  swapped(p, 0, law.Step{Verb: law.Watch, Who: id}), reading: r,
	}
}

// unreached has the first step hand something to somebody who is not inside reach.
func (b *bench) unreached(v village.Villager, p law.Plan, set []sim.EntityID, r law.Reading) trial {
	id, is := of(set, r, func(id sim.EntityID) bool {
		return id != v.ID && !law.Within(r.Actor.Cell(), r.Bodies[id].Cell, int(r.Actor.Kind.Reach))
	})
	if !is {
		return trial{title: "the first step swapped for a hand of 10 grams to somebody who is not inside reach", why: "everyone in the set is inside reach"}
	}
	return trial{
		title: fmt.Sprintf("the first step swapped for a hand of 10 grams to %s, who is not inside reach", b.called(id)),
		plan:  swapped(p, 0, law.Step{Verb: law.Hand, Who: id, Grams: 10}), reading: r,
	}
}

// flooded has the first step go into the water, where the law lets it if there is such water.
func (b *bench) flooded(v village.Villager, p law.Plan, r law.Reading) trial {
	bed := r.View.Valley.Bed
	w, is := pondOf(bed)
	if !is {
		return trial{title: "the first step's cell swapped for open water", why: "the valley has none between two banks"}
	}
	allowed := func(at sim.Coord) bool {
		if b.terms.Law == nil {
			return true
		}
		_, ok := b.terms.Law.Permits(v.Profile, law.Step{Verb: law.Go, Where: &at})
		return ok
	}
	for i := 0; i < bed.W*bed.H && !allowed(w.water); i++ {
		if at := (sim.Coord{X: i % bed.W, Y: i / bed.W}); bed.Kind(at) == sim.Water && allowed(at) {
			w.water = at
		}
	}
	title := fmt.Sprintf("the first step's cell swapped for %s, which is open water", cell(w.water))
	if p.Steps[0].Verb != law.Go {
		title = fmt.Sprintf("the first step swapped for a walk to %s, which is open water", cell(w.water))
	}
	return trial{title: title, plan: swapped(p, 0, law.Step{Verb: law.Go, Where: &w.water}), reading: r}
}

// tooMuch has a step hand more than a store holds at most.
func (b *bench) tooMuch(v village.Villager, p law.Plan, set []sim.EntityID, r law.Reading) trial {
	grams := sim.Grams(r.Actor.Kind.Cap) + 1
	id, is := of(set, r, func(id sim.EntityID) bool { return id != v.ID })
	if !is {
		return trial{title: fmt.Sprintf("the second step swapped for a hand of %g grams, more than the actor holds", grams), why: "nobody else is in the set"}
	}
	which, plan := second(p, law.Step{Verb: law.Hand, Who: id, Grams: grams})
	return trial{title: fmt.Sprintf("the %s step swapped for a hand of %g grams to %s, more than the actor holds", which, grams, b.called(id)), plan: plan, reading: r}
}

// dead speaks to somebody in sight, and takes the same body out of the reading.
func (b *bench) dead(p law.Plan, r law.Reading) trial {
	if len(r.Sees) == 0 {
		return trial{title: "a line to somebody in sight appended as a last step, and the same taken out of the reading, as a death would", why: "nobody is in sight"}
	}
	id := r.Sees[0]
	without := r
	without.Sees = slices.DeleteFunc(slices.Clone(r.Sees), func(o sim.EntityID) bool { return o == id })
	without.Bodies = maps.Clone(r.Bodies)
	delete(without.Bodies, id)
	plan, where := law.Plan{Steps: slices.Clone(p.Steps)}, "appended as a last step"
	if len(plan.Steps) >= b.terms.Caps.Steps {
		plan.Steps, where = plan.Steps[:len(plan.Steps)-1], "put in the place of the last step"
	}
	plan.Steps = append(plan.Steps, law.Step{Verb: law.Say, Who: id, Line: "Are you there?"})
	return trial{
		title: fmt.Sprintf("a line to %s %s, and %s taken out of the reading, as a death would", b.called(id), where, b.called(id)),
		plan:  plan, reading: without,
	}
}

// of is the first body of the set that is alive and fits.
func of(set []sim.EntityID, r law.Reading, fits func(sim.EntityID) bool) (sim.EntityID, bool) {
	for _, id := range slices.Sorted(slices.Values(set)) {
		if _, alive := r.Bodies[id]; alive && fits(id) {
			return id, true
		}
	}
	return 0, false
}

func swapped(p law.Plan, i int, s law.Step) law.Plan {
	steps := slices.Clone(p.Steps)
	steps[i] = s
	return law.Plan{Steps: steps}
}

// second puts a step in the place of the second, or of the only one.
func second(p law.Plan, s law.Step) (which string, plan law.Plan) {
	if len(p.Steps) == 1 {
		return "first", swapped(p, 0, s)
	}
	return "second", swapped(p, 1, s)
}
