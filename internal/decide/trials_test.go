package decide

import (
	"io"
	"testing"

	"torve/internal/law"
	"torve/internal/sim"
	"torve/internal/village"
)

// Whoever is asked and whenever: what is tried is refused, and what cannot be tried says why.
func TestNoTrialIsEverAccepted(t *testing.T) {
	plans := []law.Plan{
		{Steps: []law.Step{{Verb: law.Wait}}},
		{Steps: []law.Step{{Verb: law.Go, Where: to(9, 5)}, {Verb: law.Wait}}},
		{Steps: []law.Step{{Verb: law.Wait}, {Verb: law.Wait}, {Verb: law.Wait}, {Verb: law.Wait}, {Verb: law.Wait}}},
	}
	for _, reversed := range []bool{false, true} {
		b, err := open(io.Discard, Options{Mode: "refuse", Law: law.Lawless{}, Reversed: reversed})
		if err != nil {
			t.Fatal(err)
		}
		tried, not := 0, map[string]int{}
		for tick := b.first; tick < b.first+village.Day; tick += 100 {
			if err := b.until(t.Context(), tick); err != nil {
				t.Fatal(err)
			}
			for _, v := range b.world.Villagers() {
				for _, p := range plans {
					one, other := b.each6(t, v, p)
					tried += one
					for _, why := range other {
						not[why]++
					}
				}
			}
		}
		if tried < 500 || len(not) == 0 {
			t.Errorf("%d were tried, and not %v", tried, not)
		}
	}
}

// each6 tries the six at this boundary.
func (b *bench) each6(t *testing.T, v village.Villager, p law.Plan) (tried int, not []string) {
	t.Helper()
	r, err := b.world.Reading(v.ID)
	if err != nil {
		t.Fatal(err)
	}
	proposal := law.Proposal{Plan: p, Asked: r.Tick, Set: []sim.EntityID{1, 2, 3}, Profile: v.Profile}
	if j := b.judge(proposal, r); !j.OK {
		t.Fatalf("tick %d, %s: the plan itself is %s", r.Tick, v.Name, j)
	}
	all := b.trials(v, p, proposal.Set, r)
	if len(all) != 6 {
		t.Fatalf("%d trials", len(all))
	}
	for _, one := range all {
		if one.why != "" {
			not = append(not, one.why)
			continue
		}
		tried++
		proposal.Plan = one.plan
		if j := b.judge(proposal, one.reading); j.OK {
			t.Errorf("tick %d, %s: %s is accepted", r.Tick, v.Name, one.title)
		}
	}
	if j := b.judge(law.Proposal{Plan: p, Asked: r.Tick, Set: proposal.Set, Profile: v.Profile}, r); !j.OK {
		t.Errorf("tick %d, %s: a trial has changed the plan or the reading", r.Tick, v.Name)
	}
	return tried, not
}

func TestATrialThatIsAcceptedIsOdd(t *testing.T) {
	b := &bench{page: page{w: io.Discard}}
	if err := b.counted(5, 1, 0); err == nil || err.Error() != ErrOdd.Error()+": 1 of the changed plans accepted" {
		t.Errorf("it is %v", err)
	}
	if err := b.counted(6, 0, 0); err != nil {
		t.Error(err)
	}
}

func TestThePondIsTheWidestWaterBetweenTwoBanks(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want pond
		is   bool
	}{
		"one of two":       {[]string{".~..", "~~~.", ".~~."}, pond{*to(0, 2), *to(1, 2), *to(3, 2)}, true},
		"the first of two": {[]string{".~.~.", "....."}, pond{*to(0, 0), *to(1, 0), *to(2, 0)}, true},
		"no bank behind":   {[]string{"..~~"}, pond{}, false},
		"no water":         {[]string{"...."}, pond{}, false},
	} {
		bed, err := sim.NewBed(c.rows, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, is := pondOf(bed); is != c.is || is && got != c.want {
			t.Errorf("%s: %+v, %v", name, got, is)
		}
	}
}
