package village

import (
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

func TestASlotHoldsOneIntentForOneTick(t *testing.T) {
	r := born(t)
	post(t, r, 2, Intent{Act: beast.TurnRight})
	err := r.Post(2, Intent{Act: beast.Walk})
	if want := "post to body 2: its slot holds a turn right already, and holds one intent"; err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
	r.Step()
	if b := r.Body(2); b.Heading != 5 {
		t.Errorf("it looks to %d", b.Heading)
	}
	if c := r.Counts(2); c.Taken != 1 || c.Habit != 0 {
		t.Errorf("%+v", c)
	}
	r.Step()
	if c := r.Counts(2); c.Taken != 1 || c.Habit != 1 {
		t.Errorf("and in the next tick %+v", c)
	}
	post(t, r, 2, Intent{Act: beast.Walk})
}

func TestWhatIsNoIntentIsNotPosted(t *testing.T) {
	r := born(t)
	for want, c := range map[string]struct {
		id sim.EntityID
		in Intent
	}{
		"post to body 4: it is not in the world":           {4, Intent{}},
		"post to body 0: it is not in the world":           {0, Intent{}},
		"post to body 2: act 7 is not in the action table": {2, Intent{Act: beast.Take + 1}},
		"post to body 2: body 9 was never in the world":    {2, Intent{Act: beast.Hand, Who: 9}},
		"post to body 2: body -1 was never in the world":   {2, Intent{Act: beast.Hand, Who: -1}},
	} {
		if err := r.Post(c.id, c.in); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	r.Step()
	if c := r.Counts(2); c.Taken != 0 {
		t.Errorf("%d were taken", c.Taken)
	}
}

func TestEachActDoesWhatTheTableSays(t *testing.T) {
	cases := []struct {
		act     beast.Act
		store   int64
		x, y, h int
	}{
		{beast.Rest, -800, 0, 0, 0},
		{beast.TurnLeft, -2000, 0, 0, 15},
		{beast.TurnRight, -2000, 0, 0, 1},
		{beast.Walk, -6000, 256, 0, 0},
		{beast.Graze, -800 + 4250, 0, 0, 0},
		{beast.Hand, -1000 - 5000, 0, 0, 0},
		{beast.Take, -1000 + 5000, 0, 0, 0},
	}
	for _, c := range cases {
		r := born(t)
		place(r, 1, sim.Coord{X: 1, Y: 7}, 0, 100*sim.Gram)
		place(r, 2, sim.Coord{X: 0, Y: 7}, 8, 100*sim.Gram)
		post(t, r, 2, Intent{Act: beast.Rest})
		b := *r.Body(1)
		post(t, r, 1, Intent{Act: c.act})
		r.Step()
		now := r.Body(1)
		if now.Store-b.Store != c.store || now.X-b.X != c.x || now.Y-b.Y != c.y || now.Heading != c.h {
			t.Errorf("%s: store %+d, place %+d,%+d, heading %d", c.act, now.Store-b.Store, now.X-b.X, now.Y-b.Y, now.Heading)
		}
		if n := r.Counts(1).Acts[c.act]; n != 1 {
			t.Errorf("%s was counted %d times", c.act, n)
		}
	}
}

func TestNobodyCarriesMoreThanItsKindCan(t *testing.T) {
	r := born(t)
	place(r, 1, sim.Coord{X: 1, Y: 7}, 0, 300*sim.Gram)
	post(t, r, 1, Intent{Act: beast.Graze})
	r.Step()
	if b := r.Body(1); b.Store != 300*sim.Gram {
		t.Errorf("it carries %d", b.Store)
	}
}
