package law

import (
	"math"
	"strings"
	"testing"
)

func TestTheReasonIsReadByNothing(t *testing.T) {
	for _, x := range []int{9, 4} { // one plan that is accepted, and one that is not
		seen := map[Verdict]bool{}
		for _, reason := range []string{"", "because", "the law permits it", strings.Repeat("{", 9000)} {
			p := recorded()
			p.Plan.Steps[0].Where = to(x, 5)
			for i := range p.Plan.Steps {
				p.Plan.Steps[i].Reason = reason
			}
			seen[Validate(p, terms(), day(t))] = true
		}
		if len(seen) != 1 {
			t.Errorf("four reasons, %d verdicts", len(seen))
		}
	}
	declared, selected := 0, 0
	for _, f := range sources(t, false) {
		d, s := uses(f, "Reason")
		declared, selected = declared+d, selected+s
	}
	if declared != 1 || selected != 0 {
		t.Fatalf("Reason is declared %d times and read on %d lines", declared, selected)
	}
	t.Log("four reasons, one verdict; every source file walked, Reason declared once and read on no line")
}

func TestAPlanHasStepsWithinTheCapAndAWordInEveryVerb(t *testing.T) {
	wait := Step{Verb: Wait}
	accepted(t, ShapeOf(steps(wait, wait, wait, wait, wait), caps))
	accepted(t, ShapeOf(steps(Step{Verb: "fly"}), caps)) // which word it is, is not asked here
	for want, p := range map[string]Plan{
		"a plan of no steps":                  {},
		"a plan of 6 steps, and the cap is 5": steps(wait, wait, wait, wait, wait, wait),
		"step 2 has no verb":                  steps(wait, Step{}),
		"step 1 has no verb":                  steps(Step{Verb: " \t"}, wait),
	} {
		refused(t, ShapeOf(p, caps), OnShape, want)
	}
	refused(t, ShapeOf(Plan{Steps: []Step{}}, caps), OnShape, "a plan of no steps")
	refused(t, ShapeOf(steps(wait), Caps{}), OnShape, "a plan of 1 steps, and the cap is 0")
}

func TestAVerbHasItsOwnArgumentAndNoOther(t *testing.T) {
	for _, s := range []Step{
		{Verb: Go, Where: to(0, 0)}, {Verb: Wait}, {Verb: Watch, Who: -1}, {Verb: Hand, Who: 1, Grams: 0.1},
		{Verb: Take, Who: 1, Grams: 1e308}, {Verb: Say, Who: 1, Line: " "},
	} {
		accepted(t, VerbsOf(steps(s), caps))
	}
	for want, s := range map[string]Step{
		`"fly" is not a verb in the table`:                   {Verb: "fly"},
		`"Go" is not a verb in the table`:                    {Verb: "Go", Where: to(1, 1)},
		"a go without its where":                             {Verb: Go},
		"a watch without its who":                            {Verb: Watch},
		"a hand without its who":                             {Verb: Hand, Grams: 1},
		"a hand without its grams":                           {Verb: Hand, Who: 1},
		"a take without its grams":                           {Verb: Take, Who: 1},
		"a say without its who":                              {Verb: Say, Line: "hello"},
		"a say without its line":                             {Verb: Say, Who: 1},
		"a wait with a where, which is not its own":          {Verb: Wait, Where: to(1, 1)},
		"a wait with a grams, which is not its own":          {Verb: Wait, Grams: math.NaN()},
		"a go with a who, which is not its own":              {Verb: Go, Where: to(1, 1), Who: 1},
		"a watch with a line, which is not its own":          {Verb: Watch, Who: 1, Line: "hello"},
		"a take with a line, which is not its own":           {Verb: Take, Who: 1, Grams: 1, Line: "please"},
		"a hand of -3 grams, which is no amount":             {Verb: Hand, Who: 1, Grams: -3},
		"a hand of NaN grams, which is no amount":            {Verb: Hand, Who: 1, Grams: math.NaN()},
		"a take of +Inf grams, which is no amount":           {Verb: Take, Who: 1, Grams: math.Inf(1)},
		"a take of -Inf grams, which is no amount":           {Verb: Take, Who: 1, Grams: math.Inf(-1)},
		"a say with a where, which is not its own":           {Verb: Say, Who: 1, Line: "hello", Where: to(1, 1)},
		`"\x00\u202e" is not a verb in the table`:            {Verb: "\x00\u202e"},
		`"say\nstep 2: accepted" is not a verb in the table`: {Verb: "say\nstep 2: accepted"},
	} {
		refused(t, VerbsOf(steps(Step{Verb: Wait}, s), caps), OnVerb, "step 2: "+want)
	}
}

func TestTheStepsEndWithinTheHorizon(t *testing.T) {
	walk, wait := Step{Verb: Go, Where: to(9, 5)}, Step{Verb: Wait}
	line := Step{Verb: Say, Who: 2, Line: "come"}
	accepted(t, VerbsOf(steps(walk, walk, walk, walk), caps))
	seven := steps(walk, walk, walk, wait, wait, Step{Verb: Watch, Who: 2}, line)
	refused(t, VerbsOf(seven, caps), OnVerb, "the steps span 190 ticks, and the horizon is 160")
	refused(t, VerbsOf(steps(walk, walk, walk, walk, line), caps), OnVerb, "the steps span 170 ticks, and the horizon is 160")
	refused(t, VerbsOf(steps(wait), Caps{Steps: 5}), OnVerb, "the steps span 20 ticks, and the horizon is 0")
}

func TestEachVerbHasItsSpan(t *testing.T) {
	for verb, want := range map[string]int{Go: 40, Wait: 20, Watch: 20, Hand: 40, Take: 40, Say: 10} {
		if ticks, ok := Span(verb); ticks != want || !ok {
			t.Errorf("a %s takes %d ticks, %v", verb, ticks, ok)
		}
	}
	if ticks, ok := Span("fly"); ticks != 0 || ok {
		t.Errorf("a verb that is in no table takes %d ticks, %v", ticks, ok)
	}
	if span := recorded().Plan.Span(); span != 120 {
		t.Errorf("the recorded plan spans %d ticks", span)
	}
}

func TestAVerdictPrintsItsCheckAndItsReason(t *testing.T) {
	for want, v := range map[string]Verdict{
		"accepted":                             Accepted(),
		"refused by shape: a plan of no steps": Refused(OnShape, "a plan of no steps"),
	} {
		if v.String() != want {
			t.Errorf("%q, not %q", v, want)
		}
	}
}
