package law

import (
	"torve/internal/beast"
	"torve/internal/sim"
)

// Next is the act that a step asks of the world now, from where the actor stands: a go turns
// to its cell and then walks, a watch turns to its body and then rests, a hand and a take are
// those acts, and everything else rests, a go that has arrived too. The fifth check asks the
// world about this act, and a dispatcher posts this act.
func Next(s Step, r Reading) beast.Act {
	switch s.Verb {
	case Go:
		return walk(s.Where, r.Actor)
	case Watch:
		if o, alive := r.Bodies[s.Who]; alive {
			act, _ := Turn(r.Actor, o.Cell)
			return act
		}
	case Hand:
		return beast.Hand
	case Take:
		return beast.Take
	}
	return beast.Rest
}

func walk(to *sim.Coord, b *beast.Beast) beast.Act {
	if to == nil || b.Cell() == *to {
		return beast.Rest
	}
	if act, turning := Turn(b, *to); turning {
		return act
	}
	return beast.Walk
}

// Turn is the turn that brings a body to look at a cell; it is false, and a rest, where the
// body looks at it already or stands on it.
func Turn(b *beast.Beast, c sim.Coord) (beast.Act, bool) { return b.Face(b.Toward(c)) }

// Within reports whether two cells are no more than n apart, a diagonal step counting one.
// Less than none is never within.
func Within(a, b sim.Coord, n int) bool {
	return n >= 0 && apart(a.X, b.X) <= uint(n) && apart(a.Y, b.Y) <= uint(n)
}

// apart has no sign to overflow: any two numbers of a model's are a distance.
func apart(a, b int) uint {
	if a > b {
		a, b = b, a
	}
	return uint(b) - uint(a)
}
