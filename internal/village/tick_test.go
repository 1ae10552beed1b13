package village

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

// boundaries are the valley on its habits alone: where each stands, what it carries, which
// way it looks, and whom it sees how far off.
const boundaries = `
  900 Halla 8,1   92.0000 1.57 sees nobody
  900 Ander 7,6  140.0000 1.57 sees Mose 3.2
  900 Mose 10,7  200.0000 3.14 sees Ander 3.2
 1400 Halla 9,3  150.1300 3.53 sees Ander 3.2
 1400 Ander 8,5  149.2750 1.57 sees Mose 2.2
 1400 Mose 9,6   157.9600 4.71 sees Halla 4.0, Ander 2.2
 1449 Halla 9,3  156.8350 3.53 sees Ander 3.2
 1449 Ander 8,5  155.5550 1.57 sees Mose 2.2
 1449 Mose 9,6   154.0400 4.71 sees Halla 4.0, Ander 2.2
 1521 Halla 9,3  166.3750 3.53 sees Ander 3.2
 1521 Ander 8,5  165.0950 1.57 sees Mose 2.2
 1521 Mose 9,6   148.2800 4.71 sees Halla 4.0, Ander 2.2
 1900 Halla 10,4 173.2650 2.36 sees Ander 2.6, Mose 3.0
 1900 Ander 8,6  154.0700 1.57 sees Mose 1.8
 1900 Mose 9,7   124.5000 4.71 sees Halla 3.0, Ander 1.8
 2400 Halla 9,3  131.6250 4.32 sees Ander 2.5
 2400 Ander 7,2  129.9850 0.00 sees Halla 2.5
 2400 Mose 6,6   163.4100 0.00 sees Ander 3.7
 2601 Halla 9,3  127.4450 4.32 sees Ander 2.5
 2601 Ander 7,2  156.4050 0.00 sees Halla 2.5
 2601 Mose 6,6   174.1050 0.00 sees Ander 3.7
 2900 Halla 8,2  154.9100 1.57 sees Ander 1.3, Mose 2.8
 2900 Ander 9,4  176.1850 3.14 sees Halla 1.3
 2900 Mose 10,5  141.2250 3.14 sees Halla 2.8, Ander 1.7
 3300 Halla 8,1  159.0050 1.57 sees nobody
 3300 Ander 7,6  137.5850 0.00 sees Mose 2.9
 3300 Mose 10,7  131.5300 3.14 sees Ander 2.9
`

func TestTheValleyIsAtItsBoundariesWhereItWasProvedToBe(t *testing.T) {
	r := born(t)
	for _, want := range strings.Split(strings.Trim(boundaries, "\n"), "\n") {
		var tick int
		var name string
		if _, err := fmt.Sscan(want, &tick, &name); err != nil {
			t.Fatal(err)
		}
		if err := r.Run(tick); err != nil {
			t.Fatal(err)
		}
		if got := boundary(t, r, name); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("got  %s\nwant %s", got, strings.Join(strings.Fields(want), " "))
		}
	}
}

func boundary(t *testing.T, r *Roster, name string) string {
	t.Helper()
	v, is := r.Villager(name)
	if !is {
		t.Fatalf("no %s at tick %d", name, r.Tick())
	}
	b := r.Body(v.ID)
	var sees []string
	for _, id := range r.Sees(v.ID) {
		sees = append(sees, fmt.Sprintf("%s %.1f", r.Body(id).Name, b.Away(r.Body(id))))
	}
	if sees == nil {
		sees = []string{"nobody"}
	}
	c := b.Cell()
	return fmt.Sprintf("%d %s %d,%d %.4f %.2f sees %s", r.Tick(), b.Name, c.X, c.Y, b.Carrying(),
		float64(b.Heading)*math.Pi/8, strings.Join(sees, ", "))
}

func TestThirtyDaysPassAndNobodyDiesOrIsRefused(t *testing.T) {
	r := born(t)
	lowest := int64(math.MaxInt64)
	for r.Tick() < 900+30*Day {
		r.Step()
		for _, b := range r.Bodies() {
			lowest = min(lowest, b.Store)
		}
		if len(r.Reports()) > 0 {
			t.Fatalf("tick %d: %v", r.Tick(), r.Reports()[0])
		}
	}
	if len(r.Bodies()) != 3 || len(r.Buried()) != 0 || lowest != 845_800 {
		t.Errorf("%d alive, %d buried, and the lowest store was %d", len(r.Bodies()), len(r.Buried()), lowest)
	}
	for id, want := range map[sim.EntityID]Counts{
		1: {Habit: 108_000, Acts: [7]int{84593, 719, 719, 721, 21248, 0, 0}},
		2: {Habit: 108_000, Acts: [7]int{80092, 745, 1525, 1479, 23522, 637, 0}},
		3: {Habit: 108_000, Acts: [7]int{83120, 846, 1118, 1062, 21833, 21, 0}},
	} {
		if got := r.Counts(id); got != want {
			t.Errorf("body %d counts %+v, not %+v", id, got, want)
		}
	}
}

