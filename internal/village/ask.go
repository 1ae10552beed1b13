package village

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"torve/internal/sim"
)

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
// after it, Pending is 0, and the rows that were handed over are in Handed, in order. The
// same state gives the same question.
func (r *Roster) Ask(id sim.EntityID, t Thought) (Question, error) {
	b := r.alive(id)
	if b == nil || b.person == nil {
		return Question{}, fmt.Errorf("ask body %d at tick %d: it is no villager of this world", id, r.tick)
	}
	if err := within("newest", t.Newest, 0, Remembered); err != nil {
		return Question{}, fmt.Errorf("ask body %d: rows of memory: %w", id, err)
	}
	r.handOver(id)
	rows := b.person.handed
	q := Question{
		Villager: Villager{ID: id, Name: b.Name, Profile: b.person.profile},
		Tick:     r.tick,
		Set:      r.grounding(b),
		Rows:     slices.Clone(rows[max(len(rows)-t.Newest, 0):]),
	}
	q.Prompt = r.prompt(b, q, t)
	sum := sha256.Sum256([]byte(q.Prompt))
	q.SHA256 = hex.EncodeToString(sum[:])
	return q, nil
}

// grounding is whom a villager can know, by id: itself, everyone in its sight, and all the
// villagers that it was born among. Whom a row of its memory can name is one of these. One
// that is buried stays known: that it is gone is not known from far, and is the sixth check's
// to say.
func (r *Roster) grounding(b *body) []sim.EntityID {
	set := append(r.Sees(b.ID), b.ID)
	for _, v := range r.Villagers() {
		set = append(set, v.ID)
	}
	for _, g := range r.buried {
		if g.Name != "" {
			set = append(set, g.ID)
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// Handed is every row of a villager's stream that a prompt has taken over, oldest first:
// the rows of the table memory. A restored world has the newest of them alone.
func (r *Roster) Handed(id sim.EntityID) []Row {
	if b := r.known(id); b != nil && b.person != nil {
		return slices.Clone(b.person.handed)
	}
	return nil
}
