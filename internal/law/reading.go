package law

import (
	"torve/internal/beast"
	"torve/internal/sim"
)

// Body is a living body in a reading: its cell, and the grams it carries.
type Body struct {
	Cell  sim.Coord
	Grams float64
}

// Reading is the world between two ticks, as the last two checks need it: the tick, the actor
// and the view that its rule asks, whom its eyes find, and every living body by id. It is
// kept for one verdict: Actor and View are the world's own and no copies, so that the world
// is asked by the call that every animal's tick makes.
type Reading struct {
	Tick   int
	Actor  *beast.Beast
	View   *beast.View
	Sees   []sim.EntityID
	Bodies map[sim.EntityID]Body
}
