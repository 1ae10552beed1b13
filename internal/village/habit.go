package village

import (
	"torve/internal/beast"
	"torve/internal/sim"
)

// What the habit goes by, in the world's integers.
const (
	hungry   = 120 * sim.Gram // below it a villager begins to feed
	fed      = 180 * sim.Gram // and from here on it stops
	generous = 120 * sim.Gram // from here on it gives
	gapOpen  = 40 * sim.Gram  // to one who has so much less
	gapShut  = 30 * sim.Gram  // until it is less than this
	meal     = 5 * sim.Gram   // what stands on a cell where a meal begins
	starving = 10 * sim.Gram  // below it any mouthful is one, and no walk goes past it
)

// Round is where a villager is from a tick of the day on, and which way it looks there.
type Round struct {
	From    int
	Cell    sim.Coord
	Heading int
}

// habit is the mind that runs when nothing is posted: give to the poor, go where one is at
// this hour, look the way one looks there, eat when hungry, rest. An animal rests.
func (r *Roster) habit(b *body) beast.Act {
	p := b.person
	if p == nil {
		return beast.Rest
	}
	if r.gives(b) {
		return beast.Hand
	}
	switch {
	case b.Store < hungry:
		p.feeding = true
	case b.Store >= fed:
		p.feeding = false
	}
	post := p.post(r.tick % Day)
	if b.Cell() != post.Cell {
		return r.walkTo(b, post.Cell)
	}
	if turn, turning := b.Face(post.Heading); turning && b.affords(turn) {
		return turn
	}
	return r.feeds(b)
}

// affords reports whether a body can pay for an act and live.
func (b *body) affords(a beast.Act) bool { return b.Store >= b.Kind.Price(a)+b.Kind.Rest }

// gives reports whether it is at giving: it begins when it has plenty and the poorest in
// reach much less, and goes on until the gap is small.
func (r *Roster) gives(b *body) bool {
	p := b.person
	poorest := r.partner(b, 0, poorer)
	switch {
	case poorest == nil || b.Store-poorest.Store < gapShut:
		p.giving = false
	case b.Store >= generous && b.Store-poorest.Store >= gapOpen:
		p.giving = true
	}
	return p.giving
}

// walkTo is a turn toward a cell or a walk. Where no ground leads there, or it would walk
// itself to death, it feeds where it is.
func (r *Roster) walkTo(b *body, c sim.Coord) beast.Act {
	heading, is := r.heading(b, c)
	if !is || b.Store < starving && r.valley.Bed.Crop(b.Cell()) >= beast.Mouthful {
		return r.feeds(b)
	}
	act, turning := b.Face(heading)
	if !turning {
		act = beast.Walk
	}
	if !b.affords(act) {
		return r.feeds(b)
	}
	return act
}

// feeds is a mouthful in every second tick, from a meal until not a mouthful is left.
func (r *Roster) feeds(b *body) beast.Act {
	p := b.person
	switch crop := r.valley.Bed.Crop(b.Cell()); {
	case !p.feeding || crop < beast.Mouthful:
		p.grazing = false
	case crop >= meal || b.Store < starving:
		p.grazing = true
	}
	if p.grazing && b.last != beast.Graze {
		return beast.Graze
	}
	return beast.Rest
}

// post is where its round has it at a tick of the day.
func (p *person) post(hour int) Round {
	at := p.rounds[0]
	for _, round := range p.rounds {
		if round.From <= hour {
			at = round
		}
	}
	return at
}
