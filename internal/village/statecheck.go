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
// multiplies leaves an int64.
const (
	mostTick  = 1 << 40 // also of counts
	mostID    = 1 << 30
	mostFar   = 1000 // cells of sight and reach
	mostCells = 1 << 20
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
		return nil, fmt.Errorf("a crop of %d at most that grows by %d: 0 to %d", v.Most, v.Regrow, sim.MostGrams*sim.Gram)
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
				return nil, fmt.Errorf("a crop of %d on %d,%d: 0 to %d, and 0 on water", crop, x, y, v.Most)
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
			return fmt.Errorf("%d is no number of grams: 0 to %d", price, sim.MostGrams*sim.Gram)
		}
	}
	return nil
}

func (s State) bodies(bed *sim.Bed, kinds map[string]KindState) error {
	var last sim.EntityID
	names := map[string]sim.EntityID{}
	for _, b := range s.Bodies {
		if b.ID <= last || b.ID >= s.Next {
			return fmt.Errorf("body %d behind body %d, and the next is %d: bodies go by id, each once", b.ID, last, s.Next)
		}
		last = b.ID
		kind, is := kinds[b.Kind]
		if !is {
			return fmt.Errorf("body %d is a %q, which is no kind of the fauna table", b.ID, b.Kind)
		}
		if err := b.check(s, bed, kind); err != nil {
			return fmt.Errorf("body %d: %w", b.ID, err)
		}
		if b.Villager == nil {
			continue
		}
		name := strings.ToLower(b.Villager.Name)
		if other, twice := names[name]; twice {
			return fmt.Errorf("bodies %d and %d are both called %s", other, b.ID, b.Villager.Name)
		}
		names[name] = b.ID
	}
	return nil
}

func (b BodyState) check(s State, bed *sim.Bed, kind KindState) error {
	c := sim.Coord{X: b.X / beast.Cell, Y: b.Y / beast.Cell}
	switch {
	case b.X < 0 || b.Y < 0 || !bed.In(c):
		return fmt.Errorf("x %d, y %d is off the grid", b.X, b.Y)
	case bed.Kind(c) == sim.Water:
		return fmt.Errorf("%d,%d is open water", c.X, c.Y)
	case b.Heading < 0 || b.Heading >= beast.Headings:
		return fmt.Errorf("heading %d: the headings are 0 to %d", b.Heading, beast.Headings-1)
	case b.Store < 0 || b.Store > kind.Cap:
		return fmt.Errorf("a store of %d: a %s carries 0 to %d", b.Store, b.Kind, kind.Cap)
	}
	if _, is := beast.ParseAct(b.Last); !is {
		return fmt.Errorf("last act %q is not in the action table", b.Last)
	}
	if b.Slot != nil {
		if _, is := beast.ParseAct(b.Slot.Act); !is || b.Slot.Who < 0 || b.Slot.Who >= s.Next {
			return fmt.Errorf("its slot holds %q with body %d, which is no intent", b.Slot.Act, b.Slot.Who)
		}
	}
	if err := b.Counts.check(); err != nil {
		return err
	}
	if b.Villager == nil {
		return nil
	}
	return b.Villager.check(s, bed, b.ID)
}

func (c Counts) check() error {
	for _, n := range append([]int{c.Taken, c.Habit, c.Refused}, c.Acts[:]...) {
		if n < 0 || n > mostTick {
			return fmt.Errorf("a count of %d: 0 to %d", n, mostTick)
		}
	}
	return nil
}

func (v *VillagerState) check(s State, bed *sim.Bed, id sim.EntityID) error {
	if err := errors.Join(word("name", v.Name), word("profile", v.Profile), rounds(v.Rounds, bed)); err != nil {
		return err
	}
	var last sim.EntityID
	for _, o := range v.Seen {
		if o <= last || o >= s.Next || o == id {
			return fmt.Errorf("it saw body %d behind body %d: others, by id, each once", o, last)
		}
		last = o
	}
	if u := v.Run; u != nil {
		if u.Deed != string(ate) && u.Deed != string(went) || u.Times < 1 || u.Times > mostTick || u.Tick > s.Tick ||
			u.Tick <= s.Tick-runQuiet || !bed.In(u.From) || !bed.In(u.At) {
			return fmt.Errorf("%s %d times until tick %d is no run of tick %d", u.Deed, u.Times, u.Tick, s.Tick)
		}
	}
	if len(v.Handed) > Remembered {
		return fmt.Errorf("%d rows of memory: a state holds the newest %d", len(v.Handed), Remembered)
	}
	for _, row := range append(v.Handed[:len(v.Handed):len(v.Handed)], v.Pending...) {
		if err := row.check(s.Tick); err != nil {
			return err
		}
	}
	return nil
}

func (row RowState) check(tick int) error {
	if row.Tick < 0 || row.Tick > tick || row.Register != saw && row.Register != did {
		return fmt.Errorf("a row of register %q at tick %d, and it is tick %d", row.Register, row.Tick, tick)
	}
	return word("row", row.Text)
}

// rounds refuses rounds that leave an hour of the day without a place, or lead off the ground.
func rounds(all []Round, bed *sim.Bed) error {
	if len(all) == 0 {
		return errors.New("no rounds: a villager is somewhere at every hour")
	}
	last := -1
	for i, r := range all {
		switch {
		case i == 0 && r.From != 0:
			return fmt.Errorf("round 1 is from tick %d: the first is from 0", r.From)
		case r.From <= last || r.From >= Day:
			return fmt.Errorf("round %d is from tick %d of the day, behind %d: they rise, below %d", i+1, r.From, last, Day)
		case bed.Kind(r.Cell) == sim.Water:
			return fmt.Errorf("round %d is on %d,%d, which is open water or off the grid", i+1, r.Cell.X, r.Cell.Y)
		case r.Heading < 0 || r.Heading >= beast.Headings:
			return fmt.Errorf("round %d looks to heading %d: the headings are 0 to %d", i+1, r.Heading, beast.Headings-1)
		}
		last = r.From
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
			return fmt.Errorf("%d parcels of %d in all between bodies %d and %d", d.Parcels, d.Grams, d.By, d.With)
		}
		last = now
	}
	return nil
}

func grams(n int64) bool { return n >= 0 && n <= sim.MostGrams*sim.Gram }

// word refuses what cannot stand in a line.
func word(what, text string) error {
	if strings.TrimSpace(text) != text || text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%s %q: it is a word or a line of them", what, text)
	}
	return nil
}
