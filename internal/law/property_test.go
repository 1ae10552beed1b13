package law

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"torve/internal/beast"
	"torve/internal/sim"
)

// meant is a step that somebody could mean, in a valley of so many bodies.
func meant(bodies int) *rapid.Generator[Step] {
	return rapid.Custom(func(t *rapid.T) Step {
		s := Step{Verb: rapid.SampledFrom([]string{Go, Wait, Watch, Hand, Take, Say}).Draw(t, "verb")}
		if s.Verb == Go {
			s.Where = to(rapid.IntRange(7, 11).Draw(t, "x"), rapid.IntRange(0, 8).Draw(t, "y"))
		} else if s.Verb != Wait {
			s.Who = sim.EntityID(rapid.IntRange(1, bodies).Draw(t, "who"))
		}
		switch s.Verb {
		case Hand, Take:
			s.Grams = rapid.SampledFrom([]float64{0.1, 0.5, 10, 60}).Draw(t, "grams")
		case Say:
			s.Line = "hello"
		}
		return s
	})
}

// slip is a step with something wrong in it.
func slip(bodies int) *rapid.Generator[Step] {
	return rapid.Custom(func(t *rapid.T) Step {
		s := meant(bodies).Draw(t, "meant")
		switch rapid.IntRange(0, 5).Draw(t, "slip") {
		case 0:
			s.Who = 0
		case 1:
			s.Line = "too much"
		case 2:
			s.Verb = rapid.SampledFrom([]string{"", "fly"}).Draw(t, "verb")
		case 3:
			s.Who = sim.EntityID(bodies + 1)
		case 4:
			s.Where = to(rapid.IntRange(-1, 12).Draw(t, "x"), 4)
		default:
			s.Grams = 400
		}
		return s
	})
}

// anyCase is a proposal, its terms, and a world that it is judged in.
func anyCase(t *rapid.T, tb testing.TB) (Proposal, Terms, *place) {
	cell := rapid.Custom(func(t *rapid.T) sim.Coord {
		return at(rapid.IntRange(8, 10).Draw(t, "x"), rapid.IntRange(4, 6).Draw(t, "y"))
	})
	cells := rapid.SliceOfN(cell, 2, 4).Draw(t, "cells")
	w := standing(tb, rapid.IntRange(1000, 1300).Draw(t, "tick"), cells...)
	for _, b := range w.bodies {
		b.Heading = rapid.IntRange(0, beast.Headings-1).Draw(t, "heading")
		b.Store = rapid.SampledFrom([]int64{100 * sim.Gram, 100 * sim.Gram, 3000, 500, 0}).Draw(t, "store")
	}
	bodies := len(cells)
	step := meant(bodies)
	if rapid.Bool().Draw(t, "slips") {
		step = rapid.OneOf(step, slip(bodies))
	}
	p := Proposal{
		Plan:    Plan{Steps: rapid.SliceOfN(step, 0, 7).Draw(t, "steps")},
		Asked:   1050,
		Set:     rapid.SampledFrom([][]sim.EntityID{{1, 2, 3, 4}, {1, 2, 3}}).Draw(t, "set"),
		Profile: rapid.SampledFrom([]string{"villager", "guest"}).Draw(t, "profile"),
	}
	laws := []Law{Lawless{}, Lawless{}, Lawless{}, shipped(tb), mercy{}, nil}
	return p, Terms{Caps: caps, Law: rapid.SampledFrom(laws).Draw(t, "law"), Stale: 200}, w
}

func TestInAnyOrderTheFirstCheckThatSaysNoIsTheVerdict(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, terms, w := anyCase(rt, t)
		order := rapid.Permutation(Checks[:]).Draw(rt, "order")
		want, ran := Accepted(), len(order)
		for i, check := range order {
			if v := Run(check, p, terms, w.reading(1)); !v.OK {
				want, ran = v, i+1
				break
			}
		}
		got, asked := Count(order, p, terms, w.reading(1))
		if got != want || asked != ran {
			rt.Errorf("%v: %s after %d, not %s after %d", order, got, asked, want, ran)
		}
		if !got.OK && (got.Failed != order[asked-1] || got.Why == "") {
			rt.Errorf("%s, and the last check asked is %s", got, order[asked-1])
		}
		if any := Validate(p, terms, w.reading(1)); any.OK != got.OK {
			rt.Errorf("%s in the table's order, and %s in %v", any, got, order)
		}
	})
}

