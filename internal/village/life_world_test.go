package village

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"torve/configs"
	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// mornings are states of the valley through its first days, and of a crowd round a pond, some
// hours apart.
func mornings(t *testing.T) []State {
	t.Helper()
	var all []State
	fauna, err := configs.Files.ReadFile(configs.Fauna)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Roster{born(t), crowd(t, 8, string(fauna))} {
		for range 20 {
			all = append(all, r.State())
			live(t, r, r.Tick()+450)
		}
	}
	return all
}

// crowd is so many villagers on seventeen cells round a pond, each of whom goes to and fro.
func crowd(t *testing.T, villagers int, fauna string) *Roster {
	t.Helper()
	valley := `{"rows":[".....",".~~..","...~.","....."],"crop_cap":100,"crop_start":100,"regrow":0.3}`
	var people []string
	for i := range villagers {
		people = append(people, fmt.Sprintf(`{"id":%d,"name":"v%d","kind":"villager","profile":"villager",
			"cell":{"x":4,"y":%d},"heading":%d,"store":%d,"rounds":[[0,4,%d,4],[1200,%d,3,12],[2400,%d,0,0]]}`,
			i+1, i+1, i%4, i, 80+20*i, i%4, i%5, (i+2)%5))
	}
	r, err := Found([]byte(valley), []byte(fauna), []byte(`{"start":900,"villagers":[`+strings.Join(people, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// somewhere is a world at any boundary of those days, with animals in it, some of its bodies
// beside water, at an edge or near another, rich or nearly broke.
func somewhere(t *rapid.T, from []State) (*Roster, *dice) {
	r, err := Restore(from[rapid.IntRange(0, len(from)-1).Draw(t, "from")])
	if err != nil {
		t.Fatal(err)
	}
	d := newDice(rapid.Uint64().Draw(t, "seed"))
	if err := r.Run(r.Tick() + d.roll(450)); err != nil {
		t.Fatal(err)
	}
	bed := r.Valley().Bed
	for range d.roll(5) {
		_, _ = r.Spawn("browser", sim.Coord{X: d.roll(bed.W), Y: d.roll(bed.H)}, d.roll(beast.Headings), int64(d.roll(300))*sim.Gram)
	}
	for _, b := range r.Bodies() {
		shove(bed, b, d)
	}
	for range max(d.roll(80)-40, 0) {
		pester(r, d)
		r.Step()
	}
	return r, d
}

// shove puts a body where the rules are asked the most.
func shove(bed *sim.Bed, b *beast.Beast, d *dice) {
	c := sim.Coord{X: d.roll(bed.W), Y: d.roll(bed.H)}
	if d.roll(2) == 0 && bed.Kind(c) == sim.Ground {
		b.Place(c, d.roll(beast.Headings))
		b.X += []int{-beast.Cell / 2, beast.Cell/2 - 1, 0}[d.roll(3)]
		b.Y += []int{-beast.Cell / 2, beast.Cell/2 - 1, 0}[d.roll(3)]
	}
	switch d.roll(4) {
	case 0: // round the prices
		b.Store = int64(800 + d.roll(13_000))
	case 1: // round the cap
		b.Store = b.Kind.Cap - int64(d.roll(10_000))
	}
}

// pester posts any intent to some of those whose slot is empty.
func pester(r *Roster, d *dice) {
	for _, b := range r.bodies {
		if b.slot == nil && d.roll(2) == 0 {
			_ = r.Post(b.ID, Intent{Act: beast.Act(d.roll(int(beast.Take) + 1)), Who: sim.EntityID(d.roll(int(r.next)))})
		}
	}
}

// dreamt is any plan as a model may answer it, read strictly, about bodies that can be known.
func dreamt(t *rapid.T, r *Roster, q Question, d *dice) law.Proposal {
	var p law.Plan
	for range 1 + d.roll(4) {
		s := law.Step{Reason: "why not", Verb: verbs[d.roll(len(verbs))].verb}
		who := q.Set[d.roll(len(q.Set))]
		if near := r.neighbours(&r.alive(q.Villager.ID).Beast); len(near) > 0 && d.roll(2) == 0 {
			who = near[d.roll(len(near))].ID
		} else if sees := r.Sees(q.Villager.ID); len(sees) > 0 && d.roll(2) == 0 {
			who = sees[d.roll(len(sees))]
		}
		switch s.Verb {
		case law.Go:
			bed := r.Valley().Bed
			s.Where = &sim.Coord{X: d.roll(bed.W), Y: d.roll(bed.H)}
		case law.Watch:
			s.Who = who
		case law.Hand, law.Take:
			s.Who, s.Grams = who, []float64{0.5, 0.3, 1.7, 8, 60}[d.roll(5)]
		case law.Say:
			s.Who, s.Line = who, "good day"
		}
		p.Steps = append(p.Steps, s)
	}
	answer, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = ReadPlan(answer); err != nil {
		t.Fatal(err)
	}
	return law.Proposal{Plan: p, Asked: q.Tick, Set: q.Set, Profile: q.Villager.Profile}
}

// land asks a villager at this boundary and gives its plan on its way; nil when a check said no.
func land(t *rapid.T, r *Roster, id sim.EntityID, terms law.Terms, how Thought, d *dice) *Drive {
	if r.Body(id) == nil {
		return nil // buried while another lived its plan
	}
	q, err := r.Ask(id, how)
	if err != nil {
		t.Fatal(err)
	}
	p := dreamt(t, r, q, d)
	reading, err := r.Reading(id)
	if err != nil {
		t.Fatal(err)
	}
	if !law.Validate(p, terms, reading).OK {
		return nil
	}
	drive, err := r.Drive(id, p, terms)
	if err != nil {
		t.Fatal(err)
	}
	return drive
}

// due reports whether a drive's step came due at this boundary, and was let through.
func (d *Drive) due() bool {
	return len(d.done) > 0 && d.now().Due == d.world.tick && d.now().Asked && d.now().Verdict.OK
}
