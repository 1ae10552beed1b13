package village

import (
	"fmt"

	"torve/internal/beast"
	"torve/internal/sim"
)

// Intent is what a body is asked to do in the next tick. Who is for a hand or a take; 0 leaves
// it to the world.
type Intent struct {
	Act beast.Act
	Who sim.EntityID
}

// Counts is what a body's mailbox and body have counted since the world began.
type Counts struct {
	Taken   int                 `json:"taken"`   // intents that were read out of the slot
	Habit   int                 `json:"habit"`   // ticks in which the slot was empty
	Refused int                 `json:"refused"` // acts that the world's rule refused in the tick
	Acts    [beast.Take + 1]int `json:"acts"`    // done, by act
}

// Post puts an intent into a body's slot. A full slot is an error: two drive one body.
func (r *Roster) Post(id sim.EntityID, in Intent) error {
	b := r.alive(id)
	switch {
	case b == nil:
		return fmt.Errorf("post to body %d: it is not in the world", id)
	case !in.Act.Known():
		return fmt.Errorf("post to body %d: %s is not in the action table", id, in.Act)
	case in.Who < 0 || in.Who >= r.next:
		return fmt.Errorf("post to body %d: body %d was never in the world", id, in.Who)
	case b.slot != nil:
		return fmt.Errorf("post to body %d: its slot holds a %s already, and holds one intent", id, b.slot.Act)
	}
	b.slot = &in
	return nil
}

// Counts of a body, also of one that was taken off the roster; zero of one that never was
// on it.
func (r *Roster) Counts(id sim.EntityID) Counts {
	if b := r.alive(id); b != nil {
		return b.counts
	}
	for _, g := range r.buried {
		if g.ID == id {
			return g.Counts
		}
	}
	return Counts{}
}

// take reads the slot and empties it; false when nothing was posted.
func (b *body) take() (Intent, bool) {
	if b.slot == nil {
		return Intent{}, false
	}
	in := *b.slot
	b.slot = nil
	return in, true
}
