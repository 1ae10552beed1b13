package law

import (
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

// the valley of the world, and the caps that its villagers are asked under.
var rows = []string{
	"............",
	"............",
	"...~~~......",
	"..~~~~~.....",
	"..~~~~~.....",
	"...~~~......",
	"............",
	"............",
	"............",
}

var caps = Caps{Steps: 5, Horizon: 160}

// place is a world between two ticks.
type place struct {
	tick   int
	bodies []*beast.Beast
	view   *beast.View
}

// standing puts bodies 1, 2, 3 ... on cells, facing east, with 100 grams each.
func standing(t testing.TB, tick int, cells ...sim.Coord) *place {
	t.Helper()
	bed, err := sim.NewBed(rows, 100*sim.Gram)
	if err != nil {
		t.Fatal(err)
	}
	w := &place{tick: tick}
	kind := &beast.Kind{Name: "villager", Sight: 4, Reach: 1, Cap: 300 * sim.Gram,
		Rest: 800, Turn: 2000, Walk: 6000, Graze: 800, Hand: 1000, Take: 1000}
	for i, c := range cells {
		b := &beast.Beast{ID: sim.EntityID(i + 1), Kind: kind, Store: 100 * sim.Gram}
		b.Place(c, 0)
		w.bodies = append(w.bodies, b)
	}
	var near []*beast.Beast
	w.view = &beast.View{Valley: &beast.Valley{Bed: bed}, Near: func(b *beast.Beast) []*beast.Beast {
		near = near[:0]
		for _, o := range w.bodies {
			if b.Reaches(o) {
				near = append(near, o)
			}
		}
		return near
	}}
	return w
}

// reading is the world as one of its bodies is judged in it.
func (w *place) reading(actor sim.EntityID) Reading {
	r := Reading{Tick: w.tick, View: w.view, Bodies: map[sim.EntityID]Body{}}
	for _, b := range w.bodies {
		if b.ID == actor {
			r.Actor = b
		}
		r.Bodies[b.ID] = Body{Cell: b.Cell(), Grams: b.Carrying()}
	}
	for _, o := range w.bodies {
		if r.Actor.Sees(o) {
			r.Sees = append(r.Sees, o.ID)
		}
	}
	return r
}

// day is the reading that the recorded plan was asked in: 2 on 8,5 looks south and sees 3,
// and 1 is two cells off, out of its sight.
func day(t testing.TB) Reading {
	t.Helper()
	w := standing(t, 1400, at(9, 3), at(8, 5), at(9, 6))
	w.bodies[1].Heading, w.bodies[1].Store = 4, 1_507_298
	return w.reading(2)
}

// recorded is the plan of that day.
func recorded() Proposal {
	return Proposal{Asked: 1400, Set: set(1, 2, 3), Profile: "villager", Plan: Plan{Steps: []Step{
		{Reason: "hungry", Verb: Go, Where: to(9, 5)},
		{Reason: "not hungry", Verb: Wait},
		{Reason: "curious", Verb: Watch, Who: 1},
		{Reason: "hungry again", Verb: Go, Where: to(9, 5)},
	}}}
}

func terms() Terms { return Terms{Caps: caps, Law: Lawless{}, Stale: 200} }

func at(x, y int) sim.Coord { return sim.Coord{X: x, Y: y} }

func to(x, y int) *sim.Coord { return &sim.Coord{X: x, Y: y} }

func set(ids ...sim.EntityID) []sim.EntityID { return ids }

func steps(all ...Step) Plan { return Plan{Steps: all} }

// refused asks that a verdict is a no of a check, with a reason.
func refused(t testing.TB, v Verdict, check, why string) {
	t.Helper()
	if v.OK || v.Failed != check || v.Why != why {
		t.Errorf("%s, not refused by %s: %s", v, check, why)
	}
}

func accepted(t testing.TB, v Verdict) {
	t.Helper()
	if v != (Verdict{OK: true}) {
		t.Errorf("%s, not accepted", v)
	}
}
