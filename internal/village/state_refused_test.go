package village

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"torve/internal/sim"
)

// noWorlds are states that no world can have, each one wrong thing away from the valley at
// tick 1857, when Ander has parcels in his hands for Mose, and a browser stands in the corner.
var noWorlds = []struct {
	want  string
	wrong func(*State)
}{
	{"tick -1: a world's ticks are", func(s *State) { s.Tick = -1 }},
	{"next body 0: ids are", func(s *State) { s.Next = 0 }},
	{"body 4 behind body 3, and the next is 4: bodies go by id, each once", func(s *State) { s.Next = 4 }},
	{"body 2 behind body 2", func(s *State) { s.Bodies[2].ID = 2 }},
	{"body 1 behind body 2", func(s *State) { s.Bodies[0], s.Bodies[1] = s.Bodies[1], s.Bodies[0] }},
	{`body 4 is a "heron", which is no kind`, func(s *State) { s.Bodies[3].Kind = "heron" }},
	{"body 4: x 12288, y 8704 is off the grid", func(s *State) { s.Bodies[3].X = 12 * 1024 }},
	{"body 4: x -1, y 8704 is off the grid", func(s *State) { s.Bodies[3].X = -1 }},
	{"body 4: 3,3 is open water", func(s *State) { s.Bodies[3].X, s.Bodies[3].Y = 3*1024, 3*1024 }},
	{"body 4: heading 16", func(s *State) { s.Bodies[3].Heading = 16 }},
	{"body 4: a store of -0.0001 g: a browser carries 0 to 300.0000 g", func(s *State) { s.Bodies[3].Store = -1 }},
	{"body 4: a store of 300.0001 g", func(s *State) { s.Bodies[3].Store = 3_000_001 }},
	{`body 4: last act "fly" is not in the action table`, func(s *State) { s.Bodies[3].Last = "fly" }},
	{`body 4: its slot holds "fly" with body 0`, func(s *State) { s.Bodies[3].Slot = &SlotState{Act: "fly"} }},
	{`body 4: its slot holds "hand" with body 5`, func(s *State) { s.Bodies[3].Slot = &SlotState{Act: "hand", Who: 5} }},
	{"body 4: a count of -1", func(s *State) { s.Bodies[3].Counts.Acts[2] = -1 }},
	{"body 4: a count of -2", func(s *State) { s.Bodies[3].Counts.Habit = -2 }},
	{"bodies 1 and 2 are both called HALLA", func(s *State) { s.Bodies[1].Villager.Name = "HALLA" }},
	{`body 1: name ""`, func(s *State) { s.Bodies[0].Villager.Name = "" }},
	{`body 1: name "Hal\nla"`, func(s *State) { s.Bodies[0].Villager.Name = "Hal\nla" }},
	{`body 1: profile " x"`, func(s *State) { s.Bodies[0].Villager.Profile = " x" }},
	{"body 1: no rounds", func(s *State) { s.Bodies[0].Villager.Rounds = nil }},
	{"body 1: round 1 is from tick 7: the first is from 0", func(s *State) { s.Bodies[0].Villager.Rounds[0].From = 7 }},
	{"body 1: round 3 is from tick 1150 of the day, behind 1150", func(s *State) { s.Bodies[0].Villager.Rounds[2].From = 1150 }},
	{"body 1: round 6 is from tick 3600", func(s *State) { s.Bodies[0].Villager.Rounds[5].From = 3600 }},
	{"body 1: round 2 is on 2,3, which is open water", func(s *State) { s.Bodies[0].Villager.Rounds[1].Cell = sim.Coord{X: 2, Y: 3} }},
	{"body 1: round 2 looks to heading -1", func(s *State) { s.Bodies[0].Villager.Rounds[1].Heading = -1 }},
	{"body 1: it saw body 1 behind body 0", func(s *State) { s.Bodies[0].Villager.Seen = []sim.EntityID{1} }},
	{"body 1: it saw body 2 behind body 3", func(s *State) { s.Bodies[0].Villager.Seen = []sim.EntityID{3, 2} }},
	{"body 1: it saw body 9 behind body 0", func(s *State) { s.Bodies[0].Villager.Seen = []sim.EntityID{9} }},
	{"body 1: swam 1 times until tick 1857 is no run of tick 1857", func(s *State) { s.Bodies[0].Villager.Run = &RunState{Deed: "swam", Times: 1, Tick: 1857} }},
	{"body 1: ate 0 times", func(s *State) { s.Bodies[0].Villager.Run = &RunState{Deed: "ate", Tick: 1857} }},
	{"body 1: ate 1 times until tick 1847", func(s *State) { s.Bodies[0].Villager.Run = &RunState{Deed: "ate", Times: 1, Tick: 1847} }},
	{"body 1: ate 1 times until tick 1858", func(s *State) { s.Bodies[0].Villager.Run = &RunState{Deed: "ate", Times: 1, Tick: 1858} }},
	{"body 1: 9 rows of memory: a state holds the newest 8", func(s *State) { s.Bodies[0].Villager.Handed = s.Bodies[1].Villager.Pending[:9] }},
	{`body 1: a row of register "felt" at tick 1`, func(s *State) { s.Bodies[0].Villager.Handed = []RowState{{1, "felt", "x"}} }},
	{`body 1: a row of register "saw" at tick 1858, and it is tick 1857`, func(s *State) { s.Bodies[0].Villager.Pending = []RowState{{1858, "saw", "x"}} }},
	{`body 1: row "one\ntwo"`, func(s *State) { s.Bodies[0].Villager.Pending = []RowState{{1, "saw", "one\ntwo"}} }},
	{"valley: 8 rows of crop on 9 rows of ground", func(s *State) { s.Valley.Crop = s.Valley.Crop[:8] }},
	{"valley: row 2 has crop for 11 cells, and 12 cells", func(s *State) { s.Valley.Crop[2] = s.Valley.Crop[2][:11] }},
	{"valley: a crop of 100.0001 g on 0,0: 0 to 100.0000 g, and none on water", func(s *State) { s.Valley.Crop[0][0] = 1_000_001 }},
	{"valley: a crop of 0.0001 g on 2,3", func(s *State) { s.Valley.Crop[3][2] = 1 }},
	{"valley: a crop of at most -0.0001 g", func(s *State) { s.Valley.Most = -1 }},
	{"valley: 1,0 is '#', which is neither ground", func(s *State) { s.Valley.Rows[0] = ".#.........." }},
	{"valley: a bed of no cells", func(s *State) { s.Valley.Rows = nil }},
	{`kind "browser" behind "villager": kinds go by name`, func(s *State) { s.Kinds[0], s.Kinds[1] = s.Kinds[1], s.Kinds[0] }},
	{`kind "browser": sight 1001, reach 1`, func(s *State) { s.Kinds[0].Sight = 1001 }},
	{`kind "browser": a cap or price of -0.0001 g`, func(s *State) { s.Kinds[0].Hand = -1 }},
	{"body 1: ate 51 times until tick 1857 is no run", func(s *State) {
		s.Bodies[0].Villager.Run = &RunState{Deed: "ate", Times: 51, Tick: 1857}
	}},
	{"body 1: ate 2 times until tick 1857 is no run", func(s *State) {
		s.Bodies[0].Villager.Run = &RunState{Deed: "ate", Times: 2, At: sim.Coord{X: 1}, Tick: 1857}
	}},
	{"body 1: put 2 times until tick 1857 is no run", func(s *State) {
		s.Bodies[0].Villager.Run = &RunState{Deed: "put", Times: 2, Tick: 1857}
	}},
	{"parcels that were \"lent\"", func(s *State) { s.Dealings[0].Deed = "lent" }},
	{"parcels between bodies 2 and 2", func(s *State) { s.Dealings[0].With = 2 }},
	{"parcels between bodies 2 and 9", func(s *State) { s.Dealings[0].With = 9 }},
	{"parcels of body 2 with body 3: they go by id", func(s *State) { s.Dealings = append(s.Dealings, s.Dealings[0]) }},
	{"0 parcels of 1.0000 g in all", func(s *State) { s.Dealings[0].Parcels = 0 }},
	{"2 parcels of 1.0001 g in all", func(s *State) { s.Dealings[0].Grams++ }},
	{"buried body 3 is alive", func(s *State) { s.Buried = []Grave{{ID: 3, Kind: "villager"}} }},
	{"body 5 was buried at tick 1858", func(s *State) { s.Next, s.Buried = 6, []Grave{{ID: 5, Kind: "browser", Tick: 1858}} }},
	{`buried body 5: kind ""`, func(s *State) { s.Next, s.Buried = 6, []Grave{{ID: 5}} }},
}

