package beast

import (
	"errors"
	"testing"

	"torve/internal/sim"
)

// valley is a pond between two banks: 1,3 is ground, 2,3 is open water.
func valley(t *testing.T) *Valley {
	t.Helper()
	bed, err := sim.NewBed([]string{".....", "..~..", "..~..", "..~..", "....."}, sim.Gram)
	if err != nil {
		t.Fatal(err)
	}
	return &Valley{Bed: bed}
}

func kind() *Kind {
	return &Kind{Name: "villager", Sight: 4, Reach: 1, Cap: 300 * sim.Gram,
		Rest: 800, Turn: 2000, Walk: 6000, Graze: 800, Hand: 1000, Take: 1100}
}

// stand is a body on a cell, and the view of a valley where these others are.
func stand(t *testing.T, c sim.Coord, heading int, others ...*Beast) (*Beast, *View) {
	t.Helper()
	b := &Beast{ID: 1, Kind: kind(), Store: 100 * sim.Gram}
	b.Place(c, heading)
	near := func(b *Beast) (all []*Beast) {
		for _, o := range others {
			if b.Reaches(o) {
				all = append(all, o)
			}
		}
		return all
	}
	return b, &View{Valley: valley(t), Near: near}
}

// edge moves a body to the east edge of its cell, so that one stride leaves it.
func edge(b *Beast) { b.X = (b.Cell().X+1)*Cell - 1 }

func TestTheRuleNamesTheCellItIsAbout(t *testing.T) {
	b, v := stand(t, sim.Coord{X: 1, Y: 3}, 0)
	edge(b)
	cases := []struct {
		store int64
		want  string
		is    error
	}{
		{100 * sim.Gram, "creature 1 at 2,3 cannot walk: the cell ahead is open water or off the grid", ErrNoGround},
		{0, "creature 1 at 1,3 cannot walk: the store cannot pay for it", ErrBroke},
	}
	for _, c := range cases {
		b.Store = c.store
		err := b.Legal(Walk, v)
		if err == nil || err.Error() != c.want {
			t.Errorf("with %d: %v, not %s", c.store, err, c.want)
		}
		for _, other := range []error{ErrBroke, ErrNoGround, ErrBare, ErrNobody} {
			if errors.Is(err, other) != (other == c.is) {
				t.Errorf("with %d: errors.Is(%v) is %v", c.store, other, errors.Is(err, other))
			}
		}
	}
}

func TestAnAnimalIsRefusedInTheSameWordsAsAVillager(t *testing.T) {
	b, v := stand(t, sim.Coord{X: 1, Y: 3}, 0)
	edge(b)
	b.ID, b.Kind.Name = 4, "browser"
	want := "creature 4 at 2,3 cannot walk: the cell ahead is open water or off the grid"
	if err := b.Legal(Walk, v); err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}

func TestThePriceIsAskedBeforeTheTest(t *testing.T) {
	for a := Rest; a.Known(); a++ {
		b, v := stand(t, sim.Coord{X: 1, Y: 3}, 0)
		edge(b)
		v.Valley.Bed.SetCrop(b.Cell(), 0)
		b.Store = b.Kind.Price(a) - 1
		if c, err := b.Rule(a, v); err != ErrBroke || c != b.Cell() {
			t.Errorf("%s with a ten-thousandth too little: %v about %v", a, err, c)
		}
		b.Store = b.Kind.Price(a)
		if _, err := b.Rule(a, v); errors.Is(err, ErrBroke) {
			t.Errorf("%s with just its price: %v", a, err)
		}
	}
}

func TestEachActAsksItsOwnQuestionOfTheWorld(t *testing.T) {
	here, ahead := sim.Coord{X: 1, Y: 3}, sim.Coord{X: 2, Y: 3}
	near, far := &Beast{ID: 2, Kind: kind()}, &Beast{ID: 3, Kind: kind()}
	near.Place(sim.Coord{X: 0, Y: 4}, 0)
	far.Place(sim.Coord{X: 3, Y: 3}, 0)
	cases := []struct {
		act    Act
		crop   int64
		others []*Beast
		about  sim.Coord
		want   error
	}{
		{Rest, 0, nil, here, nil},
		{TurnLeft, 0, nil, here, nil},
		{TurnRight, 0, nil, here, nil},
		{Walk, 0, nil, ahead, ErrNoGround},
		{Graze, Mouthful - 1, nil, here, ErrBare},
		{Graze, Mouthful, nil, here, nil},
		{Hand, 0, []*Beast{far}, here, ErrNobody},
		{Hand, 0, []*Beast{far, near}, here, nil},
		{Take, 0, []*Beast{far}, here, ErrNobody},
		{Take, 0, []*Beast{near}, here, nil},
		{Take + 1, 0, nil, here, ErrNoAct},
	}
	for _, c := range cases {
		b, v := stand(t, here, 0, c.others...)
		edge(b)
		v.Valley.Bed.SetCrop(here, c.crop)
		about, err := b.Rule(c.act, v)
		if !errors.Is(err, c.want) || about != c.about {
			t.Errorf("%s on a crop of %d beside %d: %v about %v", c.act, c.crop, len(c.others), err, about)
		}
		if legal := b.Legal(c.act, v); !errors.Is(legal, c.want) || (legal == nil) != (c.want == nil) {
			t.Errorf("%s: Legal says %v, and Rule %v", c.act, legal, err)
		}
	}
}

func TestAWalkAlongTheGroundIsAllowed(t *testing.T) {
	b, v := stand(t, sim.Coord{X: 1, Y: 3}, 4)
	if err := b.Legal(Walk, v); err != nil {
		t.Error(err)
	}
	b.Place(sim.Coord{X: 0, Y: 0}, 8)
	b.X = 0
	want := "creature 1 at -1,0 cannot walk: the cell ahead is open water or off the grid"
	if err := b.Legal(Walk, v); err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}

func TestTheTableSaysNamesAndPrices(t *testing.T) {
	want := []struct {
		name  string
		price int64
	}{
		{"rest", 800}, {"turn left", 2000}, {"turn right", 2000}, {"walk", 6000}, {"graze", 800}, {"hand", 1000}, {"take", 1100},
	}
	k := kind()
	for i, w := range want {
		a := Act(i)
		if a.String() != w.name || k.Price(a) != w.price || !a.Known() {
			t.Errorf("%d is %s for %d", i, a, k.Price(a))
		}
		if back, is := ParseAct(w.name); !is || back != a {
			t.Errorf("%s is read as %v, %v", w.name, back, is)
		}
	}
	if none := Act(len(want)); none.Known() || none.String() != "act 7" || k.Price(none) != 0 {
		t.Errorf("%s is known: %v, for %d", none, none.Known(), k.Price(none))
	}
	if a, is := ParseAct("fly"); is {
		t.Errorf("fly is read as %s", a)
	}
}

func TestAMouthfulIsHalfAGramOfWhichEightyFivePartsInAHundredStay(t *testing.T) {
	if Mouthful != 5000 || Gain != 4250 || Parcel != 5000 {
		t.Errorf("mouthful %d, gain %d, parcel %d", Mouthful, Gain, Parcel)
	}
}
