package village

import (
	"slices"
	"testing"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// Whoever is made to turn on the spot until its store is empty is buried and stays what it was
// to the others; they live on their habits for thirty days, and the world refuses them nothing.
func TestWhoIsDrivenToStarveIsBuriedAndTheOthersGoOn(t *testing.T) {
	for _, starved := range []sim.EntityID{1, 2, 3} {
		r := born(t)
		live(t, r, 1000)
		for r.Body(starved) != nil {
			post(t, r, starved, Intent{Act: beast.TurnRight})
			onlyRefused(t, r, starved)
		}
		stream := r.Stream(starved)
		for r.Tick() < 900+30*Day {
			onlyRefused(t, r, starved)
		}
		graves := r.Buried()
		if len(graves) != 1 || graves[0].ID != starved || len(r.Bodies()) != 2 {
			t.Fatalf("of driving body %d: buried %+v, %d alive", starved, graves, len(r.Bodies()))
		}
		if got := r.Stream(starved); len(got) == 0 || !slices.Equal(got, stream) {
			t.Errorf("of its stream %v is left: %v", stream, got)
		}
		if c := graves[0].Counts; c.Taken != c.Acts[beast.TurnRight]+c.Refused || c.Habit != 100 {
			t.Errorf("it counted %+v", c)
		}
		for _, v := range r.Villagers() {
			if q := ask(t, r, v.ID); !slices.Contains(q.Set, starved) {
				t.Errorf("%s knows %v", v.Name, q.Set)
			}
		}
	}
}

// onlyRefused lives a tick in which the world refuses nothing but to one body.
func onlyRefused(t *testing.T, r *Roster, id sim.EntityID) {
	t.Helper()
	r.Step()
	for _, no := range r.Reports() {
		if no.ID != id {
			t.Fatalf("tick %d: %v", r.Tick(), no)
		}
	}
}

// A plan may starve its villager. It ends with the body, and the drives of others go on.
func TestAPlanThatStarvesItsBodyEndsAndTheOthersGoOn(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	r.Body(2).Store = 5 * sim.Gram
	terms := law.Terms{Caps: how(t).Caps, Law: law.Lawless{}, Stale: 200}
	walk := law.Plan{Steps: []law.Step{{Verb: law.Go, Where: &sim.Coord{X: 8, Y: 0}}, {Verb: law.Wait}}}
	var drives []*Drive
	for _, id := range []sim.EntityID{1, 2} {
		drive, err := r.Drive(id, law.Proposal{Plan: walk, Asked: 1400, Set: []sim.EntityID{1, 2, 3}}, terms)
		if err != nil {
			t.Fatal(err)
		}
		drives = append(drives, drive)
	}
	for range 60 {
		for i, drive := range drives {
			on, err := drive.Post()
			if err != nil || on != (i == 0 || r.Body(2) != nil) {
				t.Fatalf("tick %d, drive %d: %v, %v", r.Tick(), i+1, on, err)
			}
		}
		r.Step()
	}
	long, short := drives[0].Done(), drives[1].Done()
	if len(long) != 2 || long[1].Posted != 20 || len(short) != 1 || short[0].Posted != short[0].Counts.Taken || short[0].Posted == 40 {
		t.Errorf("%+v\n%+v", long, short)
	}
	if g := r.Buried(); len(g) != 1 || g[0].ID != 2 || g[0].Tick >= 1440 {
		t.Errorf("buried: %+v", g)
	}
}
