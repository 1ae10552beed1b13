// Package beast is a body and what it may do: where it stands and looks, what it carries,
// and the one table of actions with the price and the test of each. The same rule is asked
// of every body, whatever mind it has.
package beast

import (
	"math"

	"torve/internal/sim"
)

// Cell is the width of a cell in a body's own measure of place.
const Cell = 1024

// Headings is how many ways a body can look: a sixteenth of a circle each.
const Headings = 16

// Kind is a row of the fauna table: what its bodies see and reach, in cells, and what they
// carry at most and pay, in the world's integers. Reach is a whole number.
type Kind struct {
	Name                                     string
	Sight                                    int
	Reach                                    float64
	Cap, Rest, Turn, Walk, Graze, Hand, Take int64
}

// Beast is a body. Its place is in 1/1024 of a cell, its heading in sixteenths of a circle:
// 0 is east, 4 south. Store is what it carries, in the world's integers.
type Beast struct {
	ID      sim.EntityID
	Name    string // "" where it has none
	Kind    *Kind
	X, Y    int
	Heading int
	Store   int64
}

// Valley is where bodies stand.
type Valley struct{ Bed *sim.Bed }

// View is the world as one body's rule may ask it. Near gives the others inside its reach,
// by id, in a slice that is good until it is called again.
type View struct {
	Valley *Valley
	Near   func(*Beast) []*Beast
}

// strides is what one walk adds to a place, by heading: about a quarter of a cell. They are
// written down and not computed, so that they are the same on every machine.
var strides = [Headings][2]int{
	{256, 0}, {237, 98}, {181, 181}, {98, 237},
	{0, 256}, {-98, 237}, {-181, 181}, {-237, 98},
	{-256, 0}, {-237, -98}, {-181, -181}, {-98, -237},
	{0, -256}, {98, -237}, {181, -181}, {237, -98},
}

// Cell is where it stands.
func (b *Beast) Cell() sim.Coord { return cell(b.X, b.Y) }

// Carrying is its store in grams. Printed with four decimals it is exact.
func (b *Beast) Carrying() float64 { return sim.Grams(b.Store) }

// Place stands it in the middle of a cell.
func (b *Beast) Place(c sim.Coord, heading int) {
	b.X, b.Y = middle(c)
	b.Heading = heading
}

// Ahead is the cell one stride ahead.
func (b *Beast) Ahead() sim.Coord {
	s := strides[b.Heading]
	return cell(b.X+s[0], b.Y+s[1])
}

// Stride takes it one stride ahead, whatever is there: whether it may is Rule's to say.
func (b *Beast) Stride() {
	s := strides[b.Heading]
	b.X, b.Y = b.X+s[0], b.Y+s[1]
}

// Toward is the heading that points best to the middle of a cell: the first of the best. On
// the cell it is its own.
func (b *Beast) Toward(c sim.Coord) int {
	if b.Cell() == c {
		return b.Heading
	}
	x, y := middle(c)
	best, most := 0, int64(math.MinInt64)
	for h := range strides {
		if along := along(h, x-b.X, y-b.Y); along > most {
			best, most = h, along
		}
	}
	return best
}

// Face is the turn that brings it nearer to a heading; false when it has it. What is right
// behind is reached by the right.
func (b *Beast) Face(heading int) (Act, bool) {
	switch by := (heading - b.Heading + Headings) % Headings; {
	case by == 0:
		return Rest, false
	case by <= Headings/2:
		return TurnRight, true
	default:
		return TurnLeft, true
	}
}

// Sees reports whether its eyes, the half plane ahead as far as its sight, find another.
func (b *Beast) Sees(o *Beast) bool {
	dx, dy := o.X-b.X, o.Y-b.Y
	far := int64(b.Kind.Sight) * Cell
	return o.ID != b.ID && squared(dx, dy) <= far*far && along(b.Heading, dx, dy) > 0
}

// Reaches reports whether another's cell is inside its reach: a diagonal step counts one.
func (b *Beast) Reaches(o *Beast) bool {
	c, d, n := b.Cell(), o.Cell(), int(b.Kind.Reach)
	return o.ID != b.ID && apart(c.X, d.X) <= n && apart(c.Y, d.Y) <= n
}

// Away is how far another is, in cells: for eyes and print, never for a rule.
func (b *Beast) Away(o *Beast) float64 {
	return math.Sqrt(float64(squared(o.X-b.X, o.Y-b.Y))) / Cell
}

// along is how far a way leads along a heading, and squared how far it leads at all. Both are
// of 64 bits wherever they are reckoned, as an int is not.
func along(heading, dx, dy int) int64 {
	s := strides[heading]
	return int64(dx)*int64(s[0]) + int64(dy)*int64(s[1])
}

func squared(dx, dy int) int64 { return int64(dx)*int64(dx) + int64(dy)*int64(dy) }

// cell is the cell of a place; shifted, so that what is left of 0 is -1.
func cell(x, y int) sim.Coord { return sim.Coord{X: x >> 10, Y: y >> 10} }

func middle(c sim.Coord) (x, y int) { return c.X*Cell + Cell/2, c.Y*Cell + Cell/2 }

func apart(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}
