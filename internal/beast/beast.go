// Package beast is a body and what it may do: where it stands and looks, what it carries,
// and the one table of actions with the price and the test of each. The same rule is asked
// of every body, whatever mind it has.
package beast

import (
	"errors"

	"torve/internal/sim"
)

// Act is an entry of the action table.
type Act uint8

// The acts.
const (
	Rest Act = iota
	TurnLeft
	TurnRight
	Walk
	Graze
	Hand
	Take
)

// Kind is a row of the fauna table: what its bodies see and reach, in cells, and what they
// carry at most and pay, in the world's integers.
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
// by id.
type View struct {
	Valley *Valley
	Near   func(*Beast) []*Beast
}

// Why the world says no.
var (
	ErrBroke    = errors.New("the store cannot pay for it")
	ErrNoGround = errors.New("the cell ahead is open water or off the grid")
	ErrBare     = errors.New("there is not a mouthful here")
	ErrNobody   = errors.New("there is nobody inside reach")
)

// Refusal is the world's no to one act: the cell is the one that the rule was about.
type Refusal struct {
	ID   sim.EntityID
	Act  Act
	Cell sim.Coord
	Err  error
}

func (r *Refusal) Error() string { panic("unwritten") }
func (r *Refusal) Unwrap() error { return r.Err }

// String is the act's name.
func (a Act) String() string { panic("unwritten") }

// Cell is where it stands.
func (b *Beast) Cell() sim.Coord { panic("unwritten") }

// Carrying is its store in grams.
func (b *Beast) Carrying() float64 { panic("unwritten") }

// Place stands it in the middle of a cell.
func (b *Beast) Place(c sim.Coord, heading int) { panic("unwritten") }

// Ahead is the cell one stride ahead.
func (b *Beast) Ahead() sim.Coord { panic("unwritten") }

// Toward is the heading that points best to the middle of a cell; its own where it stands on it.
func (b *Beast) Toward(c sim.Coord) int { panic("unwritten") }

// Face is the turn that brings it nearer to a heading; false when it has it.
func (b *Beast) Face(heading int) (Act, bool) { panic("unwritten") }

// Sees reports whether its eyes, the half plane ahead as far as its sight, find another.
func (b *Beast) Sees(o *Beast) bool { panic("unwritten") }

// Away is how far another is, in cells: for eyes and print, never for a rule.
func (b *Beast) Away(o *Beast) float64 { panic("unwritten") }

// Price is what an act costs a kind.
func (k *Kind) Price(a Act) int64 { panic("unwritten") }

// Rule asks the price of the store and then the act's own test of the world. It gives the
// cell that it was about: its own, or of a walk the one ahead.
func (b *Beast) Rule(a Act, v *View) (sim.Coord, error) { panic("unwritten") }

// Legal is Rule with the sentence around it that a log wants; nil where it is allowed.
func (b *Beast) Legal(a Act, v *View) error { panic("unwritten") }
