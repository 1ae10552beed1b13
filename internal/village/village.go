// Package village is the world's people: a roster of bodies that lives tick by tick, their
// habits, what they witness and remember, and the one road by which a plan comes to act:
// asked with a prompt, read strictly, judged by the law, posted step by step. It knows no
// model and no store.
package village

import (
	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// Roster is the world between two ticks.
type Roster struct{ unwritten struct{} }

// New is the world at its first tick, as configs say.
func New() (*Roster, error) { panic("unwritten") }

// Restore is the world of a state.
func Restore(s State) (*Roster, error) { panic("unwritten") }

// State is all that a world goes on from, in integers (but for names and words): what
// world/state.json holds. Its JSON is canonical: the same world gives the same bytes.
type State struct{ unwritten struct{} }

// State is a copy.
func (r *Roster) State() State { panic("unwritten") }

// Bytes are the state's canonical JSON, ending in a newline.
func (s State) Bytes() []byte { panic("unwritten") }

// ParseState reads them back, strictly, and refuses a state that no world can have.
func ParseState(text []byte) (State, error) { panic("unwritten") }

// Digest is the hex SHA-256 of the state's bytes.
func (r *Roster) Digest() string { panic("unwritten") }

// Tick is the boundary where it stands.
func (r *Roster) Tick() int { panic("unwritten") }

// Step lives one tick.
func (r *Roster) Step() { panic("unwritten") }

// Run lives on to the boundary of a tick; a tick that is past is an error.
func (r *Roster) Run(to int) error { panic("unwritten") }

// Valley is the ground.
func (r *Roster) Valley() *beast.Valley { panic("unwritten") }

// Bodies are those alive, by id: the world's own, not copies.
func (r *Roster) Bodies() []*beast.Beast { panic("unwritten") }

// Body is one of them; nil when it is not in the world (any more).
func (r *Roster) Body(id sim.EntityID) *beast.Beast { panic("unwritten") }

// Villager finds one by name, whatever its case; false when nobody alive is called so.
func (r *Roster) Villager(name string) (Villager, bool) { panic("unwritten") }

// Villagers are those alive, by id.
func (r *Roster) Villagers() []Villager { panic("unwritten") }

// Villager is what the roster says of a person.
type Villager struct {
	ID      sim.EntityID
	Name    string
	Profile string
}

// Spawn adds an animal of the fauna table, in the middle of a cell, and gives its id: the
// next that was never used. Store is in the world's integers.
func (r *Roster) Spawn(kind string, c sim.Coord, heading int, store int64) (sim.EntityID, error) {
	panic("unwritten")
}

// Remove takes a body off the roster, as a burial does.
func (r *Roster) Remove(id sim.EntityID) { panic("unwritten") }

// Intent is what a body is asked to do in the next tick. Who is for a hand or a take; 0 leaves
// it to the world.
type Intent struct {
	Act beast.Act
	Who sim.EntityID
}

// Post puts an intent into a body's slot. A full slot is an error: two drive one body.
func (r *Roster) Post(id sim.EntityID, in Intent) error { panic("unwritten") }

// Counts is what a body's mailbox and body have counted since the world began.
type Counts struct {
	Taken   int                 `json:"taken"`   // intents that were read out of the slot
	Habit   int                 `json:"habit"`   // ticks in which the slot was empty
	Refused int                 `json:"refused"` // acts that the world's rule refused in the tick
	Acts    [beast.Take + 1]int `json:"acts"`    // done, by act
}

// Counts of a body; zero of one that is not there.
func (r *Roster) Counts(id sim.EntityID) Counts { panic("unwritten") }

// Reports are the refusals of the last tick's second phase, in order.
func (r *Roster) Reports() []*beast.Refusal { panic("unwritten") }

// View is the world as a body's rule asks it.
func (r *Roster) View() *beast.View { panic("unwritten") }

// Sees are those that a body's eyes find at this boundary, by id.
func (r *Roster) Sees(id sim.EntityID) []sim.EntityID { panic("unwritten") }

// Reading is the world at this boundary for one actor.
func (r *Roster) Reading(id sim.EntityID) (law.Reading, error) { panic("unwritten") }

// Row is one row of a villager's stream: what it saw or did, with the boundary of the last
// tick in which it was so.
type Row struct {
	Villager sim.EntityID `json:"villager"`
	Tick     int          `json:"tick"`
	Register string       `json:"register"` // saw or did
	Text     string       `json:"text"`
}

// Stream is every row that a villager's witness has written since this roster was made or
// restored, in the order in which they were closed.
func (r *Roster) Stream(id sim.EntityID) []Row { panic("unwritten") }

// Pending is how many of them no prompt has taken over yet.
func (r *Roster) Pending(id sim.EntityID) int { panic("unwritten") }
