package village

import (
	"torve/internal/law"
	"torve/internal/sim"
)

// Thought is how a villager is asked.
type Thought struct {
	Newest      int // rows of memory in a prompt
	Caps        law.Caps
	Every       int // ticks between two questions
	Limit       int // tokens of an answer
	Context     int // tokens of the model's window
	Temperature float64
}

// ReadThought reads the blocks retrieval and planning.
func ReadThought() (Thought, error) { panic("unwritten") }

// Seam is the block by which a proposal ages: older than Stale ticks, on arrival or when
// due, it is a decision about a world that is gone.
type Seam struct {
	Stale int `json:"stale"`
}

// ReadSeam reads it.
func ReadSeam() (Seam, error) { panic("unwritten") }

// Question is what a villager is asked at a boundary.
type Question struct {
	Villager Villager
	Tick     int
	Prompt   string
	SHA256   string         // hex, of the prompt's bytes
	Set      []sim.EntityID // whom it can know, ascending
	Rows     []Row          // of memory, as the prompt shows them
}

// Ask renders the question of a villager at this boundary. It hands over what is pending:
// after it, Pending is 0, and the rows that were handed over are in Handed, in order.
func (r *Roster) Ask(id sim.EntityID, t Thought) (Question, error) { panic("unwritten") }

// Handed is every row of a villager's stream that a prompt has taken over, oldest first:
// the rows of the table memory.
func (r *Roster) Handed(id sim.EntityID) []Row { panic("unwritten") }

// Schema is the JSON schema that a model's answer is held to: the shape alone.
func Schema() []byte { panic("unwritten") }

// ErrShape says that bytes are no plan: "not the shape asked for: ...".
var ErrShape error

// ReadPlan reads an answer strictly: one JSON value, no key that is not a plan's, nothing
// behind it. Its errors are ErrShape.
func ReadPlan(answer []byte) (law.Plan, error) { panic("unwritten") }

// Done is one step of a plan as it went.
type Done struct {
	N       int // from 1
	Step    law.Step
	Due     int
	Verdict law.Verdict // of Due; of a step behind a refused one, the same refusal
	Asked   bool        // false behind a refused one: it was never asked
	Posted  int         // intents put into the slot
	Counts  Counts      // how much each has grown in the step's ticks
	Habit   bool        // the habit had its ticks
	From    sim.Coord
	To      sim.Coord
	Before  int // rows pending before the check, and after it
	After   int
}

// Dispatch lives an accepted plan: each step is asked again when it is due, posted for its
// whole span, and once one is refused nothing of the rest is posted and the habit has the
// ticks. It ends early, without an error, when the body dies.
func (r *Roster) Dispatch(id sim.EntityID, p law.Proposal, t law.Terms) ([]Done, error) {
	panic("unwritten")
}
