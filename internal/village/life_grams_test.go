package village

import (
	"testing"

	"pgregory.net/rapid"

	"torve/internal/beast"
	"torve/internal/sim"
)

// ledger is all the ways that grams come into a world and leave it, in its integers.
type ledger struct {
	grown  int64 // on the ground
	paid   int64 // for acts
	spilt  int64 // of mouthfuls: what did not stay in the body
	buried int64 // with those who carried them
}

// books are the stores and the crop of a world, kept beside it from what can be read of it: who
// stands where, what was posted, and which act its counts say that each body did.
type books struct {
	ledger
	bodies []beast.Beast // copies, by id
	crop   [][]int64
	did    map[sim.EntityID][beast.Take + 1]int
}

func open(r *Roster) *books {
	b := &books{crop: crops(r.valley.Bed), did: map[sim.EntityID][beast.Take + 1]int{}}
	for _, o := range r.Bodies() {
		b.bodies = append(b.bodies, *o)
		b.did[o.ID] = r.Counts(o.ID).Acts
	}
	return b
}

// sum is every gram of it.
func (b *books) sum() (all int64) {
	for i := range b.bodies {
		all += b.bodies[i].Store
	}
	for _, row := range b.crop {
		for _, crop := range row {
			all += crop
		}
	}
	return all
}

// tick enters what one tick did, by these posts.
func (b *books) tick(t *rapid.T, r *Roster, posted map[sim.EntityID]Intent) {
	for i := range b.bodies {
		o := &b.bodies[i]
		act := b.act(t, r, o.ID)
		price := min(o.Kind.Price(act), o.Store)
		o.Store -= price
		b.paid += price
		b.enter(o, act, posted[o.ID].Who)
	}
	for y, row := range b.crop {
		for x := range row {
			if r.valley.Bed.Kind(sim.Coord{X: x, Y: y}) == sim.Ground {
				grown := min(r.regrow, r.most-row[x])
				row[x] += grown
				b.grown += grown
			}
		}
	}
	alive := b.bodies[:0]
	for _, o := range b.bodies {
		if o.Store < o.Kind.Rest {
			b.buried += o.Store
			continue
		}
		alive = append(alive, o)
	}
	b.bodies = alive
}

// act is what a body's counts say that it did: one thing.
func (b *books) act(t *rapid.T, r *Roster, id sim.EntityID) beast.Act {
	now, was := r.Counts(id).Acts, b.did[id]
	b.did[id] = now
	act, n := beast.Rest, 0
	for a := range now {
		if by := now[a] - was[a]; by != 0 {
			act, n = beast.Act(a), n+by
		}
	}
	if n != 1 {
		t.Fatalf("body %d did %d acts in one tick", id, n)
	}
	return act
}

// enter books one act that was paid for.
func (b *books) enter(o *beast.Beast, act beast.Act, who sim.EntityID) {
	switch c := o.Cell(); act {
	case beast.TurnLeft:
		o.Heading = (o.Heading + 15) % 16
	case beast.TurnRight:
		o.Heading = (o.Heading + 1) % 16
	case beast.Walk:
		o.Stride()
	case beast.Graze:
		stays := min(4250, o.Kind.Cap-o.Store)
		b.crop[c.Y][c.X] -= 5000
		o.Store += stays
		b.spilt += 5000 - stays
	case beast.Hand:
		b.parcel(o, o, b.other(o, who, -1))
	case beast.Take:
		b.parcel(o, b.other(o, who, 1), o)
	}
}

// other is whom a body deals with: who, or where it leaves it to the world, the one in reach
// that has most (sign 1) or least.
func (b *books) other(o *beast.Beast, who sim.EntityID, sign int64) (best *beast.Beast) {
	for i := range b.bodies {
		p := &b.bodies[i]
		c, d, n := o.Cell(), p.Cell(), int(o.Kind.Reach)
		if p == o || c.X-d.X > n || d.X-c.X > n || c.Y-d.Y > n || d.Y-c.Y > n {
			continue
		}
		if p.ID == who {
			return p
		}
		if who == 0 && (best == nil || sign*p.Store > sign*best.Store) {
			best = p
		}
	}
	return best
}

// parcel moves what the one holds of it and the other has room for.
func (b *books) parcel(o, from, to *beast.Beast) {
	if from != nil && to != nil {
		grams := min(5000, from.Store, to.Kind.Cap-to.Store)
		from.Store -= grams
		to.Store += grams
	}
}

// same compares the books with the world, body by body and cell by cell.
func (b *books) same(t *rapid.T, r *Roster) {
	if len(b.bodies) != len(r.bodies) {
		t.Fatalf("tick %d: %d are alive, and in the books %d", r.Tick(), len(r.bodies), len(b.bodies))
	}
	for i, o := range r.Bodies() {
		if p := b.bodies[i]; *o != p {
			t.Fatalf("tick %d: %+v, and in the books %+v", r.Tick(), *o, p)
		}
	}
	for y, row := range crops(r.valley.Bed) {
		for x, crop := range row {
			if crop != b.crop[y][x] {
				t.Fatalf("tick %d: a crop of %d on %d,%d, and in the books %d", r.Tick(), crop, x, y, b.crop[y][x])
			}
		}
	}
}

// Whatever is posted: what the stores and the crop hold together changes by what grew, less
// what acts cost, what a mouthful loses and what the dead carried, to the last ten-thousandth
// of a gram. Parcels only move it.
func TestEveryGramIsAccountedFor(t *testing.T) {
	from := mornings(t)
	for range 10 {
		from = append(from, odd(t).State())
	}
	var all ledger
	parcels, buried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r, d := somewhere(t, from)
		b := open(r)
		start, graves := b.sum(), len(r.Buried())
		for range 120 {
			pester(r, d)
			posted := map[sim.EntityID]Intent{}
			for _, o := range r.bodies {
				if o.slot != nil {
					posted[o.ID] = *o.slot
				}
			}
			r.Step()
			b.tick(t, r, posted)
			b.same(t, r)
			parcels += len(r.dealings)
		}
		if got, want := b.sum(), start+b.grown-b.paid-b.spilt-b.buried; got != want {
			t.Fatalf("%d grew, %d were paid, %d spilt, %d buried: of %d are left %d, not %d", b.grown, b.paid, b.spilt, b.buried, start, got, want)
		}
		all.grown, all.paid, all.spilt, all.buried = all.grown+b.grown, all.paid+b.paid, all.spilt+b.spilt, all.buried+b.buried
		buried += len(r.Buried()) - graves
	})
	t.Logf("%+v, %d ticks of parcels, %d buried", all, parcels, buried)
	if min(all.grown, all.paid, all.spilt, all.buried) == 0 || parcels == 0 || buried == 0 {
		t.Error("something was never asked")
	}
}

// odd is a crowd of which each act has a price of its own, the reach is long and the cap low.
func odd(t *testing.T) *Roster {
	return crowd(t, 8, `{"villager":{"sight":3,"reach":2,"cap":240.0001,"rest":0.0701,"turn":0.1103,"walk":0.5009,"graze":0.0907,"hand":0.1301,"take":0.1709},
		"browser":{"sight":1,"reach":1,"cap":299.9,"rest":0.0011,"turn":0.0203,"walk":0.9001,"graze":0,"hand":0.3301,"take":0}}`)
}
