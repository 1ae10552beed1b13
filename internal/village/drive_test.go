package village

import (
	"testing"

	"pgregory.net/rapid"

	"torve/internal/law"
	"torve/internal/sim"
)

// Whatever is planned, whenever: each tick of the plan is either posted or the habit's, what
// is posted is taken, the memory is as long before a check as behind it, and of an accepted
// step the act that was checked is not refused.
func TestEveryTickOfAPlanIsPostedOrTheHabits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := born(t)
		live(t, r, 900+rapid.IntRange(0, 3000).Draw(rt, "tick"))
		id := sim.EntityID(rapid.IntRange(1, 3).Draw(rt, "id"))
		p := law.Proposal{Asked: r.Tick() - rapid.IntRange(0, 190).Draw(rt, "age"), Plan: drawn(rt), Set: []sim.EntityID{1, 2, 3}}
		d, err := r.Drive(id, p, terms(t))
		if err != nil {
			rt.Fatal(err)
		}
		from := r.Tick()
		for {
			steps := len(d.Done())
			on, err := d.Post()
			if err != nil {
				rt.Fatal(err)
			}
			if !on {
				break
			}
			began := len(d.Done()) > steps && !d.now().Habit
			refused, cells := r.Counts(id).Refused, cellsOf(r)
			r.Step()
			if began && r.Counts(id).Refused > refused && !excused(r, d.now().Step, cells) {
				rt.Fatalf("tick %d: %v, in the tick for which it was accepted\n%s", r.Tick(), r.Reports(), table(d.Done()))
			}
		}
		ticks := 0
		for _, d := range d.Done() {
			span, _ := law.Span(d.Step.Verb)
			if d.Posted+d.Counts.Habit != span || d.Posted != d.Counts.Taken || d.Posted > 0 && d.Habit || d.Before != d.After || d.Due != from+ticks {
				rt.Fatalf("\n%s", table([]Done{d}))
			}
			ticks += span
		}
		if ticks != p.Plan.Span() || r.Tick() != from+ticks {
			rt.Fatalf("%d ticks of %d, and it is tick %d", ticks, p.Plan.Span(), r.Tick())
		}
	})
}

func cellsOf(r *Roster) map[sim.EntityID]sim.Coord {
	cells := map[sim.EntityID]sim.Coord{}
	for _, b := range r.Bodies() {
		cells[b.ID] = b.Cell()
	}
	return cells
}

// excused are a hand and a take whose other went away in that very tick, before they acted.
func excused(r *Roster, s law.Step, cells map[sim.EntityID]sim.Coord) bool {
	other := r.Body(s.Who)
	return (s.Verb == law.Hand || s.Verb == law.Take) && other != nil && other.Cell() != cells[s.Who]
}

// drawn is a plan of steps that the second check lets through.
func drawn(t *rapid.T) law.Plan {
	var p law.Plan
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		s := law.Step{Verb: rapid.SampledFrom([]string{law.Go, law.Wait, law.Watch, law.Hand, law.Take, law.Say}).Draw(t, "verb")}
		switch s.Verb {
		case law.Go:
			s.Where = &sim.Coord{X: rapid.IntRange(-1, 12).Draw(t, "x"), Y: rapid.IntRange(-1, 9).Draw(t, "y")}
		case law.Hand, law.Take:
			s.Grams = float64(rapid.IntRange(1, 60).Draw(t, "grams")) / 3
			fallthrough
		case law.Watch, law.Say:
			s.Who = sim.EntityID(rapid.IntRange(1, 4).Draw(t, "who"))
			s.Line = map[bool]string{true: "hello"}[s.Verb == law.Say]
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}
