package village

import (
	"slices"
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

// four is a crowd round 1,7: Halla there, the others a cell off, and a browser two cells off.
func four(t *testing.T, stores ...int64) *Roster {
	t.Helper()
	r := born(t)
	for i, c := range []sim.Coord{{X: 1, Y: 7}, {X: 0, Y: 6}, {X: 2, Y: 8}} {
		place(r, sim.EntityID(i+1), c, 0, stores[i]*sim.Gram)
	}
	if _, err := r.Spawn("browser", sim.Coord{X: 3, Y: 7}, 0, stores[3]*sim.Gram); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAHandGoesToWhomItIsForAndWhereNobodyIsNamedToThePoorestInReach(t *testing.T) {
	cases := []struct {
		stores []int64
		act    beast.Act
		who    sim.EntityID
		with   sim.EntityID
	}{
		{[]int64{200, 150, 190, 10}, beast.Hand, 3, 3},
		{[]int64{200, 150, 190, 10}, beast.Hand, 0, 2},
		{[]int64{200, 150, 190, 10}, beast.Hand, 4, 0}, // who is out of reach
		{[]int64{200, 150, 190, 10}, beast.Hand, 1, 0}, // itself
		{[]int64{200, 190, 150, 10}, beast.Hand, 0, 3},
		{[]int64{200, 150, 150, 10}, beast.Hand, 0, 2}, // of two alike the lower id
		{[]int64{100, 150, 190, 250}, beast.Take, 2, 2},
		{[]int64{100, 150, 190, 250}, beast.Take, 0, 3},
		{[]int64{100, 150, 190, 250}, beast.Take, 4, 0},
		{[]int64{100, 150, 150, 250}, beast.Take, 0, 2},
		{[]int64{100, 150, 150, 250}, beast.Take, 1, 0},
	}
	for _, c := range cases {
		r := four(t, c.stores...)
		for _, id := range []sim.EntityID{2, 3} {
			post(t, r, id, Intent{Act: beast.Rest})
		}
		post(t, r, 1, Intent{Act: c.act, Who: c.who})
		r.Step()
		moved := beast.Parcel
		switch {
		case c.with == 0:
			moved = 0 // the price is paid all the same
		case c.act == beast.Take:
			moved = -moved
		}
		for i, store := range c.stores {
			id := sim.EntityID(i + 1)
			want := store*sim.Gram - 800
			switch id {
			case 1:
				want = store*sim.Gram - 1000 - moved
			case c.with:
				want += moved
			}
			if got := r.Body(id).Store; got != want {
				t.Errorf("%s with %v for %d: body %d carries %d, not %d", c.act, c.stores, c.who, id, got, want)
			}
		}
	}
}

func TestAParcelIsWhatTheOneHoldsAndTheOtherHasRoomFor(t *testing.T) {
	cases := []struct {
		name         string
		giver, taker int64
		moved        int64
	}{
		{"whole", 100 * sim.Gram, 100 * sim.Gram, beast.Parcel},
		{"what is left", 1000 + 1200, 100 * sim.Gram, 1200},
		{"what there is room for", 100 * sim.Gram, 300*sim.Gram + 800 - 300, 300},
		{"nothing", 100 * sim.Gram, 300*sim.Gram + 800, 0},
	}
	for _, c := range cases {
		r := four(t, 100, 100, 100, 100)
		r.Body(1).Store, r.Body(2).Store = c.giver, c.taker-800
		r.bodies[1].Kind.Cap = 300 * sim.Gram
		for _, id := range []sim.EntityID{2, 3} {
			post(t, r, id, Intent{Act: beast.Rest})
		}
		post(t, r, 1, Intent{Act: beast.Hand, Who: 2})
		// Body 1 acts before body 2 pays its rest.
		r.Step()
		gone := c.giver - 1000 - c.moved
		left := int64(0)
		if b := r.Body(1); b != nil {
			left = b.Store
		}
		if gone >= 800 && left != gone || r.Body(2).Store != c.taker-1600+c.moved {
			t.Errorf("%s: %d is left, and the other carries %d", c.name, left, r.Body(2).Store)
		}
		if open := len(r.dealings) == 1; open != (c.moved > 0) {
			t.Errorf("%s: a dealing is under way: %v", c.name, open)
		}
	}
}

func TestAGiftIsOneRowForEachOfTheTwoWhenItEnds(t *testing.T) {
	r := four(t, 200, 150, 150, 10)
	for range 13 {
		for _, id := range []sim.EntityID{2, 3} {
			post(t, r, id, Intent{Act: beast.Rest})
		}
		post(t, r, 1, Intent{Act: beast.Hand, Who: 2})
		r.Step()
	}
	saw, did := Row{2, 913, "saw", "Halla put 13 parcels in Ander's hands, 6.5 grams"}, Row{1, 913, "did", "put 13 parcels in Ander's hands, 6.5 grams"}
	if slices.Contains(r.Stream(2), saw) || slices.Contains(r.Stream(1), did) {
		t.Error("it was written down before it ended")
	}
	if !slices.Contains(r.Open(2), saw) || !slices.Contains(r.Open(1), did) || len(r.Open(3)) != 0 {
		t.Errorf("under way: %v, %v and %v", r.Open(1), r.Open(2), r.Open(3))
	}
	for id := range sim.EntityID(3) {
		post(t, r, id+1, Intent{Act: beast.Rest})
	}
	r.Step()
	if !slices.Contains(r.Stream(2), saw) || !slices.Contains(r.Stream(1), did) {
		t.Errorf("streams: %v and %v", r.Stream(1), r.Stream(2))
	}
	if len(r.Open(1)) != 0 {
		t.Errorf("still under way: %v", r.Open(1))
	}
}

func TestATakeIsWrittenDownByBothAsAGiftIs(t *testing.T) {
	r := four(t, 100, 150, 150, 10)
	for range 4 {
		for _, id := range []sim.EntityID{2, 3} {
			post(t, r, id, Intent{Act: beast.Rest})
		}
		post(t, r, 1, Intent{Act: beast.Take, Who: 3})
		r.Step()
	}
	live(t, r, 905)
	saw, did := Row{3, 904, "saw", "Halla took 4 parcels out of Mose's hands, 2.0 grams"}, Row{1, 904, "did", "took 4 parcels out of Mose's hands, 2.0 grams"}
	if !slices.Contains(r.Stream(3), saw) || !slices.Contains(r.Stream(1), did) {
		t.Errorf("streams: %v and %v", r.Stream(1), r.Stream(3))
	}
}

func TestAGiftToAnAnimalIsWrittenDownByTheGiverAlone(t *testing.T) {
	r := four(t, 200, 150, 150, 10)
	r.Body(4).Place(sim.Coord{X: 2, Y: 6}, 0)
	for _, id := range []sim.EntityID{2, 3} {
		post(t, r, id, Intent{Act: beast.Rest})
	}
	post(t, r, 1, Intent{Act: beast.Hand, Who: 4})
	r.Step()
	r.Remove(4)
	live(t, r, 902)
	if !slices.Contains(r.Stream(1), Row{1, 901, "did", "put 1 parcels in a browser's hands, 0.5 grams"}) || len(r.Stream(4)) != 0 {
		t.Errorf("streams: %v and %v", r.Stream(1), r.Stream(4))
	}
}

// The price is all that is lost when parcels go round.
func TestGramsAreConservedButForPrices(t *testing.T) {
	r := four(t, 200, 299, 250, 220)
	d := newDice(7)
	for range 800 {
		before, paid := total(r), int64(0)
		counted := map[sim.EntityID]Counts{}
		for _, b := range r.Bodies() {
			counted[b.ID] = r.Counts(b.ID)
			act := []beast.Act{beast.Rest, beast.TurnLeft, beast.Hand, beast.Take}[d.roll(4)]
			post(t, r, b.ID, Intent{Act: act, Who: sim.EntityID(d.roll(5))})
		}
		kinds := r.kinds
		r.Step()
		if len(r.Buried()) > 0 {
			break // with what it could not pay a rest of
		}
		for _, b := range r.Bodies() {
			for a := beast.Rest; a.Known(); a++ {
				paid += int64(r.Counts(b.ID).Acts[a]-counted[b.ID].Acts[a]) * kinds[0].Price(a)
			}
		}
		if after := total(r); after != before-paid {
			t.Fatalf("tick %d: %d before, %d paid, %d after", r.Tick(), before, paid, after)
		}
	}
	if r.Tick() < 1700 {
		t.Errorf("it ended at tick %d", r.Tick())
	}
}

func total(r *Roster) (sum int64) {
	for _, b := range r.Bodies() {
		sum += b.Store
	}
	return sum
}

// dice are numbers without order that are the same in every run.
type dice uint64

func (d *dice) roll(n int) int {
	*d = *d*6364136223846793005 + 1442695040888963407
	return int(uint64(*d)>>33) % n
}

func newDice(seed uint64) *dice {
	d := dice(seed)
	return &d
}
