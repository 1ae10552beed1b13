package village

import (
	"slices"
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

// Whoever stands anywhere, the index finds whom asking each of all would find.
func TestTheIndexFindsWhomAskingEverybodyWouldFind(t *testing.T) {
	r := wide(t, 60)
	d := newDice(11)
	bed := r.valley.Bed
	for round := range 60 {
		for _, b := range r.Bodies() {
			switch d.roll(4) {
			case 0:
				b.Place(sim.Coord{X: d.roll(bed.W), Y: d.roll(bed.H)}, d.roll(beast.Headings))
			case 1:
				b.X, b.Y = d.roll(bed.W*beast.Cell), d.roll(bed.H*beast.Cell)
			case 2: // off the grid: nobody finds it there, and it finds no harm
				if d.roll(20) == 0 {
					b.X = -1 - d.roll(3000)
				}
			}
			b.Store = 100 * sim.Gram
		}
		if round%3 == 0 {
			r.Step()
		}
		if round%20 == 0 {
			r.Remove(r.Bodies()[d.roll(len(r.Bodies()))].ID)
		}
		for _, b := range r.Bodies() {
			var sees, near []sim.EntityID
			for _, o := range r.Bodies() {
				if b.Sees(o) && bed.In(o.Cell()) {
					sees = append(sees, o.ID)
				}
				if b.Reaches(o) && bed.In(o.Cell()) {
					near = append(near, o.ID)
				}
			}
			if got := r.Sees(b.ID); !slices.Equal(got, sees) {
				t.Fatalf("round %d: body %d on %v sees %v, not %v", round, b.ID, b.Cell(), got, sees)
			}
			var got []sim.EntityID
			for _, o := range r.View().Near(b) {
				got = append(got, o.ID)
			}
			if !slices.Equal(got, near) {
				t.Fatalf("round %d: body %d on %v reaches %v, not %v", round, b.ID, b.Cell(), got, near)
			}
		}
	}
}
