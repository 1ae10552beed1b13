package village

import (
	"cmp"
	"slices"

	"torve/internal/beast"
	"torve/internal/sim"
)

// dealing is parcels that one body moves to or from another, tick after tick.
type dealing struct {
	took     bool // by took them from with; else put them into with's hands
	by, with sim.EntityID
	parcels  int
	grams    int64
	tick     int // the boundary of the last one
}

// hand moves a parcel from a body into the hands of who, if it is in reach; where nobody is
// named, of the poorest there.
func (r *Roster) hand(b *body, who sim.EntityID) {
	if o := r.partner(b, who, poorer); o != nil {
		r.move(b, o, &b.Beast, o, false)
	}
}

// takeFrom moves a parcel to a body from who, if it is in reach; where nobody is named, from
// the richest there.
func (r *Roster) takeFrom(b *body, who sim.EntityID) {
	if o := r.partner(b, who, richer); o != nil {
		r.move(b, o, o, &b.Beast, true)
	}
}

func poorer(a, b *beast.Beast) bool { return a.Store < b.Store }
func richer(a, b *beast.Beast) bool { return a.Store > b.Store }

// partner is who, if it is inside a body's reach; where nobody is named, the one there before
// whom no other comes: of two alike the lower id. nil when nobody is. In the place of one who
// is named comes no other: whoever named him asked about him alone.
func (r *Roster) partner(b *body, who sim.EntityID, before func(a, b *beast.Beast) bool) *beast.Beast {
	var best *beast.Beast
	for _, o := range r.neighbours(&b.Beast) {
		if o.ID == who {
			return o
		}
		if who == 0 && (best == nil || before(o, best)) {
			best = o
		}
	}
	return best
}

// move takes a parcel out of one store and puts it into another: what the one holds of it
// and the other has room for, so that no gram comes or goes.
func (r *Roster) move(b *body, with, from, to *beast.Beast, took bool) {
	grams := min(beast.Parcel, from.Store, to.Kind.Cap-to.Store)
	if grams <= 0 {
		return
	}
	from.Store -= grams
	to.Store += grams
	b.deed = deed{kind: dealt, grams: grams}
	d := r.dealing(b.ID, with.ID, took)
	d.parcels++
	d.grams += grams
	d.tick = r.tick + 1
}

// dealing is the one under way between two, or a new one.
func (r *Roster) dealing(by, with sim.EntityID, took bool) *dealing {
	d := dealing{by: by, with: with, took: took}
	i, is := slices.BinarySearchFunc(r.dealings, d, inOrder)
	if !is {
		r.dealings = slices.Insert(r.dealings, i, d)
	}
	return &r.dealings[i]
}

// inOrder is by who moves the parcels, then with whom; what is put comes before what is taken.
func inOrder(a, b dealing) int {
	return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.with, b.with), cmp.Compare(rank(a), rank(b)))
}

func rank(d dealing) int {
	if d.took {
		return 1
	}
	return 0
}
