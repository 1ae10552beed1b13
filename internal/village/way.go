package village

import (
	"torve/internal/beast"
	"torve/internal/sim"
)

// way is how many cells each cell of ground is from one, over ground alone.
type way struct {
	to  sim.Coord
	far []int32 // by cell; unreached where no ground leads there
}

const unreached = -1

// mostWays is how many ways a roster keeps at hand.
const mostWays = 64

// sides are the four cells beside one, in the order in which they are tried.
var sides = [4]sim.Coord{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}}

// heading is the one that a body walks along to come to a cell: straight at it, or round the
// water in between. false when no ground leads there.
func (r *Roster) heading(b *body, to sim.Coord) (int, bool) {
	aim, is := r.aim(b, to)
	if !is {
		return 0, false
	}
	straight := b.Toward(aim)
	for off := range beast.Headings/2 + 1 {
		for _, h := range [2]int{(straight + off) % beast.Headings, (straight - off + beast.Headings) % beast.Headings} {
			ahead := b.Beast
			ahead.Heading = h
			if r.valley.Bed.Kind(ahead.Ahead()) == sim.Ground {
				return h, true
			}
		}
	}
	return 0, false
}

// aim is the farthest cell on a body's way that nothing but ground is in front of.
func (r *Roster) aim(b *body, to sim.Coord) (sim.Coord, bool) {
	if r.clear(b, to) {
		return to, true
	}
	w := r.way(to)
	aim, is := r.nearer(w, b.Cell())
	if !is {
		return aim, false
	}
	for aim != to {
		further, _ := r.nearer(w, aim)
		if !r.clear(b, further) {
			break
		}
		aim = further
	}
	return aim, true
}

// berth is how far from a body's line to a cell no water may be, so that it stays clear while
// the body keeps to it as well as sixteen headings let it.
const berth = beast.Cell / 8

// clear reports whether all between a body and the middle of a cell is ground.
func (r *Roster) clear(b *body, to sim.Coord) bool {
	var end beast.Beast
	end.Place(to, 0)
	dx, dy := end.X-b.X, end.Y-b.Y
	n := max(dx, -dx, dy, -dy)/(berth/2) + 1
	for i := 1; i <= n; i++ {
		x, y := b.X+part(dx, i, n), b.Y+part(dy, i, n)
		for _, side := range sides {
			at := beast.Beast{X: x + side.X*berth, Y: y + side.Y*berth}
			if r.valley.Bed.In(at.Cell()) && r.valley.Bed.Kind(at.Cell()) == sim.Water {
				return false
			}
		}
	}
	return true
}

// part is i of n equal parts of a length, in 64 bits on every machine.
func part(length, i, n int) int { return int(int64(length) * int64(i) / int64(n)) }

// nearer is the cell beside one that is nearer to a way's end.
func (r *Roster) nearer(w *way, from sim.Coord) (sim.Coord, bool) {
	bed := r.valley.Bed
	if !bed.In(from) {
		return from, false
	}
	far := w.far[from.Y*bed.W+from.X]
	for _, side := range sides {
		c := sim.Coord{X: from.X + side.X, Y: from.Y + side.Y}
		if bed.In(c) && far > 0 && w.far[c.Y*bed.W+c.X] == far-1 {
			return c, true
		}
	}
	return from, false
}

// way finds the way to a cell, or has it at hand.
func (r *Roster) way(to sim.Coord) *way {
	for _, w := range r.ways {
		if w.to == to {
			return w
		}
	}
	bed := r.valley.Bed
	w := &way{to: to, far: make([]int32, bed.W*bed.H)}
	for i := range w.far {
		w.far[i] = unreached
	}
	w.far[to.Y*bed.W+to.X] = 0
	for queue := []sim.Coord{to}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for _, side := range sides {
			c := sim.Coord{X: from.X + side.X, Y: from.Y + side.Y}
			if bed.Kind(c) == sim.Ground && w.far[c.Y*bed.W+c.X] == unreached {
				w.far[c.Y*bed.W+c.X] = w.far[from.Y*bed.W+from.X] + 1
				queue = append(queue, c)
			}
		}
	}
	if len(r.ways) == mostWays {
		r.ways = r.ways[:copy(r.ways, r.ways[1:])]
	}
	r.ways = append(r.ways, w)
	return w
}
