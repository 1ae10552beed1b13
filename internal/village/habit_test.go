package village

import (
	"testing"

	"torve/internal/beast"
	"torve/internal/sim"
)

// alone is a world of Halla and Ander: she stands on her post of the hour and looks the other
// way, or where a case puts her; he is out of her reach, or beside her with a store.
func alone(t *testing.T, own, his, crop int64, c sim.Coord) (*Roster, *body) {
	t.Helper()
	r := born(t)
	r.Remove(3)
	her, him := r.alive(1), r.alive(2)
	her.Store = own
	her.Place(c, 12)
	him.Place(sim.Coord{X: 0, Y: 8}, 0)
	if his >= 0 {
		him.Store = his
		him.Place(sim.Coord{X: c.X + 1, Y: c.Y}, 0)
	}
	r.valley.Bed.SetCrop(c, crop)
	r.settle()
	return r, her
}

func TestAHabitKeepsToItsFigures(t *testing.T) {
	post, off := sim.Coord{X: 8, Y: 1}, sim.Coord{X: 8, Y: 7}
	const away = -1
	for name, c := range map[string]struct {
		own, his, crop int64
		on             sim.Coord
		giving         bool
		want           beast.Act
	}{
		"gives from 120 g on to one with 40 g less":      {own: generous, his: generous - gapOpen, on: post, want: beast.Hand},
		"gives nothing below 120 g":                      {own: generous - 1, his: 0, on: post, want: beast.TurnRight},
		"gives nothing over a smaller gap":               {own: generous, his: generous - gapOpen + 1, on: post, want: beast.TurnRight},
		"goes on giving while the gap is 30 g":           {own: generous, his: generous - gapShut, on: post, giving: true, want: beast.Hand},
		"gives no more over less than 30 g":              {own: generous, his: generous - gapShut + 1, on: post, giving: true, want: beast.TurnRight},
		"turns while it can pay a rest after it":         {own: 2800, his: away, on: post, want: beast.TurnRight},
		"rests where a turn would leave it short":        {own: 2799, his: away, on: post, want: beast.Rest},
		"goes home over a mouthful from 10 g on":         {own: starving, his: away, crop: beast.Mouthful, on: off, want: beast.Walk},
		"eats the mouthful under its feet below 10 g":    {own: starving - 1, his: away, crop: beast.Mouthful, on: off, want: beast.Graze},
		"goes home below 10 g where there is none":       {own: starving - 1, his: away, crop: beast.Mouthful - 1, on: off, want: beast.Walk},
		"walks not where it could not pay a rest behind": {own: 6799, his: away, on: off, want: beast.Rest},
		"walks with the price of a walk and of a rest":   {own: 6800, his: away, on: off, want: beast.Walk},
	} {
		r, her := alone(t, c.own, c.his, c.crop, c.on)
		her.person.giving = c.giving
		if got := r.habit(her); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

// Nobody walks between: who drives a world between two ticks may stand a body elsewhere.
func TestAMealOnAnotherCellIsAnotherRow(t *testing.T) {
	r, her := alone(t, 50*sim.Gram, -1, 100*sim.Gram, sim.Coord{X: 8, Y: 1})
	for _, x := range []int{8, 9} {
		her.Place(sim.Coord{X: x, Y: 1}, 4)
		if err := r.Post(1, Intent{Act: beast.Graze}); err != nil {
			t.Fatal(err)
		}
		r.Step()
	}
	rows := append(r.Stream(1), r.Open(1)...)
	if len(rows) != 2 || rows[0].Text != "ate 1 mouthfuls on 8,1, 0.5 grams" || rows[1].Text != "ate 1 mouthfuls on 9,1, 0.5 grams" {
		t.Errorf("%+v", rows)
	}
}
