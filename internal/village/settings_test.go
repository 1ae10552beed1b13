package village

import (
	"strings"
	"testing"

	"torve/configs"
	"torve/internal/beast"
	"torve/internal/sim"
)

const (
	tinyValley = `{"rows":["..~","..."],"crop_cap":10,"crop_start":2.5,"regrow":0.0003}`
	tinyFauna  = `{"hen":{"sight":2,"reach":0,"cap":5,"rest":0.0001,"turn":0.1,"walk":0.2,"graze":0,"hand":0.3,"take":0.4}}`
	tinyRoster = `{"start":7,"villagers":[{"id":2,"name":"Ann","kind":"hen","profile":"p","cell":{"x":1,"y":0},"heading":3,"store":4.25,"rounds":[[0,0,1,2]]}]}`
)

// tiny is a world of one villager on two rows.
func tiny(t testing.TB) *Roster {
	t.Helper()
	r, err := Found([]byte(tinyValley), []byte(tinyFauna), []byte(tinyRoster))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAWorldBeginsAsItsFilesSay(t *testing.T) {
	r := tiny(t)
	bed := r.Valley().Bed
	if r.Tick() != 7 || bed.W != 3 || bed.H != 2 || bed.Crop(sim.Coord{}) != 25_000 || bed.Crop(sim.Coord{X: 2}) != 0 || r.most != 100_000 || r.regrow != 3 {
		t.Errorf("tick %d, %+v", r.Tick(), bed)
	}
	b := r.Body(2)
	want := beast.Kind{Name: "hen", Sight: 2, Cap: 50_000, Rest: 1, Turn: 1000, Walk: 2000, Hand: 3000, Take: 4000}
	if b == nil || *b.Kind != want || b.Cell() != (sim.Coord{X: 1}) || b.Heading != 3 || b.Store != 42_500 || b.Name != "Ann" {
		t.Fatalf("%+v of kind %+v", b, b.Kind)
	}
	if v, is := r.Villager("ann"); !is || v != (Villager{ID: 2, Name: "Ann", Profile: "p"}) {
		t.Errorf("%+v, %v", v, is)
	}
	if id, err := r.Spawn("hen", sim.Coord{}, 0, 1); err != nil || id != 3 {
		t.Errorf("the next is body %d, %v", id, err)
	}
}

func TestAFileThatSaysNoWorldIsRefusedByName(t *testing.T) {
	valley, fauna, roster := "valley", "fauna", "roster"
	for _, c := range []struct{ file, old, new, want string }{
		{valley, `"regrow"`, `"rain":1,"regrow"`, `valley.json: json: unknown field "rain"`},
		{valley, `}`, `}{}`, "valley.json: invalid character '{' after top-level value"},
		{valley, `..~`, `..#`, `valley.json: 2,0 is '#', which is neither ground (.) nor water (~)`},
		{valley, `"..."`, `"...."`, "valley.json: row 1 has 4 cells, and the first has 3"},
		{valley, `["..~","..."]`, `[]`, "valley.json: a bed of no cells"},
		{valley, `2.5`, `11`, "valley.json: crop_start is more than crop_cap"},
		{valley, `0.0003`, `0.00003`, "valley.json: 0.00003 grams: the world counts no finer than 0.0001"},
		{valley, `0.0003`, `-1`, `valley.json: "-1" is not a plain decimal number of grams`},
		{valley, `0.0003`, `3e-4`, `valley.json: "3e-4" is not a plain decimal number of grams`},
		{valley, `0.0003`, `"3"`, `valley.json: "\"3\"" is not a plain decimal number of grams`},
		{valley, `0.0003`, `null`, `valley.json: "null" is not a plain decimal number of grams`},
		{valley, `"regrow"`, `"crop_cap":1,"regrow"`, `valley.json: key "crop_cap" twice in one object`},
		{fauna, `"reach":0`, `"reach":1.5`, "fauna.json: json: cannot unmarshal number 1.5"},
		{fauna, `"reach":0`, `"reach":-1`, `fauna.json: kind "hen": sight 2, reach -1: each is 0 to 1000 cells`},
		{fauna, `"hen"`, `""`, `fauna.json: kind ""`},
		{fauna, `"cap":5`, `"cap":1000000001`, "fauna.json: 1000000001 grams: the world counts no further than 1000000000"},
		{fauna, `"walk"`, `"swim"`, `fauna.json: json: unknown field "swim"`},
		{roster, `"kind":"hen"`, `"kind":"cow"`, `roster.json: body 2 is a "cow", which is no kind of the fauna table`},
		{roster, `"id":2`, `"id":0`, "roster.json: body 0 behind body 0"},
		{roster, `"heading":3`, `"heading":16`, "roster.json: body 2: heading 16: the headings are 0 to 15"},
		{roster, `"x":1`, `"x":2`, "roster.json: body 2: 2,0 is open water"},
		{roster, `"x":1`, `"x":-1`, "roster.json: body 2: x -512, y 512 is off the grid"},
		{roster, `4.25`, `5.0001`, "roster.json: body 2: a store of 5.0001 g: a hen carries 0 to 5.0000 g"},
		{roster, `[[0,0,1,2]]`, `[]`, "roster.json: body 2: no rounds: a villager is somewhere at every hour"},
		{roster, `[[0,0,1,2]]`, `[[1,0,1,2]]`, "roster.json: body 2: round 1 is from tick 1: the first is from 0"},
		{roster, `[[0,0,1,2]]`, `[[0,0,1,2],[0,0,0,2]]`, "roster.json: body 2: round 2 is from tick 0 of the day, behind 0"},
		{roster, `[[0,0,1,2]]`, `[[0,0,1,2],[3600,0,0,2]]`, "roster.json: body 2: round 2 is from tick 3600 of the day"},
		{roster, `[[0,0,1,2]]`, `[[0,2,0,2]]`, "roster.json: body 2: round 1 is on 2,0, which is open water or off the grid"},
		{roster, `[[0,0,1,2]]`, `[[0,0,1,16]]`, "roster.json: body 2: round 1 looks to heading 16"},
		{roster, `[[0,0,1,2]]`, `[[0,0,1]]`, "roster.json: a round of 3 numbers: it is the tick of the day, x, y and the heading"},
		{roster, `"name":"Ann"`, `"name":""`, `roster.json: body 2: name ""`},
		{roster, `"profile":"p"`, `"profile":"p\n"`, `roster.json: body 2: profile "p\n"`},
		{roster, `"start":7`, `"start":-7`, "roster.json: tick -7"},
	} {
		files := map[string]string{valley: tinyValley, fauna: tinyFauna, roster: tinyRoster}
		if !strings.Contains(files[c.file], c.old) {
			t.Fatalf("%s has no %s", c.file, c.old)
		}
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		_, err := Found([]byte(files[valley]), []byte(files[fauna]), []byte(files[roster]))
		if err == nil || !strings.HasPrefix(err.Error(), "village: "+c.want) {
			t.Errorf("%v, not village: %s", err, c.want)
		}
	}
}

// Whatever the three files say, it is a world that lives or a refusal.
func FuzzFound(f *testing.F) {
	var shipped [3]string
	for i, file := range []string{configs.Valley, configs.Fauna, configs.Roster} {
		text, err := configs.Files.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		shipped[i] = string(text)
	}
	f.Add(shipped[0], shipped[1], shipped[2])
	f.Add(tinyValley, tinyFauna, tinyRoster)
	f.Fuzz(func(t *testing.T, valley, fauna, roster string) {
		r, err := Found([]byte(valley), []byte(fauna), []byte(roster))
		if err != nil {
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
