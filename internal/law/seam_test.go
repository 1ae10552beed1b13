package law

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"torve/internal/beast"
)

func TestABodyOutsideTheGroundingSetIsRefusedByName(t *testing.T) {
	known := set(1, 2, 3)
	p := steps(Step{Verb: Go, Where: to(9, 5)}, Step{Verb: Watch, Who: 1}, Step{Verb: Watch, Who: 7})
	v := GroundingOf(p, known)
	refused(t, v, OnGrounding, "step 3 names body 7, and the grounding set is {1,2,3}")
	accepted(t, GroundingOf(steps(p.Steps[:2]...), known))

	walk := steps(Step{Verb: Go, Where: to(2, 7)})
	accepted(t, GroundingOf(walk, nil))
	refused(t, GroundingOf(steps(Step{Verb: Watch, Who: 1}), nil), OnGrounding, "step 1 names body 1, and the grounding set is {}")
	refused(t, GroundingOf(steps(Step{Verb: Watch, Who: -1}), set(2)), OnGrounding, "step 1 names body -1, and the grounding set is {2}")
	t.Logf("refused: %s; a cell is not an identity and the set is not asked about one", v.Why)
}

// mercy is a law of one clause.
type mercy struct{}

func (mercy) Permits(profile string, s Step) (string, bool) {
	if profile == "villager" && s.Verb == Take {
		return "clause 1: nobody takes", false
	}
	return "", true
}

func TestTheLawCheckAsksTheLawItIsHandedAndTheEmptyLawPermitsEverything(t *testing.T) {
	take := Step{Verb: Take, Who: 1, Grams: 10}
	p := steps(Step{Verb: Wait}, take, Step{Verb: "fly"})
	accepted(t, LawOf(p, "villager", Lawless{}))
	accepted(t, LawOf(p, "", Lawless{}))

	refused(t, LawOf(p, "villager", mercy{}), OnLaw, "step 2: clause 1: nobody takes")
	accepted(t, LawOf(p, "guest", mercy{}))
	accepted(t, LawOf(steps(Step{Verb: Wait}), "villager", mercy{}))

	none := "no law was handed to the check, and no law permits nothing"
	for _, p := range []Plan{p, steps(Step{Verb: Wait}), {}} {
		refused(t, LawOf(p, "villager", nil), OnLaw, none)
	}
	without := terms()
	without.Law = nil
	refused(t, Validate(recorded(), without, day(t)), OnLaw, none)
	t.Log("the empty law permits; a one-clause law refuses naming its clause; no law refuses everything")
}

func TestReachAsksTheWorldsOwnRuleThroughTheCallEveryAnimalMakes(t *testing.T) {
	w := standing(t, 2400, at(1, 3))
	b := w.bodies[0]
	b.X = 2*beast.Cell - 1 // the east edge of its cell: one stride ahead is the pond
	walk := Step{Verb: Go, Where: to(7, 3)}
	if act := Next(walk, w.reading(1)); act != beast.Walk {
		t.Fatalf("the step begins with a %s", act)
	}
	v := ReachOf(1, walk, w.reading(1), true)
	world := b.Legal(beast.Walk, w.view)
	refused(t, v, OnReach, "step 1: "+world.Error())
	refused(t, v, OnReach, "step 1: creature 1 at 2,3 cannot walk: the cell ahead is open water or off the grid")

	b.Store = 0
	broke := b.Legal(beast.Walk, w.view)
	refused(t, ReachOf(1, walk, w.reading(1), true), OnReach, "step 1: "+broke.Error())
	refused(t, ReachOf(1, walk, w.reading(1), true), OnReach, "step 1: creature 1 at 1,3 cannot walk: the store cannot pay for it")
	accepted(t, ReachOf(1, walk, w.reading(1), false)) // not placed, the act is not asked about
	t.Logf("refused by the world's own sentence: %s", strings.TrimPrefix(v.Why, "step 1: "))
}

func TestFreshnessRefusesAnOldProposalAndABodyThatIsGone(t *testing.T) {
	walk, watch := Step{Verb: Go, Where: to(2, 7)}, Step{Verb: Watch, Who: 2}
	w := standing(t, 2601, at(9, 3))
	old := FreshnessOf(1, walk, 2400, w.reading(1), 200)
	refused(t, old, OnFreshness, "asked at tick 2400, and it is tick 2601: 201 ticks old, and the cap is 200")
	w.tick = 2600
	accepted(t, FreshnessOf(1, walk, 2400, w.reading(1), 200))
	gone := FreshnessOf(1, watch, 2400, w.reading(1), 200)
	refused(t, gone, OnFreshness, "step 1 names body 2, which is no longer in the world")

	w.tick = 99999
	for _, off := range []int{0, -1} {
		accepted(t, FreshnessOf(1, walk, 2400, w.reading(1), off))
		refused(t, FreshnessOf(1, watch, 2400, w.reading(1), off), OnFreshness, gone.Why)
	}
	t.Logf("%s; %s", old.Why, gone.Why)
}

