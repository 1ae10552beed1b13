package village

import (
	"errors"
	"fmt"
	"strings"

	"torve/internal/beast"
	"torve/internal/sim"
)

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
		return fmt.Errorf("a store of %s: a %s carries 0 to %s", inGrams(b.Store), b.Kind, inGrams(kind.Cap))
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
		if !u.runs() || u.Tick > s.Tick || u.Tick <= s.Tick-runQuiet || !bed.In(u.From) || !bed.In(u.At) {
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

// runs reports whether a run is of a deed that makes one, and not longer than its row.
func (u RunState) runs() bool {
	switch doing(u.Deed) {
	case ate:
		return u.Times >= 1 && u.Times <= runLength && u.From == u.At
	case went:
		return u.Times >= 1 && u.Times <= mostTick
	}
	return false
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