func TestWhatIsAcceptedIsWhatTheWorldAllowsAtThatTick(t *testing.T) {
	yes := 0
	rapid.Check(t, func(rt *rapid.T) {
		p, terms, w := anyCase(rt, t)
		p.Plan.Steps = rapid.SliceOfN(meant(len(w.bodies)), 1, 3).Draw(rt, "meant")
		if rapid.Bool().Draw(rt, "lawless") {
			terms.Law = Lawless{}
		}
		before := *w.bodies[0]
		if Validate(p, terms, w.reading(1)).OK {
			yes++
			if err := w.bodies[0].Legal(Next(p.Plan.Steps[0], w.reading(1)), w.view); err != nil {
				rt.Errorf("accepted, and the world says: %v", err)
			}
			if v := Due(1, p, terms, w.reading(1)); !v.OK {
				rt.Errorf("accepted, and at the same boundary, when due: %s", v)
			}
		}
		if *w.bodies[0] != before {
			rt.Errorf("judged, %+v became %+v", before, *w.bodies[0])
		}
	})
	t.Logf("%d plans were accepted", yes)
	if yes == 0 {
		t.Error("nothing was asked")
	}
}

func TestWhenDueOnlyTheWorldIsAsked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, terms, w := anyCase(rt, t)
		for i, s := range p.Plan.Steps {
			want := ReachOf(i+1, s, w.reading(1), true)
			if want.OK {
				want = FreshnessOf(i+1, s, p.Asked, w.reading(1), terms.Stale)
			}
			if got := Due(i+1, p, terms, w.reading(1)); got != want {
				rt.Errorf("step %d: %s, not %s", i+1, got, want)
			}
			if !ReachOf(i+1, s, w.reading(1), false).OK && want.OK {
				rt.Errorf("step %d is refused unplaced, and not placed", i+1)
			}
		}
	})
}

func TestAPlanIsNotMendedByMoreSteps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, terms, w := anyCase(rt, t)
		before := Validate(p, terms, w.reading(1))
		p.Plan.Steps = append(slices.Clone(p.Plan.Steps), meant(len(w.bodies)).Draw(rt, "more"))
		after := Validate(p, terms, w.reading(1))
		if after.OK && !before.OK && len(p.Plan.Steps) > 1 {
			rt.Errorf("%s, and with one step more: %s", before, after)
		}
	})
}

func TestAYesCostsNoMemory(t *testing.T) {
	r, p, terms := day(t), recorded(), terms()
	hand := standing(t, 100, at(8, 5), at(9, 5)).reading(1)
	gift := Proposal{Asked: 100, Set: set(1, 2), Profile: "villager",
		Plan: steps(Step{Verb: Hand, Who: 2, Grams: 5}, Step{Verb: Say, Who: 2, Line: "eat"})}
	terms.Law = shipped(t)
	accepted(t, Validate(p, terms, r))
	accepted(t, Validate(gift, terms, hand))
	if n := testing.AllocsPerRun(100, func() {
		Validate(p, terms, r)
		Validate(gift, terms, hand)
		Due(1, gift, terms, hand)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkValidate(b *testing.B) {
	r, p, terms := day(b), recorded(), terms()
	b.ReportAllocs()
	for b.Loop() {
		if v := Validate(p, terms, r); !v.OK {
			b.Fatal(v)
		}
	}
}

func BenchmarkValidateUnderTheShippedLaw(b *testing.B) {
	r, p, terms := day(b), recorded(), terms()
	terms.Law = shipped(b)
	b.ReportAllocs()
	for b.Loop() {
		if v := Validate(p, terms, r); !v.OK {
			b.Fatal(v)
		}
	}
}

// Whatever a model answers, each check has an answer, and a yes of all six is a plan that the
// verbs and the caps allow.
func FuzzAnyPlanIsJudged(f *testing.F) {
	for _, answer := range []string{
		`{"steps":[{"reason":"r","verb":"go","where":{"x":9,"y":5}},{"verb":"wait"},{"verb":"watch","who":1}]}`,
		`{"steps":[{"verb":"go","where":{"x":9223372036854775807,"y":-9223372036854775808}}]}`,
		`{"steps":[{"verb":"hand","who":-9223372036854775808,"grams":1e308},{"verb":"take","who":1,"grams":-5e-324}]}`,
		`{"steps":[{"verb":"say","who":3,"line":"\u0000"},{}]}`,
		`{"steps":null}`,
	} {
		f.Add([]byte(answer))
	}
	r, terms, law := day(f), terms(), shipped(f)
	f.Fuzz(func(t *testing.T, answer []byte) {
		p := recorded()
		if json.Unmarshal(answer, &p.Plan) != nil {
			return
		}
		terms.Law = law
		for _, check := range Checks {
			if v := Run(check, p, terms, r); v.OK != (v == Accepted()) || !v.OK && (v.Failed != check || v.Why == "") {
				t.Errorf("%s: %+v", check, v)
			}
		}
		for i, s := range p.Plan.Steps {
			Due(i+1, p, terms, r)
			if act := Next(s, r); !act.Known() {
				t.Errorf("%+v begins with %s", s, act)
			}
		}
		if n := len(p.Plan.Steps); Validate(p, terms, r).OK && (n == 0 || n > caps.Steps || p.Plan.Span() > caps.Horizon) {
			t.Errorf("%s was accepted", answer)
		}
	})
}
