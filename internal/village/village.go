// Package village is the world's people: a roster of bodies that lives tick by tick, their
// habits, what they witness and remember, and the one road by which a plan comes to act:
// asked with a prompt, read strictly, judged by the law, posted step by step. It knows no
// model and no store.
//
// The same state lives to the same bytes on every machine: a tick counts in integers, reads
// no clock, draws no lot, and goes through bodies by id.
package village

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"torve/internal/beast"
	"torve/internal/sim"
)

// Day is how many ticks a day has; a second of the world has ten.
const Day = 3600

// Roster is the world between two ticks.
type Roster struct {
	tick     int
	next     sim.EntityID // the id of the next body
	valley   *beast.Valley
	most     int64 // what stands on a cell at most
	regrow   int64 // what grows on it in a tick
	kinds    []*beast.Kind
	bodies   []*body // by id
	gone     []*body // taken off the roster, in that order
	buried   []Grave
	dealings []dealing // parcels on their way, by who moves them and with whom
	reports  []*beast.Refusal
	eyes     index
	ways     []*way         // that were walked last
	near     []*beast.Beast // what the last question for neighbours was answered with
	inside   beast.View     // the world as a body's rule asks it in a tick
	between  beast.View     // and between two, when others may have moved bodies
}

// body is a beast with what the roster keeps for it.
type body struct {
	beast.Beast
	person *person // nil of an animal
	slot   *Intent // what is posted for the next tick
	counts Counts
	last   beast.Act // what it did in the last tick
	mind   Intent    // what it has decided to do in this one
	deed   deed      // what of this one its witness will write down
	at     int       // the cell where the index has it
	beside *body     // the next that the index has there
}

// person is what makes a body a villager.
type person struct {
	profile string
	rounds  []Round

	feeding, giving, grazing bool // what the habit is at

	seen    []sim.EntityID // whom its eyes found at the last boundary
	seeing  []sim.EntityID // room for those of the next
	run     run            // the deed that is under way
	stream  []Row          // all that its witness wrote since the roster was made
	pending []Row          // what no prompt has taken over
	handed  []Row          // and what prompts have
}

// Villager is what the roster says of a person.
type Villager struct {
	ID      sim.EntityID
	Name    string
	Profile string
}

// Tick is the boundary where it stands.
func (r *Roster) Tick() int { return r.tick }

// Valley is the ground.
func (r *Roster) Valley() *beast.Valley { return r.valley }

// Bodies are those alive, by id: the world's own, not copies.
func (r *Roster) Bodies() []*beast.Beast {
	all := make([]*beast.Beast, len(r.bodies))
	for i, b := range r.bodies {
		all[i] = &b.Beast
	}
	return all
}

// Body is one of them; nil when it is not in the world (any more).
func (r *Roster) Body(id sim.EntityID) *beast.Beast {
	if b := r.alive(id); b != nil {
		return &b.Beast
	}
	return nil
}

// Villager finds one by name, whatever its case; false when nobody alive is called so.
func (r *Roster) Villager(name string) (Villager, bool) {
	for _, v := range r.Villagers() {
		if strings.EqualFold(v.Name, name) {
			return v, true
		}
	}
	return Villager{}, false
}

// Villagers are those alive, by id.
func (r *Roster) Villagers() []Villager {
	var all []Villager
	for _, b := range r.bodies {
		if b.person != nil {
			all = append(all, Villager{ID: b.ID, Name: b.Name, Profile: b.person.profile})
		}
	}
	return all
}

// Spawn adds an animal of the fauna table, in the middle of a cell, and gives its id: the
// next that was never used. Store is in the world's integers. It has no habit and no stream:
// where nothing is posted to it, it rests.
func (r *Roster) Spawn(kind string, c sim.Coord, heading int, store int64) (sim.EntityID, error) {
	k := r.kind(kind)
	switch {
	case k == nil:
		return 0, fmt.Errorf("%q is no kind of the fauna table", kind)
	case r.valley.Bed.Kind(c) == sim.Water:
		return 0, fmt.Errorf("%d,%d is open water or off the grid: no %s can stand there", c.X, c.Y, kind)
	case heading < 0 || heading >= beast.Headings:
		return 0, fmt.Errorf("heading %d: the headings are 0 to %d", heading, beast.Headings-1)
	case store < 0 || store > k.Cap:
		return 0, fmt.Errorf("a store of %s: a %s carries 0 to %s", inGrams(store), kind, inGrams(k.Cap))
	}
	b := &body{Beast: beast.Beast{ID: r.next, Kind: k, Store: store}, at: nowhere}
	b.Place(c, heading)
	r.next++
	r.bodies = append(r.bodies, b)
	r.eyes.put(b)
	return b.ID, nil
}

// Remove takes a body off the roster, as a burial does.
func (r *Roster) Remove(id sim.EntityID) {
	if b := r.alive(id); b != nil {
		r.bury(b, r.tick)
		r.bodies = slices.DeleteFunc(r.bodies, func(o *body) bool { return o == b })
	}
}

// alive is a body on the roster; nil when it is not there.
func (r *Roster) alive(id sim.EntityID) *body {
	i, is := slices.BinarySearchFunc(r.bodies, id, func(b *body, id sim.EntityID) int { return cmp.Compare(b.ID, id) })
	if !is {
		return nil
	}
	return r.bodies[i]
}

// known is a body on the roster, or one that was taken off it since it was made or restored.
func (r *Roster) known(id sim.EntityID) *body {
	if b := r.alive(id); b != nil {
		return b
	}
	for _, b := range r.gone {
		if b.ID == id {
			return b
		}
	}
	return nil
}

func (r *Roster) kind(name string) *beast.Kind {
	for _, k := range r.kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}
