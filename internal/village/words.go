package village

import (
	"fmt"

	"torve/internal/beast"
	"torve/internal/sim"
)

// The witness's sentences. Here alone the world's integers become numbers with a point.

// sighted is a body that came into sight, so many cells off.
func sighted(o *beast.Beast, away float64) string {
	return fmt.Sprintf("%s came into sight, %.1f cells off", called(o.Name, o.Kind.Name), away)
}

// dealtWith is what whoever moved parcels did with the other.
func dealtWith(d dealing, other string) string {
	if d.took {
		return fmt.Sprintf("took %d parcels out of %s's hands, %.1f grams", d.parcels, other, sim.Grams(d.grams))
	}
	return fmt.Sprintf("put %d parcels in %s's hands, %.1f grams", d.parcels, other, sim.Grams(d.grams))
}

// text is the row of a run; "" of one that led nowhere.
func (u run) text() string {
	switch {
	case u.kind == ate:
		grams := sim.Grams(int64(u.times) * beast.Mouthful)
		return fmt.Sprintf("ate %d mouthfuls on %d,%d, %.1f grams", u.times, u.at.X, u.at.Y, grams)
	case u.kind == went && u.from != u.at:
		return fmt.Sprintf("went from %d,%d to %d,%d", u.from.X, u.from.Y, u.at.X, u.at.Y)
	}
	return ""
}

// called is a name, or "a browser" of what has none.
func called(name, kind string) string {
	if name != "" {
		return name
	}
	return "a " + kind
}
