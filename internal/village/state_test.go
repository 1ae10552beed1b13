package village

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"torve/internal/beast"
	"torve/internal/sim"
)

func TestTheStatesDigestIsTheSameOnEveryMachine(t *testing.T) {
	r := born(t)
	for _, want := range []struct {
		tick   int
		digest string
	}{
		{900, "41a2a126f70455a22d5afdddf83335fa935652e5d46061e7416a5a0e7c3bea79"},
		{901, "1fa7b7d05158ada667aa1dba56615e3dd1be38bd959c3c322c1239f3610c5110"},
		{1400, "3838b51f7643f9d2dbc8d06460fa40add1d9a9d8fe0cbebd08ce3c97267dec3a"},
		{1521, "28fecbb83dc03fa2aa3196fb81f2177df1ec081b7b902cd1ce1afe8370db8669"},
		{1857, "ecdfec463add0c7e53832fb292a893778dee1b8e40793c261788c679b16ca7f7"},
		{2400, "9a65cae516a8f73dd113a3eb6d68e3532ebd4665be81a712fc00f2faed9181c4"},
		{3300, "17b98e738fe2749c7f07bd27a5705de972683562b88ea56de47e419e2d095b22"},
		{4500, "9bd469d134aa2454d32138b4a1a2c6d8c1cca2cf052c023dc05ba85ae08f00ab"},
		{36900, "b6058e260096eba22fd9756cd9379e7b67513c8839a276b11cdd05eae86cd8ed"},
		{108900, "643f57391267b04048d6545356ab5efaace44f3f2e7fb55ba92ecbc0599545ef"},
	} {
		live(t, r, want.tick)
		for id := range sim.EntityID(3) {
			r.handOver(id + 1)
		}
		if got := r.Digest(); got != want.digest {
			t.Errorf("{%d, %q},", want.tick, got)
		}
	}
}

// The bytes themselves, so that a change of their form is seen.
func TestAStateIsShortAndReadable(t *testing.T) {
	r := born(t)
	live(t, r, 1400)
	r.handOver(2)
	live(t, r, 1857)
	if _, err := r.Spawn("browser", sim.Coord{X: 0, Y: 0}, 4, sim.Gram); err != nil {
		t.Fatal(err)
	}
	post(t, r, 1, Intent{Act: beast.Hand, Who: 2})
	r.Remove(4)
	if _, err := r.Spawn("browser", sim.Coord{X: 11, Y: 8}, 8, 100*sim.Gram); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/state.golden", r.State().Bytes())
}

func TestAStateIsReadBackAsItWasWritten(t *testing.T) {
	r := born(t)
	for tick := 900; tick < 900+Day; tick += 97 {
		live(t, r, tick)
		text := r.State().Bytes()
		s, err := ParseState(text)
		if err != nil {
			t.Fatalf("tick %d: %v", tick, err)
		}
		if again := s.Bytes(); !bytes.Equal(again, text) {
			t.Fatalf("tick %d: it is written otherwise:\n%s", tick, again)
		}
		back, err := Restore(s)
		if err != nil {
			t.Fatal(err)
		}
		if back.Digest() != r.Digest() {
			t.Fatalf("tick %d: what is restored has another digest", tick)
		}
	}
}

func TestAStateIsACopy(t *testing.T) {
	r := born(t)
	live(t, r, 1450)
	s := r.State()
	before := s.Bytes()
	back, err := Restore(s)
	if err != nil {
		t.Fatal(err)
	}
	live(t, r, 2000)
	live(t, back, 2000)
	if !bytes.Equal(s.Bytes(), before) {
		t.Error("a world that lives on changes the state that it gave or was made of")
	}
}

// Whatever happens to a world, what is restored of its state lives on as it does.
func TestARestoredWorldLivesOnAsTheOneItIsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, err := New()
		if err != nil {
			t.Fatal(err)
		}
		seed := newDice(rapid.Uint64().Draw(t, "seed"))
		if err := r.Run(900 + rapid.IntRange(0, 2400).Draw(t, "quiet")); err != nil {
			t.Fatal(err)
		}
		meddle(r, seed, rapid.IntRange(0, 300).Draw(t, "busy"))
		for _, b := range r.Bodies() {
			if seed.roll(2) == 0 {
				_ = r.Post(b.ID, Intent{Act: beast.Act(seed.roll(int(beast.Take) + 1)), Who: sim.EntityID(seed.roll(4))})
			}
		}
		s, err := ParseState(r.State().Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, r.State().Bytes())
		}
		back, err := Restore(s)
		if err != nil {
			t.Fatal(err)
		}
		same := *seed
		ticks := rapid.IntRange(0, 300).Draw(t, "more")
		meddle(r, seed, ticks)
		meddle(back, &same, ticks)
		if got, want := back.State().Bytes(), r.State().Bytes(); !bytes.Equal(got, want) {
			t.Fatalf("restored:\n%s\nas it was:\n%s", got, want)
		}
	})
}

// meddle lives some ticks in which anything may happen to anybody.
func meddle(r *Roster, d *dice, ticks int) {
	for range ticks {
		for _, b := range r.Bodies() {
			switch d.roll(40) {
			case 0:
				b.Place(sim.Coord{X: 5 + d.roll(3), Y: 6 + d.roll(3)}, d.roll(beast.Headings))
			case 1:
				b.Store = min(b.Kind.Cap, int64(d.roll(310*int(sim.Gram))))
			case 2:
				b.Store = int64(d.roll(3000))
			case 3:
				r.handOver(b.ID)
			case 4:
				_, _ = r.Spawn("browser", sim.Coord{X: d.roll(12), Y: d.roll(9)}, d.roll(beast.Headings), sim.Gram)
			case 5:
				if d.roll(10) == 0 {
					r.Remove(b.ID)
				}
			default:
				_ = r.Post(b.ID, Intent{Act: beast.Act(d.roll(int(beast.Take) + 1)), Who: sim.EntityID(d.roll(5))})
			}
		}
		r.Step()
	}
}

// What is read is written as it was read, and lives.
func FuzzParseState(f *testing.F) {
	r, err := New()
	if err != nil {
		f.Fatal(err)
	}
	for _, ticks := range []int{0, 957, 43} {
		if err := r.Run(r.Tick() + ticks); err != nil {
			f.Fatal(err)
		}
		f.Add(r.State().Bytes())
	}
	d := newDice(3)
	meddle(r, d, 60)
	f.Add(r.State().Bytes())
	f.Add(tiny(f).State().Bytes())
	f.Add([]byte(`{"tick": 0, "next": 1, "valley": {"rows": ["."]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseState(text)
		if err != nil {
			return
		}
		if !bytes.Equal(s.Bytes(), text) {
			t.Fatalf("it is written otherwise:\n%s", s.Bytes())
		}
		r, err := Restore(s)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(r.State().Bytes(), text) {
			t.Fatalf("what is restored is another:\n%s", r.State().Bytes())
		}
		if len(s.Bodies) > 100 {
			return
		}
		for range 20 {
			r.Step()
		}
		if _, err := ParseState(r.State().Bytes()); err != nil {
			t.Fatalf("what it lived to is no state: %v", err)
		}
	})
}
