package village

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"torve/configs"
	"torve/internal/beast"
	"torve/internal/sim"
)

// valleys are grounds with water in the way.
var valleys = map[string]string{
	"the valley": "............/............/...~~~....../..~~~~~...../..~~~~~...../...~~~....../............/............/............",
	"a bay":      "........./.~~~~~~~./.......~./.......~./.~~~~~~~./.........",
	"a spiral":   "........./.~~~~~~~./.~.....~./.~.~~~.~./.~.~...~./.~.~~~~~./.~......./.~~~~~~~~/.........",
	"stones":     ".~.~.~.~./........./~.~.~.~.~/........./.~.~.~.~.",
	"a diagonal": "~......../.~......./..~....../...~...../....~..../.....~.../......~../.......~./.........",
	"a corridor": "~~~~~~~~./......~../.~~~~.~.~/.~..~.~../.~~.~.~~./....~....",
}

// From wherever on a cell it stands and whichever way it looks, the habit comes to any cell
// to which ground leads, and asks for no walk that the rule refuses.
func TestTheHabitComesToAnyCellToWhichGroundLeads(t *testing.T) {
	d := newDice(1)
	for name, rows := range valleys {
		r := ground(t, strings.Split(rows, "/"))
		b := r.bodies[0]
		for from := range cells(r) {
			for to := range cells(r) {
				b.X, b.Y = from.X*beast.Cell+d.roll(beast.Cell), from.Y*beast.Cell+d.roll(beast.Cell)
				b.Heading, b.Store = d.roll(beast.Headings), 300*sim.Gram
				b.person.rounds = []Round{{Cell: to}}
				far := r.way(to).far[from.Y*r.valley.Bed.W+from.X]
				if far == unreached {
					continue
				}
				most := 8 + 24*int(far)
				start := fmt.Sprintf("%s: from %d,%d to %v", name, b.X, b.Y, to)
				for n := 0; b.Cell() != to; n++ {
					b.Store = 300 * sim.Gram
					if r.Step(); len(r.reports) > 0 {
						t.Fatalf("%s: %v", start, r.reports[0])
					}
					if n == most {
						t.Fatalf("%s: it is on %v after %d ticks", start, b.Cell(), n)
					}
				}
			}
		}
	}
}

func TestWhereNoGroundLeadsTheHabitFeedsWhereItIs(t *testing.T) {
	r := ground(t, []string{"..~..", "..~.."})
	b := r.bodies[0]
	b.person.rounds = []Round{{Cell: sim.Coord{X: 4}}}
	b.Store = 100 * sim.Gram
	live(t, r, 1000)
	if c := b.Cell(); c.X > 1 || b.counts.Acts[beast.Graze] == 0 || b.counts.Refused > 0 {
		t.Errorf("it is on %v and did %v", c, b.counts)
	}
}

func TestWhoCannotPayAWalkFeedsWhereItIs(t *testing.T) {
	r := ground(t, []string{"....."})
	b := r.bodies[0]
	b.person.rounds = []Round{{Cell: sim.Coord{X: 4}}}
	b.Store = 2000
	for c := b.Cell(); b.Store < b.Kind.Walk; {
		if r.Step(); b.Cell() != c || b.counts.Refused > 0 {
			t.Fatalf("it is on %v and did %v", b.Cell(), b.counts)
		}
	}
	live(t, r, 4500)
	if b.Cell() != (sim.Coord{X: 4}) || b.counts.Refused > 0 {
		t.Errorf("it is on %v and did %v", b.Cell(), b.counts)
	}
}

// Who was sent to the far bank finds the way home round the pond, and lives.
func TestWhoWasLeftBehindThePondComesHome(t *testing.T) {
	r := born(t)
	for id := range sim.EntityID(3) {
		place(r, id+1, sim.Coord{X: 1, Y: 3}, 0, 100*sim.Gram)
	}
	live(t, r, 900+2*Day)
	for _, v := range r.Villagers() {
		b := r.alive(v.ID)
		if post := b.person.post(r.tick % Day); b.Cell() != post.Cell || b.counts.Refused > 0 {
			t.Errorf("%s is on %v and not on %v", v.Name, b.Cell(), post.Cell)
		}
	}
	if len(r.Villagers()) != 3 {
		t.Errorf("buried: %v", r.Buried())
	}
}

// ground is a world of one villager on such a ground.
func ground(t *testing.T, rows []string) *Roster {
	t.Helper()
	fauna, err := configs.Files.ReadFile(configs.Fauna)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(rows[len(rows)-1], ".")
	valley := `{"rows":["` + strings.Join(rows, `","`) + `"],"crop_cap":100,"crop_start":100,"regrow":0.03}`
	roster := fmt.Sprintf(`{"start":900,"villagers":[{"id":1,"name":"v","kind":"villager","profile":"villager",
		"cell":{"x":%d,"y":%d},"heading":0,"store":200,"rounds":[[0,%[1]d,%[2]d,0]]}]}`, at, len(rows)-1)
	r, err := Found([]byte(valley), fauna, []byte(roster))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// cells goes through the cells of ground.
func cells(r *Roster) func(func(sim.Coord) bool) {
	bed := r.valley.Bed
	return func(yield func(sim.Coord) bool) {
		for i := range bed.W * bed.H {
			c := sim.Coord{X: i % bed.W, Y: i / bed.W}
			if bed.Kind(c) == sim.Ground && !yield(c) {
				return
			}
		}
	}
}

// What a habit asks for is refused only where somebody has left its reach since it decided.
func TestTheHabitAsksForWhatItMayDo(t *testing.T) {
	d := newDice(9)
	for range 200 {
		r := born(t)
		var free []sim.Coord
		for c := range cells(r) {
			free = append(free, c)
		}
		for _, b := range r.Bodies() {
			b.Place(free[d.roll(len(free))], d.roll(beast.Headings))
			b.Store = b.Kind.Rest + int64(d.roll(12))*int64(d.roll(20))*int64(d.roll(10_000))
			r.Valley().Bed.SetCrop(b.Cell(), int64(d.roll(20_000)))
		}
		for range 500 {
			r.Step()
			for _, no := range r.Reports() {
				if !errors.Is(no, beast.ErrNobody) {
					t.Fatalf("tick %d: %v", r.Tick(), no)
				}
			}
		}
	}
}