func TestAStateOfNoWorldIsRefused(t *testing.T) {
	r := born(t)
	live(t, r, 1857)
	if _, err := r.Spawn("browser", sim.Coord{X: 11, Y: 8}, 8, 100*sim.Gram); err != nil {
		t.Fatal(err)
	}
	for _, c := range noWorlds {
		s := r.State()
		c.wrong(&s)
		if _, err := ParseState(s.Bytes()); err == nil || !strings.Contains(err.Error(), "a world's state: "+c.want) {
			t.Errorf("%v, not %s", err, c.want)
		}
		if _, err := Restore(s); err == nil {
			t.Errorf("%s: it is restored", c.want)
		}
	}
}

func TestAStateThatIsWrittenOtherwiseIsRefused(t *testing.T) {
	r := born(t)
	live(t, r, 1450)
	text := string(r.State().Bytes())
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
	replaced := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("a state has no %q", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for want, wrong := range map[string]string{
		"EOF":                         "",
		"unexpected EOF":              text[:len(text)/2],
		"something follows it":        text + "{}",
		`unknown field "weather"`:     replaced(`"tick": 1450,`, `"tick": 1450, "weather": "fair",`),
		"cannot unmarshal number 1.5": replaced(`"tick": 1450,`, `"tick": 1.5,`),
		"cannot unmarshal string":     replaced(`"tick": 1450,`, `"tick": "1450",`),
		`line 2 is "  \"tick\": 1, \"tick\": 1450,", and a state's bytes are "  \"tick\": 1450," there`: replaced(`"tick": 1450,`, `"tick": 1, "tick": 1450,`),
		`line 2 is "  \"Tick\": 1450,"`:                      replaced(`"tick"`, `"Tick"`),
		`line 1 is "{\r", and a state's bytes are "{" there`: strings.ReplaceAll(text, "\n", "\r\n"),
		"it ends before line":                                strings.TrimSuffix(text, "\n"),
		"it goes on behind line":                             text + "\n",
		`line 1 is "{\"tick\":1450`:                          compact.String(),
		"a round of 3 numbers":                               replaced("[0, 8, 1, 4]", "[0, 8, 1]"),
		`\"acts\": [`:                                        replaced(`"acts": [`, `"acts": [7, `),
	} {
		if _, err := ParseState([]byte(wrong)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}