func TestTheWorldRunsOnAndNeverBack(t *testing.T) {
	r := born(t)
	if err := r.Run(900); err != nil || r.Tick() != 900 {
		t.Errorf("to where it stands: %v, tick %d", err, r.Tick())
	}
	if err := r.Run(899); err == nil || err.Error() != "run to tick 899: it is tick 900 already" {
		t.Errorf("back: %v", err)
	}
}

func TestEveryMindDecidesBeforeAnyBodyActs(t *testing.T) {
	r := born(t)
	place(r, 2, sim.Coord{X: 7, Y: 6}, 0, 179*sim.Gram+8000)
	r.alive(2).person.feeding = true
	place(r, 1, sim.Coord{X: 8, Y: 6}, 0, 150*sim.Gram)
	post(t, r, 1, Intent{Act: beast.Hand, Who: 2})
	r.Step()
	// With Halla's parcel Ander has enough and would not graze; he decided before he had it.
	if c := r.Counts(2); c.Acts[beast.Graze] != 1 {
		t.Errorf("Ander did %v", c.Acts)
	}
	live(t, r, 903)
	if c := r.Counts(2); c.Acts[beast.Graze] != 1 {
		t.Errorf("and then %v", c.Acts)
	}
}

func TestWhatTheRuleRefusesIsReportedAndTheBodyRests(t *testing.T) {
	r := born(t)
	id, err := r.Spawn("browser", sim.Coord{X: 1, Y: 3}, 0, 100*sim.Gram)
	if err != nil {
		t.Fatal(err)
	}
	r.Body(id).X = 2*beast.Cell - 1
	post(t, r, id, Intent{Act: beast.Walk})
	r.Step()
	want := "creature 4 at 2,3 cannot walk: the cell ahead is open water or off the grid"
	if len(r.Reports()) != 1 || r.Reports()[0].Error() != want {
		t.Errorf("%v, not %s", r.Reports(), want)
	}
	c := r.Counts(id)
	if c.Refused != 1 || c.Taken != 1 || c.Habit != 0 || c.Acts[beast.Rest] != 1 || c.Acts[beast.Walk] != 0 {
		t.Errorf("%+v", c)
	}
	if b := r.Body(id); b.Store != 100*sim.Gram-800 || b.Cell() != (sim.Coord{X: 1, Y: 3}) {
		t.Errorf("it is on %v with %d", b.Cell(), b.Store)
	}
	r.Step()
	if len(r.Reports()) != 0 {
		t.Errorf("the report of the last tick is still there: %v", r.Reports())
	}
}

func TestABodyThatCannotPayARestIsBuriedAndItsStreamStays(t *testing.T) {
	r := born(t)
	live(t, r, 1000)
	rows := len(r.Stream(1))
	r.Valley().Bed.SetCrop(sim.Coord{X: 8, Y: 1}, 0)
	r.Body(1).Store = 1000
	r.Step() // it pays a rest, and cannot pay another
	if r.Body(1) != nil || len(r.Bodies()) != 2 {
		t.Fatalf("it lives on with %d", r.Body(1).Store)
	}
	if _, is := r.Villager("Halla"); is {
		t.Error("the roster still finds it by name")
	}
	if got := r.Stream(1); len(got) <= rows || got[len(got)-1].Text != "ate 50 mouthfuls on 8,1, 25.0 grams" {
		t.Errorf("its stream is %v", got)
	}
	g := r.Buried()
	if len(g) != 1 || g[0].ID != 1 || g[0].Name != "Halla" || g[0].Tick != 1001 || g[0].Cell != (sim.Coord{X: 8, Y: 1}) {
		t.Errorf("buried: %+v", g)
	}
	if c := r.Counts(1); c.Habit != 101 {
		t.Errorf("what it counted is %+v", c)
	}
	if _, err := r.Reading(1); err == nil {
		t.Error("a reading is taken for the dead")
	}
	if reading, err := r.Reading(2); err != nil || len(reading.Bodies) != 2 {
		t.Errorf("a reading has %d bodies, %v", len(reading.Bodies), err)
	}
	if err := r.Post(1, Intent{}); err == nil {
		t.Error("an intent is posted to the dead")
	}
	live(t, r, 2000)
}

