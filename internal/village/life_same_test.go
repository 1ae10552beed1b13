package village

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"torve/configs"
	"torve/internal/beast"
	"torve/internal/law"
	"torve/internal/sim"
)

// recorded are the answers of the recorded day, by villager and tick.
func recorded(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := configs.Files.ReadFile(configs.Day)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := configs.Decode[[]map[string]any](configs.Day, text)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]byte{}
	for _, row := range rows {
		if row["schema"] == true {
			answers[fmt.Sprint(row["villager"], row["tick"])] = []byte(row["answer"].(string))
		}
	}
	return answers
}

// liveDay lives the valley from its first tick with animals in it that are posted anything,
// and with the recorded plans as far as they are accepted, and gives the digest every hundred
// ticks. At boundaries that are drawn the world is put away as bytes and restored.
func liveDay(answers map[string][]byte, how Thought, restore *dice) (digests []string, err error) {
	r, err := New()
	if err != nil {
		return nil, err
	}
	d := newDice(1402)
	for range 4 {
		if _, err := r.Spawn("browser", sim.Coord{X: 7 + d.roll(5), Y: 6 + d.roll(3)}, d.roll(beast.Headings), 200*sim.Gram); err != nil {
			return nil, err
		}
	}
	var drives []*Drive
	for r.Tick() < 3300 {
		if r.Tick()%how.Every == 400 {
			if drives, err = plans(r, answers, how); err != nil {
				return nil, err
			}
		}
		for _, drive := range drives {
			if _, err := drive.Post(); err != nil {
				return nil, err
			}
		}
		for _, o := range r.bodies {
			if o.person == nil {
				_ = r.Post(o.ID, Intent{Act: beast.Act(d.roll(int(beast.Take) + 1)), Who: sim.EntityID(d.roll(8))})
			}
		}
		if restore != nil && restore.roll(100) == 0 {
			if r, err = reborn(r, drives); err != nil {
				return nil, err
			}
		}
		r.Step()
		if r.Tick()%100 == 0 {
			digests = append(digests, r.Digest())
		}
	}
	return digests, nil
}

// plans asks all three and gives the plans that were accepted, on their way.
func plans(r *Roster, answers map[string][]byte, how Thought) (drives []*Drive, err error) {
	for _, v := range r.Villagers() {
		q, err := r.Ask(v.ID, how)
		if err != nil {
			return nil, err
		}
		p, err := ReadPlan(answers[fmt.Sprint(v.Name, r.Tick())])
		if err != nil {
			continue
		}
		reading, err := r.Reading(v.ID)
		if err != nil {
			return nil, err
		}
		terms := law.Terms{Caps: how.Caps, Law: law.Lawless{}, Stale: 200}
		proposal := law.Proposal{Plan: p, Asked: q.Tick, Set: q.Set, Profile: v.Profile}
		if !law.Validate(proposal, terms, reading).OK {
			continue
		}
		drive, err := r.Drive(v.ID, proposal, terms)
		if err != nil {
			return nil, err
		}
		drives = append(drives, drive)
	}
	return drives, nil
}

// reborn is the world again from its own bytes, and the drives go on in it.
func reborn(r *Roster, drives []*Drive) (*Roster, error) {
	s, err := ParseState(r.State().Bytes())
	if err != nil {
		return nil, err
	}
	back, err := Restore(s)
	for _, drive := range drives {
		drive.world = back
	}
	return back, err
}

// Where that life is when the plans of 1400 begin, and at its end, on every machine.
const (
	at1400 = "4d69a48a194bf74dddb8282c8271fc8484ad039bd598ceb4cac302ac884ee035"
	at3300 = "75759ac3ddf8e7c614d04ba02383d9b86e39d1752794daae2525a74aa9320fbf"
)

// The same life, by one processor and by two, many at once, put away and restored wherever it
// is: it is at the same bytes at every boundary that was looked at.
func TestTheSameLifeComesToTheSameBytes(t *testing.T) {
	answers, how := recorded(t), how(t)
	want, err := liveDay(answers, how, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != 24 || len(slices.Compact(slices.Sorted(slices.Values(want)))) != 24 {
		t.Fatalf("%d digests: %v", len(want), want)
	}
	if want[4] != at1400 || want[23] != at3300 {
		t.Errorf("it is at %s, and at the end at %s", want[4], want[23])
	}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, processors := range []int{1, 2} {
		runtime.GOMAXPROCS(processors)
		var lives sync.WaitGroup
		for i := range 4 {
			lives.Go(func() {
				var restore *dice
				if i > 0 {
					restore = newDice(uint64(i))
				}
				got, err := liveDay(answers, how, restore)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("life %d by %d processors: %v, and it is at %v", i, processors, err, got)
				}
			})
		}
		lives.Wait()
	}
}
