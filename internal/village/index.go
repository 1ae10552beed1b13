package village

import (
	"slices"

	"torve/internal/sim"
)

// nowhere is where the index has a body that is not in it.
const nowhere = -1

// few is how many bodies are asked one by one sooner than through the index.
const few = 16

// index is the bodies by the cell they stand on, so that eyes need not ask all of them.
type index struct {
	w, h  int
	cells [][]*body
	found []*body // what the last question was answered with
}

func newIndex(bed *sim.Bed) index {
	return index{w: bed.W, h: bed.H, cells: make([][]*body, bed.W*bed.H)}
}

// put has a body where it stands. What stands off the grid is in no cell, and nobody sees it.
func (x *index) put(b *body) {
	at := nowhere
	if c := b.Cell(); c.X >= 0 && c.Y >= 0 && c.X < x.w && c.Y < x.h {
		at = c.Y*x.w + c.X
	}
	if at == b.at {
		return
	}
	x.drop(b)
	if at != nowhere {
		x.cells[at] = append(x.cells[at], b)
	}
	b.at = at
}

// drop takes a body out.
func (x *index) drop(b *body) {
	if b.at == nowhere {
		return
	}
	cell := x.cells[b.at]
	i := slices.Index(cell, b)
	cell[i] = cell[len(cell)-1]
	cell[len(cell)-1] = nil
	x.cells[b.at] = cell[:len(cell)-1]
	b.at = nowhere
}

// around is every body on the cells so far round one, and perhaps more, in no order; good
// until it is called again.
func (r *Roster) around(c sim.Coord, far int) []*body {
	if len(r.bodies) <= few {
		return r.bodies
	}
	x := &r.eyes
	x.found = x.found[:0]
	for y := max(c.Y-far, 0); y <= min(c.Y+far, x.h-1); y++ {
		row := x.cells[y*x.w : (y+1)*x.w]
		for _, cell := range row[min(max(c.X-far, 0), x.w):max(min(c.X+far+1, x.w), 0)] {
			x.found = append(x.found, cell...)
		}
	}
	return x.found
}
