package village

import "torve/internal/sim"

// nowhere is where the index has a body that is not in it.
const nowhere = -1

// few is how many bodies are asked one by one sooner than through the index.
const few = 16

// index is the bodies by the cell they stand on, so that eyes need not ask all of them: the
// last that came to each cell, and from each body on the one that was there before it.
type index struct {
	w, h  int
	cells []*body
	found []*body // what the last question was answered with
}

func newIndex(bed *sim.Bed) index {
	return index{w: bed.W, h: bed.H, cells: make([]*body, bed.W*bed.H)}
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
		b.beside, x.cells[at] = x.cells[at], b
	}
	b.at = at
}

// drop takes a body out.
func (x *index) drop(b *body) {
	if b.at == nowhere {
		return
	}
	link := &x.cells[b.at]
	for *link != b {
		link = &(*link).beside
	}
	*link, b.beside, b.at = b.beside, nil, nowhere
}

// around is every body on the cells so far round one, and where there are few of them every
// body, in no order; good until it is called again.
func (r *Roster) around(c sim.Coord, far int) []*body {
	if len(r.bodies) <= few {
		return r.bodies
	}
	x := &r.eyes
	x.found = x.found[:0]
	left, right := max(c.X-far, 0), min(c.X+far, x.w-1)
	for y := max(c.Y-far, 0); y <= min(c.Y+far, x.h-1); y++ {
		for at := y*x.w + left; at <= y*x.w+right; at++ {
			for b := x.cells[at]; b != nil; b = b.beside {
				x.found = append(x.found, b)
			}
		}
	}
	return x.found
}
