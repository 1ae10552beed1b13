package beast

import (
	"errors"
	"fmt"

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

// What an act moves, in the world's integers: a mouthful leaves the crop and Gain of it
// stays in the body; a parcel goes from hand to hand whole.
const (
	Mouthful = sim.Gram / 2
	Gain     = Mouthful * 85 / 100
	Parcel   = sim.Gram / 2
)

// Why the world says no.
var (
	ErrBroke    = errors.New("the store cannot pay for it")
	ErrNoGround = errors.New("the cell ahead is open water or off the grid")
	ErrBare     = errors.New("there is not a mouthful here")
	ErrNobody   = errors.New("there is nobody inside reach")
	ErrNoAct    = errors.New("it is not in the action table")
)

// entry is a row of the action table: its name, what it costs a kind, and what it asks of
// the world. The test gives the cell that it was about.
type entry struct {
	name  string
	price func(*Kind) int64
	test  func(*Beast, *View) (sim.Coord, error)
}

// table is the action table, by act.
var table = [...]entry{
	Rest:      {"rest", func(k *Kind) int64 { return k.Rest }, always},
	TurnLeft:  {"turn left", func(k *Kind) int64 { return k.Turn }, always},
	TurnRight: {"turn right", func(k *Kind) int64 { return k.Turn }, always},
	Walk:      {"walk", func(k *Kind) int64 { return k.Walk }, groundAhead},
	Graze:     {"graze", func(k *Kind) int64 { return k.Graze }, mouthfulHere},
	Hand:      {"hand", func(k *Kind) int64 { return k.Hand }, somebodyNear},
	Take:      {"take", func(k *Kind) int64 { return k.Take }, somebodyNear},
}

func always(b *Beast, _ *View) (sim.Coord, error) { return b.Cell(), nil }

func groundAhead(b *Beast, v *View) (sim.Coord, error) {
	c := b.Ahead()
	if v.Valley.Bed.Kind(c) == sim.Water {
		return c, ErrNoGround
	}
	return c, nil
}

func mouthfulHere(b *Beast, v *View) (sim.Coord, error) {
	c := b.Cell()
	if v.Valley.Bed.Crop(c) < Mouthful {
		return c, ErrBare
	}
	return c, nil
}

func somebodyNear(b *Beast, v *View) (sim.Coord, error) {
	if len(v.Near(b)) == 0 {
		return b.Cell(), ErrNobody
	}
	return b.Cell(), nil
}

// Known reports whether an act is in the table.
func (a Act) Known() bool { return int(a) < len(table) }

// String is the act's name.
func (a Act) String() string {
	if !a.Known() {
		return fmt.Sprintf("act %d", uint8(a))
	}
	return table[a].name
}

// ParseAct is the act of a name; false when the table has none of it.
func ParseAct(name string) (Act, bool) {
	for a, e := range table {
		if e.name == name {
			return Act(a), true
		}
	}
	return 0, false
}

// Price is what an act costs a kind; of what is no act it is 0.
func (k *Kind) Price(a Act) int64 {
	if !a.Known() {
		return 0
	}
	return table[a].price(k)
}

// Rule asks the price of the store and then the act's own test of the world. It gives the
// cell that it was about: its own, or of a walk the one ahead.
func (b *Beast) Rule(a Act, v *View) (sim.Coord, error) {
	switch {
	case !a.Known():
		return b.Cell(), ErrNoAct
	case b.Store < b.Kind.Price(a):
		return b.Cell(), ErrBroke
	}
	return table[a].test(b, v)
}

// Legal is Rule with the sentence around it that a log wants, a *Refusal; nil where it is
// allowed.
func (b *Beast) Legal(a Act, v *View) error {
	c, err := b.Rule(a, v)
	if err == nil {
		return nil
	}
	return &Refusal{ID: b.ID, Act: a, Cell: c, Err: err}
}

// Refusal is the world's no to one act: the cell is the one that the rule was about.
type Refusal struct {
	ID   sim.EntityID
	Act  Act
	Cell sim.Coord
	Err  error
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("creature %d at %d,%d cannot %s: %v", r.ID, r.Cell.X, r.Cell.Y, r.Act, r.Err)
}

func (r *Refusal) Unwrap() error { return r.Err }
