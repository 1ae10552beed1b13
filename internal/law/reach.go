package law

import (
	"fmt"
	"slices"

	"torve/internal/sim"
)

// ReachOf is the fifth check, over step n: what the world itself says of it. Its cell is
// ground, whoever gives holds the grams, the other body is in sight or inside reach, and the
// act that Next begins it with is legal, by the rule that every animal is under.
//
// placed says that the actor stands where the step finds it: always when a step is due, and
// of the first on arrival. Where it will stand for a later one is up to the steps before it,
// which are not walked here; a step that is not placed is asked only for its cell and grams.
func ReachOf(n int, s Step, r Reading, placed bool) Verdict {
	why := anywhere(s, r)
	if why == "" && placed {
		why = here(s, r)
	}
	if why != "" {
		return Refused(OnReach, fmt.Sprintf("step %d: %s", n, why))
	}
	return Accepted()
}

// anywhere is what speaks against a step wherever the actor stands; "" where nothing does.
// The grams are asked the way about that a number which is none is not held.
func anywhere(s Step, r Reading) string {
	switch s.Verb {
	case Go:
		return footing(s.Where, r.View.Valley.Bed)
	case Hand:
		if held := r.Actor.Carrying(); !(s.Grams <= held) {
			return fmt.Sprintf("%g grams named, and the actor holds %.4f", s.Grams, held)
		}
	case Take:
		if o, alive := r.Bodies[s.Who]; alive && !(s.Grams <= o.Grams) {
			return fmt.Sprintf("%g grams named, and body %d holds %.4f", s.Grams, s.Who, o.Grams)
		}
	}
	return ""
}

func footing(c *sim.Coord, bed *sim.Bed) string {
	switch {
	case c == nil:
		return "a walk to nowhere"
	case !bed.In(*c):
		return fmt.Sprintf("%d,%d is off the grid", c.X, c.Y)
	case bed.Kind(*c) == sim.Water:
		return fmt.Sprintf("%d,%d is open water", c.X, c.Y)
	}
	return ""
}

// here is what speaks against a step from where the actor stands; "" where nothing does.
func here(s Step, r Reading) string {
	switch s.Verb {
	case Watch:
		if !slices.Contains(r.Sees, s.Who) {
			return fmt.Sprintf("body %d is not in sight", s.Who)
		}
	case Hand, Take, Say:
		if !reaches(r, s.Who) {
			return fmt.Sprintf("body %d is not inside reach", s.Who)
		}
	}
	if err := r.Actor.Legal(Next(s, r), r.View); err != nil {
		return err.Error()
	}
	return ""
}

// reaches reports whether a living body is inside the actor's reach. Nobody is inside his
// own: the world hands to others alone, and would give his gift to somebody else.
func reaches(r Reading, who sim.EntityID) bool {
	o, alive := r.Bodies[who]
	return alive && who != r.Actor.ID && Within(r.Actor.Cell(), o.Cell, int(r.Actor.Kind.Reach))
}
