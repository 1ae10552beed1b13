package village

import (
	"errors"
	"fmt"

	"torve/internal/beast"
	"torve/internal/sim"
)

// Step lives one tick, in five phases; a phase goes through the bodies by id and is over for
// all of them before the next begins.
func (r *Roster) Step() {
	r.settle()
	r.decide()
	r.act()
	r.valley.Bed.Grow(r.regrow, r.most)
	r.burials()
	r.tick++
	r.witness()
}

// Run lives on to the boundary of a tick; a tick that is past is an error.
func (r *Roster) Run(to int) error {
	if to < r.tick {
		return fmt.Errorf("run to tick %d: it is tick %d already", to, r.tick)
	}
	for r.tick < to {
		r.Step()
	}
	return nil
}

// Reports are the refusals of the last tick's second phase, in order.
func (r *Roster) Reports() []*beast.Refusal { return r.reports }

// decide is the first phase: each body takes what is in its slot, and where nothing is, the
// habit says what it does. Nobody has acted yet, so all decide over one world.
func (r *Roster) decide() {
	for _, b := range r.bodies {
		in, posted := b.take()
		if posted {
			b.counts.Taken++
		} else {
			in = Intent{Act: r.habit(b)}
			b.counts.Habit++
		}
		b.mind = in
	}
}

// act is the second: the rule is asked, the price is paid, the act is done. What the rule
// refuses is reported, and the body rests.
func (r *Roster) act() {
	r.reports = nil
	for _, b := range r.bodies {
		b.deed = deed{}
		in := b.mind
		if err := b.Legal(in.Act, &r.inside); err != nil {
			r.report(b, err)
			in = Intent{Act: beast.Rest}
		}
		b.Store -= min(b.Kind.Price(in.Act), b.Store)
		r.do(b, in)
		b.counts.Acts[in.Act]++
		b.last = in.Act
	}
}

// report writes down that the rule refused a body its act.
func (r *Roster) report(b *body, err error) {
	b.counts.Refused++
	var no *beast.Refusal
	if errors.As(err, &no) {
		r.reports = append(r.reports, no)
	}
}

// do is what an act that was allowed and paid for changes.
func (r *Roster) do(b *body, in Intent) {
	switch in.Act {
	case beast.TurnLeft:
		b.Heading = (b.Heading + beast.Headings - 1) % beast.Headings
	case beast.TurnRight:
		b.Heading = (b.Heading + 1) % beast.Headings
	case beast.Walk:
		b.deed = deed{kind: went, from: b.Cell()}
		b.Stride()
		r.eyes.put(b)
	case beast.Graze:
		c := b.Cell()
		r.valley.Bed.SetCrop(c, r.valley.Bed.Crop(c)-beast.Mouthful)
		b.Store = min(b.Store+beast.Gain, b.Kind.Cap)
		b.deed = deed{kind: ate, from: c}
	case beast.Hand:
		r.hand(b, in.Who)
	case beast.Take:
		r.takeFrom(b, in.Who)
	}
}

// burials is the fourth: a body whose store cannot pay a rest is taken off the roster.
func (r *Roster) burials() {
	alive := r.bodies[:0]
	for _, b := range r.bodies {
		if b.Store < b.Kind.Rest {
			r.bury(b, r.tick+1)
		} else {
			alive = append(alive, b)
		}
	}
	clear(r.bodies[len(alive):])
	r.bodies = alive
}

// bury writes down that a body is off the roster from a boundary on. Its stream stays.
func (r *Roster) bury(b *body, tick int) {
	if b.person != nil {
		b.close()
	}
	r.eyes.drop(b)
	r.gone = append(r.gone, b)
	r.buried = append(r.buried, Grave{
		ID: b.ID, Name: b.Name, Kind: b.Kind.Name, Tick: tick, Cell: b.Cell(), Counts: b.counts,
	})
}

// Grave is a body that was taken off the roster, and at which boundary.
type Grave struct {
	ID     sim.EntityID `json:"id"`
	Name   string       `json:"name,omitempty"` // of a villager
	Kind   string       `json:"kind"`
	Tick   int          `json:"tick"`
	Cell   sim.Coord    `json:"cell"`
	Counts Counts       `json:"counts"`
}

// Buried are those who were taken off the roster, in that order.
func (r *Roster) Buried() []Grave { return append([]Grave(nil), r.buried...) }
