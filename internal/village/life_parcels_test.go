package village

import (
	"testing"

	"pgregory.net/rapid"

	"torve/internal/law"
)

// Whoever walks away before the parcel comes gets none, and nobody else gets it in his place:
// the law was asked about the body that the step names.
func TestAParcelOfAPlanComesFromAndGoesToNobodyElse(t *testing.T) {
	from, how, moved := mornings(t), how(t), 0
	rapid.Check(t, func(t *rapid.T) {
		r, d := somewhere(t, from)
		terms := law.Terms{Caps: how.Caps, Law: law.Lawless{}, Stale: 200}
		for _, v := range r.Villagers() {
			if drive := land(t, r, v.ID, terms, how, d); drive != nil {
				moved += parcels(t, r, drive, d)
			}
		}
	})
	t.Logf("%d parcels", moved)
	if moved == 0 {
		t.Error("nothing was moved")
	}
}

// parcels lives a plan while everybody else does anything, and counts the parcels it moved.
func parcels(t *rapid.T, r *Roster, drive *Drive, d *dice) (moved int) {
	for {
		on, err := drive.Post()
		if err != nil {
			t.Fatal(err)
		}
		if !on {
			return moved
		}
		s, posted := drive.now().Step, drive.parcel
		pester(r, d)
		r.Step()
		for _, deal := range r.dealings {
			if !posted || deal.by != drive.id || deal.tick != r.tick {
				continue
			}
			if moved++; deal.with != s.Who || deal.took != (s.Verb == law.Take) {
				t.Fatalf("%+v in tick %d: a parcel with body %d", s, r.Tick()-1, deal.with)
			}
		}
		if drive.Done(); drive.now().Grams > s.Grams {
			t.Fatalf("%+v moved %g grams", s, drive.now().Grams)
		}
	}
}
