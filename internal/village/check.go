package village

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"torve/internal/beast"
	"torve/internal/sim"
)

// The bounds of what a state may say. Far inside them nothing that a tick adds up or
// multiplies leaves an int64, and each of them is an int where that has 32 bits.
const (
	mostTick  = 1 << 30 // also of counts
	mostID    = 1 << 30
	mostFar   = 1000 // cells of sight and reach
	mostCells = 1 << 20
	mostGrams = sim.MostGrams * sim.Gram
)

// check refuses what no world can have.
func (s State) check() error {
	if s.Tick < 0 || s.Tick > mostTick {
		return fmt.Errorf("tick %d: a world's ticks are 0 to %d", s.Tick, mostTick)
	}
	if s.Next < 1 || s.Next > mostID {
		return fmt.Errorf("next body %d: ids are 1 to %d", s.Next, mostID)
	}
	bed, err := s.Valley.check()
	if err != nil {
		return fmt.Errorf("valley: %w", err)
	}
	kinds, err := s.kinds()
	if err != nil {
		return err
	}
	if err := s.bodies(bed, kinds); err != nil {
		return err
	}
	if err := s.graves(); err != nil {
		return err
	}
	return s.parcels()
}

func (v ValleyState) check() (*sim.Bed, error) {
	bed, err := sim.NewBed(v.Rows, 0)
	switch {
	case err != nil:
		return nil, err
	case bed.W*bed.H > mostCells:
		return nil, fmt.Errorf("%d cells: a valley has %d at most", bed.W*bed.H, mostCells)
	case !grams(v.Most) || !grams(v.Regrow):
		return nil, fmt.Errorf("a crop of at most %s that grows by %s: each is 0 to %s", inGrams(v.Most), inGrams(v.Regrow), inGrams(mostGrams))
	case len(v.Crop) != bed.H:
		return nil, fmt.Errorf("%d rows of crop on %d rows of ground", len(v.Crop), bed.H)
	}
	for y, row := range v.Crop {
		if len(row) != bed.W {
			return nil, fmt.Errorf("row %d has crop for %d cells, and %d cells", y, len(row), bed.W)
		}
		for x, crop := range row {
			water := bed.Kind(sim.Coord{X: x, Y: y}) == sim.Water
			if crop < 0 || crop > v.Most || water && crop != 0 {
				return nil, fmt.Errorf("a crop of %s on %d,%d: 0 to %s, and none on water", inGrams(crop), x, y, inGrams(v.Most))
			}
		}
	}
	return bed, nil
}

// kinds are the fauna table, by name.
func (s State) kinds() (map[string]KindState, error) {
	kinds := map[string]KindState{}
	last := ""
	for _, k := range s.Kinds {
		if k.Name <= last {
			return nil, fmt.Errorf("kind %q behind %q: kinds go by name, each once", k.Name, last)
		}
		if err := k.check(); err != nil {
			return nil, fmt.Errorf("kind %q: %w", k.Name, err)
		}
		kinds[k.Name], last = k, k.Name
	}
	return kinds, nil
}

func (k KindState) check() error {
	if err := word("name", k.Name); err != nil {
		return err
	}
	if k.Sight < 0 || k.Sight > mostFar || k.Reach < 0 || k.Reach > mostFar {
		return fmt.Errorf("sight %d, reach %d: each is 0 to %d cells", k.Sight, k.Reach, mostFar)
	}
	for _, price := range []int64{k.Cap, k.Rest, k.Turn, k.Walk, k.Graze, k.Hand, k.Take} {
		if !grams(price) {
			return fmt.Errorf("a cap or price of %s: each is 0 to %s", inGrams(price), inGrams(mostGrams))
		}
	}
	return nil
}

func (s State) graves() error {
	taken := map[sim.EntityID]bool{}
	for _, b := range s.Bodies {
		taken[b.ID] = true
	}
	for _, g := range s.Buried {
		switch {
		case g.ID < 1 || g.ID >= s.Next || taken[g.ID]:
			return fmt.Errorf("buried body %d is alive, buried twice or never was", g.ID)
		case g.Tick < 0 || g.Tick > s.Tick:
			return fmt.Errorf("body %d was buried at tick %d, and it is tick %d", g.ID, g.Tick, s.Tick)
		}
		taken[g.ID] = true
		if err := errors.Join(word("kind", g.Kind), g.Counts.check()); err != nil {
			return fmt.Errorf("buried body %d: %w", g.ID, err)
		}
		if g.Name != "" {
			if err := word("name", g.Name); err != nil {
				return fmt.Errorf("buried body %d: %w", g.ID, err)
			}
		}
	}
	return nil
}

func (s State) parcels() error {
	var last dealing
	for _, d := range s.Dealings {
		now := dealing{by: d.By, with: d.With, took: d.Deed == took}
		switch {
		case d.Deed != put && d.Deed != took:
			return fmt.Errorf("parcels that were %q: they are put or took", d.Deed)
		case d.By < 1 || d.By >= s.Next || d.With < 1 || d.With >= s.Next || d.By == d.With:
			return fmt.Errorf("parcels between bodies %d and %d", d.By, d.With)
		case inOrder(last, now) >= 0:
			return fmt.Errorf("parcels of body %d with body %d: they go by id, each pair once", d.By, d.With)
		case d.Parcels < 1 || d.Parcels > mostTick || d.Grams < 1 || d.Grams > int64(d.Parcels)*beast.Parcel:
			return fmt.Errorf("%d parcels of %s in all between bodies %d and %d", d.Parcels, inGrams(d.Grams), d.By, d.With)
		}
		last = now
	}
	return nil
}

func grams(n int64) bool { return n >= 0 && n <= mostGrams }

func inGrams(n int64) string { return fmt.Sprintf("%.4f g", sim.Grams(n)) }

// word refuses what cannot stand in a line.
func word(what, text string) error {
	if strings.TrimSpace(text) != text || text == "" || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%s %q: it is a word or a line of them", what, text)
	}
	return nil
}
