package village

import (
	"cmp"
	"fmt"
	"slices"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// View is the world as a body's rule asks it.
func (r *Roster) View() *beast.View { return &r.between }

// Sees are those that a body's eyes find at this boundary, by id.
func (r *Roster) Sees(id sim.EntityID) []sim.EntityID {
	b := r.alive(id)
	if b == nil {
		return nil
	}
	r.settle()
	return r.look(b, nil)
}

// Reading is the world at this boundary for one actor, to be used before the world goes on: its
// cells, grams and actor are copies, and its view is not.
func (r *Roster) Reading(id sim.EntityID) (law.Reading, error) {
	b := r.alive(id)
	if b == nil {
		return law.Reading{}, fmt.Errorf("a reading for body %d at tick %d: it is not in the world", id, r.tick)
	}
	bodies := make(map[sim.EntityID]law.Body, len(r.bodies))
	for _, o := range r.bodies {
		bodies[o.ID] = law.Body{Cell: o.Cell(), Grams: o.Carrying()}
	}
	actor := b.Beast
	return law.Reading{Tick: r.tick, Actor: &actor, View: r.View(), Sees: r.Sees(id), Bodies: bodies}, nil
}

// look appends those whom a body's eyes find, by id.
func (r *Roster) look(b *body, ids []sim.EntityID) []sim.EntityID {
	start := len(ids)
	for _, o := range r.around(b.Cell(), b.Kind.Sight) {
		if b.Sees(&o.Beast) {
			ids = append(ids, o.ID)
		}
	}
	slices.Sort(ids[start:])
	return ids
}

// neighbours are the others inside a body's reach, by id; good until it is called again.
func (r *Roster) neighbours(b *beast.Beast) []*beast.Beast {
	r.near = r.near[:0]
	for _, o := range r.around(b.Cell(), int(b.Kind.Reach)) {
		if b.Reaches(&o.Beast) {
			r.near = append(r.near, &o.Beast)
		}
	}
	slices.SortFunc(r.near, func(a, b *beast.Beast) int { return cmp.Compare(a.ID, b.ID) })
	return r.near
}

// views are the two ways in which the world is asked; between two ticks others may have moved
// bodies, so that the index is brought up to date first.
func (r *Roster) views() {
	r.inside = beast.View{Valley: r.valley, Near: r.neighbours}
	r.between = beast.View{Valley: r.valley, Near: func(b *beast.Beast) []*beast.Beast {
		r.settle()
		return r.neighbours(b)
	}}
}

// settle brings the index up to date with where the bodies stand.
func (r *Roster) settle() {
	for _, b := range r.bodies {
		r.eyes.put(b)
	}
}
