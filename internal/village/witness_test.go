package village

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The streams of the first day, row by row.
func TestTheFirstDayIsWitnessedRowByRow(t *testing.T) {
	r := born(t)
	live(t, r, 900+Day)
	var got bytes.Buffer
	for _, v := range r.Villagers() {
		for _, row := range r.Stream(v.ID) {
			fmt.Fprintf(&got, "%-5s tick %5d  %s  %s\n", v.Name, row.Tick, row.Register, row.Text)
		}
	}
	golden(t, "testdata/day.golden", got.Bytes())
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is otherwise (-update writes it anew):\n%s", file, got)
	}
}

func TestARunIsOneRowWithTheTickOfItsLastDeed(t *testing.T) {
	eat, walk, rest := Intent{Act: beast.Graze}, Intent{Act: beast.Walk}, Intent{Act: beast.Rest}
	cases := []struct {
		name string
		acts []Intent
		want []Row
	}{
		{"another deed begins", slices.Concat(many(3, eat), many(2, walk)),
			[]Row{{1, 903, did, "ate 3 mouthfuls on 1,7, 1.5 grams"}}},
		{"nine quiet ticks", slices.Concat(many(3, eat), many(9, rest)), nil},
		{"ten quiet ticks", slices.Concat(many(3, eat), many(10, rest)),
			[]Row{{1, 903, did, "ate 3 mouthfuls on 1,7, 1.5 grams"}}},
		{"pauses below ten ticks", slices.Concat(many(1, eat), many(9, rest), many(1, eat), many(10, rest)),
			[]Row{{1, 911, did, "ate 2 mouthfuls on 1,7, 1.0 grams"}}},
		{"fifty mouthfuls", many(50, eat), nil},
		{"the fifty-first", many(51, eat), []Row{{1, 950, did, "ate 50 mouthfuls on 1,7, 25.0 grams"}}},
		{"another cell", slices.Concat(many(1, eat), many(2, walk), many(1, eat), many(10, rest)),
			[]Row{{1, 901, did, "ate 1 mouthfuls on 1,7, 0.5 grams"}, {1, 903, did, "went from 1,7 to 2,7"}, {1, 904, did, "ate 1 mouthfuls on 2,7, 0.5 grams"}}},
		{"a walk within its cell", slices.Concat(many(1, walk), many(10, rest)), nil},
		{"parcels", slices.Concat(many(2, eat), many(1, Intent{Act: beast.Hand, Who: 2})),
			[]Row{{1, 902, did, "ate 2 mouthfuls on 1,7, 1.0 grams"}}},
	}
	for _, c := range cases {
		r := born(t)
		place(r, 1, sim.Coord{X: 1, Y: 7}, 0, 100*sim.Gram)
		place(r, 2, sim.Coord{X: 0, Y: 7}, 8, 100*sim.Gram)
		for _, in := range c.acts {
			post(t, r, 2, rest)
			post(t, r, 1, in)
			r.Step()
		}
		if got := r.Stream(1); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
		if got := r.Pending(1); got != len(c.want) {
			t.Errorf("%s: %d pending", c.name, got)
		}
	}
}

func many(n int, in Intent) []Intent { return slices.Repeat([]Intent{in}, n) }

func TestWhoComesIntoSightIsWrittenDownOnce(t *testing.T) {
	r := born(t)
	place(r, 1, sim.Coord{X: 1, Y: 7}, 0, 100*sim.Gram)
	place(r, 3, sim.Coord{X: 3, Y: 7}, 4, 100*sim.Gram)
	place(r, 2, sim.Coord{X: 4, Y: 7}, 4, 100*sim.Gram)
	step := func(heading int) {
		for id := range sim.EntityID(3) {
			post(t, r, id+1, Intent{Act: beast.Rest})
		}
		r.Body(1).Heading = heading
		r.Step()
	}
	for range 3 {
		step(0)
	}
	step(8)
	step(0)
	want := []Row{
		{1, 901, saw, "Ander came into sight, 3.0 cells off"}, {1, 901, saw, "Mose came into sight, 2.0 cells off"},
		{1, 905, saw, "Ander came into sight, 3.0 cells off"}, {1, 905, saw, "Mose came into sight, 2.0 cells off"},
	}
	if got := r.Stream(1); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if _, err := r.Spawn("browser", sim.Coord{X: 2, Y: 7}, 0, sim.Gram); err != nil {
		t.Fatal(err)
	}
	step(0)
	if got := r.Stream(1); got[len(got)-1] != (Row{1, 906, saw, "a browser came into sight, 1.0 cells off"}) {
		t.Errorf("the last row is %v", got[len(got)-1])
	}
}

func TestRowsArePendingUntilAPromptTakesThemOver(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	stream := r.Stream(2)
	if got := r.Pending(2); got != len(stream) || got != 5 {
		t.Fatalf("%d pending of %d", got, len(stream))
	}
	if got := r.handOver(2); !slices.Equal(got, stream) || r.Pending(2) != 0 {
		t.Errorf("%d were handed over, and %d are pending", len(got), r.Pending(2))
	}
	if got := r.handOver(2); len(got) != 0 {
		t.Errorf("%d were handed over twice", len(got))
	}
	live(t, r, 1600)
	if got := r.Pending(2); got != len(r.Stream(2))-5 || got == 0 {
		t.Errorf("%d are pending of %d", got, len(r.Stream(2)))
	}
	if !slices.Equal(r.known(2).person.handed, stream) || !slices.Equal(r.Stream(2)[:5], stream) {
		t.Error("memory is not what was handed over")
	}
	if len(r.handOver(9)) != 0 || r.Pending(9) != 0 || r.Stream(9) != nil || r.Open(9) != nil {
		t.Error("nobody has a stream")
	}
}

// What is under way is shown as it would be written, and not written.
func TestWhatIsUnderWayIsShownAndNotWritten(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	before := r.Digest()
	want := []Row{{2, 1400, did, "ate 45 mouthfuls on 8,5, 22.5 grams"}}
	if got := r.Open(2); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if r.Digest() != before || r.Pending(2) != 5 {
		t.Error("to look has changed the world")
	}
}
