package village

import (
	"fmt"
	"strings"
	"testing"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// terms are the shipped ones, under the law without a clause.
func terms(t testing.TB) law.Terms {
	t.Helper()
	s, err := ReadSeam()
	if err != nil {
		t.Fatal(err)
	}
	return law.Terms{Caps: how(t).Caps, Law: law.Lawless{}, Stale: s.Stale}
}

// proposed is a plan that everybody is known to.
func proposed(t testing.TB, asked int, text string) law.Proposal {
	t.Helper()
	return law.Proposal{Plan: plan(t, text), Asked: asked, Set: []sim.EntityID{1, 2, 3}, Profile: "villager"}
}

func dispatch(t *testing.T, r *Roster, id sim.EntityID, p law.Proposal) []Done {
	t.Helper()
	all, err := r.Dispatch(id, p, terms(t))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// table is how the steps of a plan went, a line each.
func table(all []Done) string {
	var lines strings.Builder
	for _, d := range all {
		turns := d.Counts.Acts[beast.TurnLeft] + d.Counts.Acts[beast.TurnRight]
		fmt.Fprintf(&lines, "%d %-5s due %d asked %v %s: posted %d taken %d habit %d refused %d, %d turns, %d walks, %.1f g, from %d,%d to %d,%d\n",
			d.N, d.Step.Verb, d.Due, d.Asked, d.Verdict, d.Posted, d.Counts.Taken, d.Counts.Habit, d.Counts.Refused,
			turns, d.Counts.Acts[beast.Walk], d.Grams, d.From.X, d.From.Y, d.To.X, d.To.Y)
	}
	return lines.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != strings.TrimPrefix(want, "\n") {
		t.Errorf("got\n%swant%s", got, want)
	}
}

// written are the rows of a stream behind the first so many, and what is open.
func written(r *Roster, id sim.EntityID, from int) string {
	var lines strings.Builder
	for _, row := range append(r.Stream(id)[from:], r.Open(id)...) {
		fmt.Fprintf(&lines, "tick %5d  %s  %s\n", row.Tick, row.Register, row.Text)
	}
	return lines.String()
}

func TestAnAcceptedPlanIsPostedStepByStepForItsWholeSpan(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	rows := len(r.Stream(2))
	same(t, table(dispatch(t, r, 2, proposed(t, 1400, string(answer(t))))), `
1 go    due 1400 asked true accepted: posted 40 taken 40 habit 0 refused 0, 6 turns, 5 walks, 0.0 g, from 8,5 to 9,5
2 wait  due 1440 asked true accepted: posted 20 taken 20 habit 0 refused 0, 0 turns, 0 walks, 0.0 g, from 9,5 to 9,5
3 watch due 1460 asked true accepted: posted 20 taken 20 habit 0 refused 0, 4 turns, 0 walks, 0.0 g, from 9,5 to 9,5
4 go    due 1480 asked true accepted: posted 40 taken 40 habit 0 refused 0, 0 turns, 0 walks, 0.0 g, from 9,5 to 9,5
`)
	same(t, written(r, 2, rows), `
tick  1403  saw  Halla came into sight, 3.2 cells off
tick  1400  did  ate 45 mouthfuls on 8,5, 22.5 grams
tick  1411  did  went from 8,5 to 9,5
`)
	if b := r.Body(2); r.Tick() != 1520 || b.Carrying() != 135.8750 || b.Cell() != (sim.Coord{X: 9, Y: 5}) {
		t.Errorf("at %d it is on %v carrying %.4f", r.Tick(), b.Cell(), b.Carrying())
	}
}

func TestAStepThatIsStaleWhenDueLeavesTheRestToTheHabit(t *testing.T) {
	r := born(t)
	live(t, r, 1521)
	rows := len(r.Stream(2))
	all := dispatch(t, r, 2, proposed(t, 1400, string(answer(t))))
	same(t, table(all), `
1 go    due 1521 asked true accepted: posted 40 taken 40 habit 0 refused 0, 6 turns, 5 walks, 0.0 g, from 8,5 to 9,5
2 wait  due 1561 asked true accepted: posted 20 taken 20 habit 0 refused 0, 0 turns, 0 walks, 0.0 g, from 9,5 to 9,5
3 watch due 1581 asked true accepted: posted 20 taken 20 habit 0 refused 0, 4 turns, 0 walks, 0.0 g, from 9,5 to 9,5
4 go    due 1601 asked true refused by freshness: asked at tick 1400, and it is tick 1601: 201 ticks old, and the cap is 200: posted 0 taken 0 habit 40 refused 0, 10 turns, 7 walks, 0.0 g, from 9,5 to 8,3
`)
	same(t, written(r, 2, rows), `
tick  1524  saw  Halla came into sight, 3.2 cells off
tick  1520  did  ate 5 mouthfuls on 8,5, 2.5 grams
tick  1532  did  went from 8,5 to 9,5
tick  1613  saw  Mose came into sight, 3.3 cells off
tick  1610  did  went from 9,5 to 8,3
tick  1641  did  ate 12 mouthfuls on 8,3, 6.0 grams
`)
	for _, d := range all {
		if d.Before != d.After {
			t.Errorf("step %d: %d rows pending before its check, %d after it", d.N, d.Before, d.After)
		}
	}
	if r.Tick() != 1641 {
		t.Errorf("it ends at tick %d", r.Tick())
	}
}

func TestWhatIsBehindARefusedStepIsNotAskedAndNotPosted(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	p := proposed(t, 1400, `{"steps":[{"verb":"wait"},{"verb":"watch","who":1},{"verb":"go","where":{"x":9,"y":5}},{"verb":"say","who":3,"line":"hello"}]}`)
	same(t, table(dispatch(t, r, 2, p)), `
1 wait  due 1400 asked true accepted: posted 20 taken 20 habit 0 refused 0, 0 turns, 0 walks, 0.0 g, from 8,5 to 8,5
2 watch due 1420 asked true refused by reach: step 2: body 1 is not in sight: posted 0 taken 0 habit 20 refused 0, 0 turns, 0 walks, 0.0 g, from 8,5 to 8,5
3 go    due 1440 asked false refused by reach: step 2: body 1 is not in sight: posted 0 taken 0 habit 40 refused 0, 0 turns, 0 walks, 0.0 g, from 8,5 to 8,5
4 say   due 1480 asked false refused by reach: step 2: body 1 is not in sight: posted 0 taken 0 habit 10 refused 0, 0 turns, 0 walks, 0.0 g, from 8,5 to 8,5
`)
}

// What the law says of a plan is nowhere in the world: a world with a plan that is refused,
// on arrival or when due, is the world without it.
func TestNoVerdictLeavesATraceInTheWorld(t *testing.T) {
	for name, c := range map[string]struct {
		late         int
		plan, before string // the plan, and the steps of it that were accepted
	}{
		"on arrival":        {0, `{"steps":[{"verb":"go","where":{"x":2,"y":3}}]}`, ""},
		"at the first step": {201, `{"steps":[{"verb":"go","where":{"x":9,"y":5}},{"verb":"wait"}]}`, ""},
		"at a later one": {121, string(answer(t)), `{"steps":[{"verb":"go","where":{"x":9,"y":5}},{"verb":"wait"},
			{"verb":"watch","who":1}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			with, without := born(t), born(t)
			for _, r := range []*Roster{with, without} {
				live(t, r, 1400)
				ask(t, r, 2)
				live(t, r, 1400+c.late)
			}
			p := proposed(t, 1400, c.plan)
			reading, err := with.Reading(2)
			if err != nil {
				t.Fatal(err)
			}
			if law.Validate(p, terms(t), reading).OK || c.late > 0 {
				if all := dispatch(t, with, 2, p); !all[len(all)-1].Habit {
					t.Errorf("nothing is refused:\n%s", table(all))
				}
			}
			if c.before != "" {
				dispatch(t, without, 2, proposed(t, 1400, c.before))
			}
			live(t, with, 1800)
			live(t, without, 1800)
			if with.Digest() != without.Digest() {
				t.Error("the two worlds differ")
			}
		})
	}
}

// near stands two villagers side by side, the third far off, with so much in their stores.
func near(t testing.TB, one, two int64) *Roster {
	r := born(t)
	place(r, 1, sim.Coord{X: 1, Y: 7}, 0, one)
	place(r, 2, sim.Coord{X: 2, Y: 7}, 8, two)
	place(r, 3, sim.Coord{X: 11, Y: 0}, 0, 200*sim.Gram)
	return r
}

// still lives a plan while the other villagers are held where they stand.
func still(t *testing.T, r *Roster, id sim.EntityID, p law.Proposal) []Done {
	t.Helper()
	d, err := r.Drive(id, p, terms(t))
	if err != nil {
		t.Fatal(err)
	}
	for {
		on, err := d.Post()
		if err != nil {
			t.Fatal(err)
		}
		if !on {
			return d.Done()
		}
		d.Done() // to look changes nothing
		for _, v := range r.Villagers() {
			if v.ID != id {
				post(t, r, v.ID, Intent{Act: beast.Rest})
			}
		}
		r.Step()
	}
}

func TestAHandMovesTheGramsThatItNamesAndThenRests(t *testing.T) {
	for grams, want := range map[string]int{"10": 20, "0.5": 1, "0.7": 1, "0.4": 0, "20": 40, "30": 40, "1.2": 2} {
		for verb, act := range map[string]beast.Act{law.Hand: beast.Hand, law.Take: beast.Take} {
			r := near(t, 100*sim.Gram, 100*sim.Gram)
			all := still(t, r, 1, proposed(t, 900, `{"steps":[{"verb":"`+verb+`","who":2,"grams":`+grams+`}]}`))
			d := all[0]
			if d.Counts.Acts[act] != want || d.Counts.Acts[beast.Rest] != 40-want || d.Grams != float64(want)/2 || d.Posted != 40 {
				t.Errorf("%s %s g:\n%s", verb, grams, table(all))
			}
		}
	}
}

func TestAHandGivesNothingToWhomItDoesNotName(t *testing.T) {
	r := near(t, 100*sim.Gram, 100*sim.Gram)
	place(r, 3, sim.Coord{X: 0, Y: 7}, 0, 50*sim.Gram) // the poorest in reach, all the while
	d, err := r.Drive(1, proposed(t, 900, `{"steps":[{"verb":"hand","who":2,"grams":20}]}`), terms(t))
	if err != nil {
		t.Fatal(err)
	}
	for tick := range 40 {
		if tick == 10 {
			r.Body(2).Place(sim.Coord{X: 4, Y: 7}, 0)
		}
		if _, err := d.Post(); err != nil {
			t.Fatal(err)
		}
		post(t, r, 2, Intent{Act: beast.Rest})
		post(t, r, 3, Intent{Act: beast.Rest})
		r.Step()
	}
	if got := d.Done()[0]; got.Grams != 5 || got.Posted != 40 || got.Counts.Refused != 0 || r.Body(3).Store != 50*sim.Gram-40*800 {
		t.Errorf("%s and Mose carries %.4f", table(d.Done()), r.Body(3).Carrying())
	}
}

func TestAPlanEndsWithItsBody(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	r.Remove(3) // who would share with him
	r.Body(2).Store = 7 * sim.Gram
	all := dispatch(t, r, 2, proposed(t, 1400, string(answer(t))))
	if r.Body(2) != nil || r.Tick() >= 1520 || len(r.Buried()) != 2 {
		t.Fatalf("at tick %d it lives", r.Tick())
	}
	last := all[len(all)-1]
	if len(all) != 2 || last.Posted != r.Tick()-1440 || last.Counts.Taken != last.Posted || last.To != (sim.Coord{X: 9, Y: 5}) {
		t.Errorf("at tick %d\n%s", r.Tick(), table(all))
	}
}

func TestAPlanThatCannotBeLivedIsNotBegun(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	before := r.Digest()
	for want, c := range map[string]struct {
		id   sim.EntityID
		plan string
	}{
		"dispatch to body 9 at tick 1400: it is not in the world":      {9, `{"steps":[{"verb":"wait"}]}`},
		`dispatch to body 2: step 2: "fly" is not a verb in the table`: {2, `{"steps":[{"verb":"wait"},{"verb":"fly"}]}`},
		`dispatch to body 2: step 1: "" is not a verb in the table`:    {2, `{"steps":[{"who":1}]}`},
	} {
		if all, err := r.Dispatch(c.id, proposed(t, 1400, c.plan), terms(t)); err == nil || err.Error() != want || all != nil {
			t.Errorf("%v, %v, not %s", all, err, want)
		}
	}
	if all, err := r.Dispatch(2, law.Proposal{Asked: 1400}, terms(t)); err != nil || len(all) != 0 || r.Tick() != 1400 {
		t.Errorf("a plan of no steps went so: %v, %v", all, err)
	}
	if r.Digest() != before {
		t.Error("the world is another one")
	}
}

func TestTwoWhoDriveOneBodyAreFoundOut(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	post(t, r, 2, Intent{Act: beast.Rest})
	all, err := r.Dispatch(2, proposed(t, 1400, string(answer(t))), terms(t))
	want := "step 1: post to body 2: its slot holds a rest already, and holds one intent"
	if err == nil || err.Error() != want || len(all) != 1 || all[0].Posted != 0 {
		t.Errorf("%v, not %s, with\n%s", err, want, table(all))
	}
}

// Plans of several villagers go through one world side by side, and in whatever order they
// are posted it is the same world.
func TestPlansGoSideBySideInAnyOrder(t *testing.T) {
	plans := []string{`{"steps":[{"verb":"go","where":{"x":10,"y":4}},{"verb":"wait"}]}`, string(answer(t)), `{"steps":[{"verb":"say","who":9,"line":"who?"}]}`}
	run := func(order []int) (string, string) {
		r := born(t)
		live(t, r, 1400)
		var drives []*Drive
		for i, text := range plans {
			d, err := r.Drive(sim.EntityID(i+1), proposed(t, 1400, text), terms(t))
			if err != nil {
				t.Fatal(err)
			}
			drives = append(drives, d)
		}
		for range 130 {
			for _, i := range order {
				if _, err := drives[i].Post(); err != nil {
					t.Fatal(err)
				}
			}
			r.Step()
		}
		return table(drives[0].Done()) + table(drives[1].Done()) + table(drives[2].Done()), r.Digest()
	}
	went, digest := run([]int{0, 1, 2})
	same(t, went, `
1 go    due 1400 asked true accepted: posted 40 taken 40 habit 0 refused 0, 8 turns, 6 walks, 0.0 g, from 9,3 to 10,4
2 wait  due 1440 asked true accepted: posted 20 taken 20 habit 0 refused 0, 0 turns, 0 walks, 0.0 g, from 10,4 to 10,4
1 go    due 1400 asked true accepted: posted 40 taken 40 habit 0 refused 0, 6 turns, 5 walks, 0.0 g, from 8,5 to 9,5
2 wait  due 1440 asked true accepted: posted 20 taken 20 habit 0 refused 0, 0 turns, 0 walks, 0.0 g, from 9,5 to 9,5
3 watch due 1460 asked true accepted: posted 20 taken 20 habit 0 refused 0, 4 turns, 0 walks, 0.0 g, from 9,5 to 9,5
4 go    due 1480 asked true accepted: posted 40 taken 40 habit 0 refused 0, 0 turns, 0 walks, 0.0 g, from 9,5 to 9,5
1 say   due 1400 asked true refused by reach: step 1: body 9 is not inside reach: posted 0 taken 0 habit 10 refused 0, 0 turns, 0 walks, 0.0 g, from 9,6 to 9,6
`)
	if again, other := run([]int{2, 1, 0}); again != went || other != digest {
		t.Errorf("the other way about\n%s", again)
	}
}
