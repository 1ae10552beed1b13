package village

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// Where nobody else does more than turn and rest, the world never refuses the act that a step
// begins with at the tick for which it was checked: on arrival for the first, when due for
// each.
func TestNoAcceptedPlanMakesTheWorldRefuseAtTheTickItWasCheckedFor(t *testing.T) {
	from, how, first, later := mornings(t), how(t), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r, d := somewhere(t, from)
		terms := law.Terms{Caps: how.Caps, Law: law.Lawless{}, Stale: 200}
		for _, v := range r.Villagers() {
			drive := land(t, r, v.ID, terms, how, d)
			if drive == nil {
				continue
			}
			for {
				on, err := drive.Post()
				if err != nil {
					t.Fatal(err)
				}
				if !on {
					break
				}
				rests(t, r, v.ID, d)
				before, due := r.Counts(v.ID), drive.due()
				r.Step()
				if due && r.Counts(v.ID).Refused != before.Refused {
					t.Fatalf("step %+v, due at tick %d: %v", drive.now().Step, r.Tick()-1, r.Reports())
				}
				switch {
				case due && drive.now().N == 1:
					first++
				case due:
					later++
				}
			}
		}
	})
	t.Logf("%d plans began, and %d steps behind the first came due and were let through", first, later)
	if first == 0 || later == 0 {
		t.Error("nothing was asked")
	}
}

// rests has everybody but one turn or rest in the next tick.
func rests(t *rapid.T, r *Roster, but sim.EntityID, d *dice) {
	for _, b := range r.bodies {
		if b.ID != but {
			if err := r.Post(b.ID, Intent{Act: beast.Act(d.roll(int(beast.TurnRight) + 1))}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Where others act in the same tick, it refuses only what one of them has changed whose turn
// came earlier: a store that was taken from, or a neighbour that walked away. No ground is
// gone, and no act is unknown.
func TestAnAcceptedStepIsRefusedOnlyForWhatAnEarlierBodyDidInThatTick(t *testing.T) {
	from, how := mornings(t), how(t)
	passed, broke, left := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r, d := somewhere(t, from)
		terms := law.Terms{Caps: how.Caps, Law: law.Lawless{}, Stale: 200}
		var drives []*Drive
		for _, v := range r.Villagers() {
			if drive := land(t, r, v.ID, terms, how, d); drive != nil {
				drives = append(drives, drive)
			}
		}
		for under := len(drives); under > 0; {
			var due []*Drive
			under = 0
			for _, drive := range drives {
				on, err := drive.Post()
				if err != nil {
					t.Fatal(err)
				}
				if on {
					under++
				}
				if on && drive.due() {
					due = append(due, drive)
				}
			}
			near := map[sim.EntityID][]sim.EntityID{}
			for _, drive := range due {
				near[drive.id] = jostle(t, r, drive.id, d)
			}
			pester(r, d)
			r.Step()
			for _, drive := range due {
				no := refusal(r, drive.id)
				switch {
				case no == nil:
					passed++
				case errors.Is(no, beast.ErrBroke) && tookEarlier(r, drive.id):
					broke++
				case errors.Is(no, beast.ErrNobody) && walkedEarlier(r, drive.id, near[drive.id]):
					left++
				default:
					t.Fatalf("step %+v, due at tick %d: %v", drive.now().Step, r.Tick()-1, no)
				}
			}
		}
	})
	t.Logf("%d steps began; %d could not pay any more, and %d had nobody any more", passed, broke, left)
	if passed == 0 {
		t.Error("nothing was asked")
	}
}

func TestWhatAnEarlierBodyTakesOrLeavesIsRefusedInTheTick(t *testing.T) {
	for _, c := range []struct {
		name  string
		store int64 // of Ander, on 9,1, who looks east; Halla is on 8,1 and looks west
		step  law.Step
		halla Intent
		want  string
	}{
		{"taken", 10_000, law.Step{Verb: law.Go, Where: &sim.Coord{X: 11, Y: 1}}, Intent{Act: beast.Take, Who: 2}, "creature 2 at 9,1 cannot walk: the store cannot pay for it"},
		{"left", sim.Gram, law.Step{Verb: law.Hand, Who: 1, Grams: 1}, Intent{Act: beast.Walk}, "creature 2 at 9,1 cannot hand: there is nobody inside reach"},
		{"stayed", sim.Gram, law.Step{Verb: law.Hand, Who: 1, Grams: 1}, Intent{Act: beast.TurnLeft}, ""},
	} {
		r := born(t)
		place(r, 1, sim.Coord{X: 8, Y: 1}, 8, 100*sim.Gram)
		r.Body(1).X -= beast.Cell / 2
		place(r, 2, sim.Coord{X: 9, Y: 1}, 0, c.store)
		p := law.Proposal{Plan: law.Plan{Steps: []law.Step{c.step}}, Asked: 900, Set: []sim.EntityID{1, 2, 3}}
		drive, err := r.Drive(2, p, law.Terms{Caps: how(t).Caps, Law: law.Lawless{}, Stale: 200})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := drive.Post(); err != nil || !drive.due() {
			t.Fatalf("%s: %v, %+v", c.name, err, drive.Done())
		}
		post(t, r, 1, c.halla)
		r.Step()
		got := ""
		if no := refusal(r, 2); no != nil {
			got = no.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// jostle has some of those near a body, whose slots are empty, walk away or take from it, and
// gives all who are near.
func jostle(t *rapid.T, r *Roster, id sim.EntityID, d *dice) (near []sim.EntityID) {
	for _, o := range r.neighbours(&r.alive(id).Beast) {
		near = append(near, o.ID)
	}
	for _, o := range near {
		if in := (Intent{Act: beast.Walk}); r.alive(o).slot == nil && d.roll(3) > 0 {
			if d.roll(2) == 0 {
				in = Intent{Act: beast.Take, Who: id}
			}
			if err := r.Post(o, in); err != nil {
				t.Fatal(err)
			}
		}
	}
	return near
}

// refusal is the world's no to a body in the last tick.
func refusal(r *Roster, id sim.EntityID) error {
	for _, no := range r.Reports() {
		if no.ID == id {
			return no
		}
	}
	return nil
}

// tookEarlier reports whether a body whose turn came before took a parcel out of these hands.
func tookEarlier(r *Roster, id sim.EntityID) bool {
	return slices.ContainsFunc(r.bodies, func(o *body) bool {
		return o.ID < id && o.last == beast.Take && o.deed.grams > 0
	})
}

// walkedEarlier reports whether all who were near had their turn before and walked.
func walkedEarlier(r *Roster, id sim.EntityID, near []sim.EntityID) bool {
	return !slices.ContainsFunc(near, func(o sim.EntityID) bool {
		return o > id || r.known(o).last != beast.Walk
	})
}
