package law

import (
	"math"
	"slices"
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

const far = math.MaxInt

func TestEachStepIsAskedWhereItsTargetIs(t *testing.T) {
	// 1 looks east: 2 is ahead and near, 3 ahead and far, 4 behind and near
	w := standing(t, 100, at(8, 1), at(9, 1), at(11, 1), at(7, 1))
	for _, c := range []struct {
		step           Step
		placed, before string // what is said of the step placed, and not placed; "" is a yes
	}{
		{Step{Verb: Go, Where: to(9, 3)}, "", ""},
		{Step{Verb: Go, Where: to(8, 1)}, "", ""},
		{Step{Verb: Go}, "a walk to nowhere", "a walk to nowhere"},
		{Step{Verb: Go, Where: to(12, 3)}, "12,3 is off the grid", "12,3 is off the grid"},
		{Step{Verb: Go, Where: to(-1, 0)}, "-1,0 is off the grid", "-1,0 is off the grid"},
		{Step{Verb: Go, Where: to(far, -far-1)}, "9223372036854775807,-9223372036854775808 is off the grid", "9223372036854775807,-9223372036854775808 is off the grid"},
		{Step{Verb: Go, Where: to(2, 3)}, "2,3 is open water", "2,3 is open water"},
		{Step{Verb: Wait}, "", ""},
		{Step{Verb: Watch, Who: 2}, "", ""},
		{Step{Verb: Watch, Who: 3}, "", ""},
		{Step{Verb: Watch, Who: 4}, "body 4 is not in sight", ""},
		{Step{Verb: Watch, Who: 1}, "body 1 is not in sight", ""},
		{Step{Verb: Watch, Who: 9}, "body 9 is not in sight", ""},
		{Step{Verb: Hand, Who: 2, Grams: 100}, "", ""},
		{Step{Verb: Hand, Who: 4, Grams: 1}, "", ""},
		{Step{Verb: Hand, Who: 3, Grams: 1}, "body 3 is not inside reach", ""},
		{Step{Verb: Hand, Who: 1, Grams: 1}, "body 1 is not inside reach", ""},
		{Step{Verb: Hand, Who: 3, Grams: 100.5}, "100.5 grams named, and the actor holds 100.0000", "100.5 grams named, and the actor holds 100.0000"},
		{Step{Verb: Hand, Who: 2, Grams: 1e308}, "1e+308 grams named, and the actor holds 100.0000", "1e+308 grams named, and the actor holds 100.0000"},
		{Step{Verb: Hand, Who: 2, Grams: math.NaN()}, "NaN grams named, and the actor holds 100.0000", "NaN grams named, and the actor holds 100.0000"},
		{Step{Verb: Take, Who: 4, Grams: 100}, "", ""},
		{Step{Verb: Take, Who: 2, Grams: 101}, "101 grams named, and body 2 holds 100.0000", "101 grams named, and body 2 holds 100.0000"},
		{Step{Verb: Take, Who: 2, Grams: math.Inf(1)}, "+Inf grams named, and body 2 holds 100.0000", "+Inf grams named, and body 2 holds 100.0000"},
		{Step{Verb: Take, Who: 3, Grams: 1}, "body 3 is not inside reach", ""},
		{Step{Verb: Take, Who: 9, Grams: 1}, "body 9 is not inside reach", ""},
		{Step{Verb: Say, Who: 2, Line: "hello"}, "", ""},
		{Step{Verb: Say, Who: 3, Line: "hello"}, "body 3 is not inside reach", ""},
		{Step{Verb: Say, Who: 1, Line: "hello"}, "body 1 is not inside reach", ""},
	} {
		for _, placed := range []bool{true, false} {
			want := c.before
			if placed {
				want = c.placed
			}
			if v := ReachOf(3, c.step, w.reading(1), placed); want == "" {
				accepted(t, v)
			} else {
				refused(t, v, OnReach, "step 3: "+want)
			}
		}
	}
}

func TestAnActThatTheStoreCannotPayIsRefusedInEveryVerb(t *testing.T) {
	w := standing(t, 100, at(8, 1), at(9, 1))
	w.bodies[0].Store = 0
	for act, s := range map[string]Step{
		"rest": {Verb: Wait}, "turn right": {Verb: Go, Where: to(9, 3)}, "walk": {Verb: Go, Where: to(10, 1)},
		"hand": {Verb: Hand, Who: 2}, "take": {Verb: Take, Who: 2, Grams: 1},
	} {
		refused(t, ReachOf(1, s, w.reading(1), true), OnReach, "step 1: creature 1 at 8,1 cannot "+act+": the store cannot pay for it")
		accepted(t, ReachOf(1, s, w.reading(1), false))
	}
}

func TestAStepBeginsWithTheActThatItsTargetNeeds(t *testing.T) {
	w := standing(t, 100, at(8, 5), at(8, 8), at(11, 5), at(6, 5))
	for _, c := range []struct {
		step Step
		want beast.Act
	}{
		{Step{Verb: Go}, beast.Rest},
		{Step{Verb: Go, Where: to(8, 5)}, beast.Rest},
		{Step{Verb: Go, Where: to(11, 5)}, beast.Walk},
		{Step{Verb: Go, Where: to(8, 8)}, beast.TurnRight},
		{Step{Verb: Go, Where: to(8, 0)}, beast.TurnLeft},
		{Step{Verb: Go, Where: to(0, 5)}, beast.TurnRight}, // right behind
		{Step{Verb: Watch, Who: 2}, beast.TurnRight},
		{Step{Verb: Watch, Who: 3}, beast.Rest},
		{Step{Verb: Watch, Who: 1}, beast.Rest},
		{Step{Verb: Watch, Who: 9}, beast.Rest},
		{Step{Verb: Hand, Who: 2}, beast.Hand},
		{Step{Verb: Take, Who: 2}, beast.Take},
		{Step{Verb: Wait}, beast.Rest},
		{Step{Verb: Say, Who: 2}, beast.Rest},
		{Step{Verb: "fly", Where: to(8, 8)}, beast.Rest},
	} {
		if act := Next(c.step, w.reading(1)); act != c.want {
			t.Errorf("%+v begins with a %s, not a %s", c.step, act, c.want)
		}
	}
}

func TestATurnIsTheShortWayAndEndsWhereTheCellIsAhead(t *testing.T) {
	w := standing(t, 100, at(8, 5))
	b := w.bodies[0]
	for _, c := range []sim.Coord{at(11, 5), at(8, 8), at(0, 5), at(3, 0), at(8, 0), at(9, 6)} {
		for heading := range beast.Headings {
			b.Heading = heading
			turns := 0
			for ; turns <= beast.Headings/2; turns++ {
				act, turning := Turn(b, c)
				if !turning {
					break
				}
				step := map[beast.Act]int{beast.TurnRight: 1, beast.TurnLeft: beast.Headings - 1}[act]
				b.Heading = (b.Heading + step) % beast.Headings
			}
			if turns > beast.Headings/2 || b.Heading != b.Toward(c) {
				t.Errorf("from heading %d to %v: %d turns end on %d", heading, c, turns, b.Heading)
			}
		}
	}
	if act, turning := Turn(b, b.Cell()); act != beast.Rest || turning {
		t.Errorf("on its own cell it makes a %s", act)
	}
}

func TestCellsAreApartByTheLongerAxis(t *testing.T) {
	for _, c := range []struct {
		a, b sim.Coord
		n    int
		want bool
	}{
		{at(3, 3), at(3, 3), 0, true}, {at(3, 3), at(4, 4), 1, true}, {at(3, 3), at(4, 5), 1, false},
		{at(3, 3), at(1, 3), 1, false}, {at(3, 3), at(1, 3), 2, true}, {at(3, 3), at(3, 3), -1, false},
		{at(-far-1, 0), at(far, 0), 1, false}, {at(far, far), at(-far-1, -far-1), far, false},
		{at(-1, 0), at(far, 0), far, false}, {at(0, 0), at(far, far), far, true},
	} {
		if Within(c.a, c.b, c.n) != c.want || Within(c.b, c.a, c.n) != c.want {
			t.Errorf("%v and %v within %d: not %v both ways", c.a, c.b, c.n, c.want)
		}
	}
}

func TestWhoIsTakenOutOfTheReadingIsOutOfReachAndNoLongerInTheWorld(t *testing.T) {
	w := standing(t, 100, at(8, 5), at(9, 5))
	r := w.reading(1)
	delete(r.Bodies, 2)
	s := Step{Verb: Say, Who: 2, Line: "hello"}
	refused(t, ReachOf(1, s, r, true), OnReach, "step 1: body 2 is not inside reach")
	refused(t, FreshnessOf(1, s, 100, r, 200), OnFreshness, "step 1 names body 2, which is no longer in the world")
	if !slices.Contains(r.Sees, 2) {
		t.Error("the eyes had not found it")
	}
}