func TestAnAnimalRestsWhereNothingIsPosted(t *testing.T) {
	r := born(t)
	id, err := r.Spawn("browser", sim.Coord{X: 0, Y: 0}, 4, sim.Gram)
	if err != nil {
		t.Fatal(err)
	}
	post(t, r, id, Intent{Act: beast.Graze})
	live(t, r, 905)
	if c := r.Counts(id); id != 4 || c.Taken != 1 || c.Habit != 4 || c.Acts[beast.Rest] != 4 || c.Acts[beast.Graze] != 1 {
		t.Errorf("body %d: %+v", id, c)
	}
	if want := sim.Gram - 5*800 + 4250; r.Body(id).Store != want {
		t.Errorf("it carries %d, not %d", r.Body(id).Store, want)
	}
	if r.Stream(id) != nil || r.Pending(id) != 0 || len(r.Villagers()) != 3 {
		t.Error("an animal has a stream")
	}
	r.Remove(id)
	if next, err := r.Spawn("browser", sim.Coord{X: 0, Y: 0}, 4, sim.Gram); err != nil || next != 5 {
		t.Errorf("the next is body %d, %v", next, err)
	}
}

func TestAnAnimalThatCannotBeIsNotSpawned(t *testing.T) {
	r := born(t)
	for want, spawn := range map[string]func() (sim.EntityID, error){
		`"heron" is no kind of the fauna table`:                          func() (sim.EntityID, error) { return r.Spawn("heron", sim.Coord{}, 0, 0) },
		"2,3 is open water or off the grid: no browser can stand there":  func() (sim.EntityID, error) { return r.Spawn("browser", sim.Coord{X: 2, Y: 3}, 0, 0) },
		"12,0 is open water or off the grid: no browser can stand there": func() (sim.EntityID, error) { return r.Spawn("browser", sim.Coord{X: 12}, 0, 0) },
		"heading 16: the headings are 0 to 15":                           func() (sim.EntityID, error) { return r.Spawn("browser", sim.Coord{}, 16, 0) },
		"a store of 300.0001 g: a browser carries 0 to 300.0000 g":       func() (sim.EntityID, error) { return r.Spawn("browser", sim.Coord{}, 0, 3_000_001) },
		"a store of -0.0001 g: a browser carries 0 to 300.0000 g":        func() (sim.EntityID, error) { return r.Spawn("browser", sim.Coord{}, 0, -1) },
	} {
		if id, err := spawn(); err == nil || err.Error() != want {
			t.Errorf("body %d, %v, not %s", id, err, want)
		}
	}
	if len(r.Bodies()) != 3 {
		t.Errorf("%d bodies", len(r.Bodies()))
	}
}

func TestACropIsEatenAndGrowsBack(t *testing.T) {
	r := born(t)
	live(t, r, 1000)
	// Halla has eaten a mouthful in each second of a hundred ticks.
	if got := r.Valley().Bed.Crop(sim.Coord{X: 8, Y: 1}); got != 100*sim.Gram-50*beast.Mouthful+100*300 {
		t.Errorf("%d is left on 8,1", got)
	}
	if got := r.Valley().Bed.Crop(sim.Coord{X: 2, Y: 3}); got != 0 {
		t.Errorf("%d stands on water", got)
	}
	live(t, r, 3150)
	if got := r.Valley().Bed.Crop(sim.Coord{X: 8, Y: 1}); got != 100*sim.Gram {
		t.Errorf("%d has grown back on 8,1", got)
	}
}

func place(r *Roster, id sim.EntityID, c sim.Coord, heading int, store int64) {
	b := r.Body(id)
	b.Place(c, heading)
	b.Store = store
}

func post(t *testing.T, r *Roster, id sim.EntityID, in Intent) {
	t.Helper()
	if err := r.Post(id, in); err != nil {
		t.Fatal(err)
	}
}

func live(t *testing.T, r *Roster, to int) {
	t.Helper()
	if err := r.Run(to); err != nil {
		t.Fatal(err)
	}
}

// Whoever is handed a reading may keep it or change it: the world's own body is not in it.
func TestAReadingHoldsCopiesOfWhatItSays(t *testing.T) {
	r := born(t)
	reading, err := r.Reading(2)
	if err != nil {
		t.Fatal(err)
	}
	before := r.Digest()
	reading.Actor.Store, reading.Actor.Heading = 0, 9
	delete(reading.Bodies, 1)
	clear(reading.Sees)
	if r.Digest() != before || len(r.Bodies()) != 3 {
		t.Error("a reading that is changed changes the world")
	}
	was := *reading.Actor
	live(t, r, 1400)
	if *reading.Actor != was {
		t.Errorf("the actor of a reading went on with the world: %+v", reading.Actor)
	}
}