func TestTheSixRunInOrderAndTheFirstNoIsTheVerdict(t *testing.T) {
	wait := Step{Verb: Wait}
	p := recorded()
	p.Plan = steps(wait, wait, wait, wait, wait, wait, Step{Verb: Watch, Who: 9})
	first, asked := Count(Checks[:], p, terms(), day(t))
	refused(t, first, OnShape, "a plan of 7 steps, and the cap is 5")
	if asked != 1 || first != Validate(p, terms(), day(t)) {
		t.Errorf("%d checks were asked, and Validate says %s", asked, Validate(p, terms(), day(t)))
	}
	order := slices.Clone(Checks[:])
	slices.Reverse(order)
	last, asked := Count(order, p, terms(), day(t))
	refused(t, last, OnFreshness, "step 7 names body 9, which is no longer in the world")
	if asked != 1 || last != InOrder(order, p, terms(), day(t)) {
		t.Errorf("%d checks were asked the other way about", asked)
	}
	if !slices.Equal(Checks[:], []string{"shape", "verb", "grounding", "law", "reach", "freshness"}) {
		t.Errorf("the order is %v", Checks)
	}
	t.Logf("in the table's order, %s; reversed, by %s: %s", first, last.Failed, last.Why)
}

func TestAStepCheckedAgainWhenDueIsJudgedOverTheWorldAsItStands(t *testing.T) {
	w := standing(t, 100, at(8, 5), at(10, 5))
	p := Proposal{Asked: 100, Set: set(1, 2), Plan: steps(Step{Verb: Go, Where: to(9, 5)}, Step{Verb: Hand, Who: 2, Grams: 5})}
	accepted(t, Validate(p, terms(), w.reading(1)))

	w.tick = 140
	away := Due(2, p, terms(), w.reading(1))
	refused(t, away, OnReach, "step 2: body 2 is not inside reach")
	w.bodies[0].Place(at(9, 5), 0)
	accepted(t, Due(2, p, terms(), w.reading(1)))
	w.tick = 301
	old := Due(2, p, terms(), w.reading(1))
	refused(t, old, OnFreshness, "asked at tick 100, and it is tick 301: 201 ticks old, and the cap is 200")
	t.Logf("accepted whole on arrival; at dispatch, %s; then %s", away.Why, old.Why)
}

func TestTheWorldReachesTheLawOnlyAsAReading(t *testing.T) {
	ours := map[string]bool{}
	for _, f := range sources(t, false) {
		for _, path := range imports(t, f) {
			if top, _, _ := strings.Cut(path, "/"); top == "torve" {
				ours[path] = true
			}
		}
	}
	want := []string{"torve/internal/beast", "torve/internal/sim"}
	if got := slices.Sorted(maps.Keys(ours)); !slices.Equal(got, want) {
		t.Fatalf("of this module, %v", got)
	}
	t.Log("every source file read; of this module, sim and beast and nothing else")
}

func TestARunOfNoCheckIsANo(t *testing.T) {
	refused(t, Run("taste", recorded(), terms(), day(t)), "taste", "no such check")
	v, asked := Count([]string{OnShape, "taste", OnVerb}, recorded(), terms(), day(t))
	refused(t, v, "taste", "no such check")
	if asked != 2 {
		t.Errorf("%d checks were asked", asked)
	}
	accepted(t, InOrder(nil, recorded(), terms(), day(t)))
}

func TestAStepThatThePlanDoesNotHaveIsNeverDue(t *testing.T) {
	for n, want := range map[int]string{0: "step 0: the plan has 4", 5: "step 5: the plan has 4", -1: "step -1: the plan has 4"} {
		refused(t, Due(n, recorded(), terms(), day(t)), OnReach, want)
	}
}

func TestTheRecordedPlanAndSixThatAreNotIt(t *testing.T) {
	with := func(i int, s Step) Proposal {
		p := recorded()
		p.Plan.Steps[i] = s
		return p
	}
	line := recorded()
	line.Plan.Steps = append(line.Plan.Steps, Step{Verb: Say, Who: 3, Line: "come"})
	buried := day(t)
	delete(buried.Bodies, 3)
	for _, c := range []struct {
		p           Proposal
		r           Reading
		span, asked int
		want        string
	}{
		{recorded(), day(t), 120, 6, "accepted"},
		{with(1, Step{Verb: Watch, Who: 4}), day(t), 120, 3, "refused by grounding: step 2 names body 4, and the grounding set is {1,2,3}"},
		{with(0, Step{Verb: Watch, Who: 1}), day(t), 100, 5, "refused by reach: step 1: body 1 is not in sight"},
		{with(0, Step{Verb: Hand, Who: 1, Grams: 10}), day(t), 120, 5, "refused by reach: step 1: body 1 is not inside reach"},
		{with(0, Step{Verb: Go, Where: to(2, 3)}), day(t), 120, 5, "refused by reach: step 1: 2,3 is open water"},
		{with(1, Step{Verb: Hand, Who: 1, Grams: 301}), day(t), 140, 5, "refused by reach: step 2: 301 grams named, and the actor holds 150.7298"},
		{line, buried, 130, 6, "refused by freshness: step 5 names body 3, which is no longer in the world"},
	} {
		v, asked := Count(Checks[:], c.p, terms(), c.r)
		if v.String() != c.want || asked != c.asked || c.p.Plan.Span() != c.span {
			t.Errorf("%s, after %d checks, over %d ticks; not %s, %d, %d", v, asked, c.p.Plan.Span(), c.want, c.asked, c.span)
		}
	}
	if act := Next(recorded().Plan.Steps[0], day(t)); act != beast.TurnLeft {
		t.Errorf("the recorded plan begins with a %s", act)
	}
}
