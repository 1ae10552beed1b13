package configs

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestEveryFileThatIsNamedIsEmbeddedAndNoOther(t *testing.T) {
	entries, err := Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
		if _, err := Read[json.RawMessage](e.Name()); err != nil {
			t.Error(err)
		}
	}
	want := []string{Valley, Fauna, Roster, Thought, Model, Law, Day}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("embedded are %v, and named are %v", got, want)
	}
}

type hen struct {
	Eggs int `json:"eggs"`
	Nest struct {
		Straw bool `json:"straw"`
	} `json:"nest"`
}

func TestAFileIsReadStrictly(t *testing.T) {
	if h, err := Decode[hen]("hen.json", []byte(` {"eggs": 3, "nest": {"straw": true}} `)); err != nil || h.Eggs != 3 || !h.Nest.Straw {
		t.Errorf("%+v, %v", h, err)
	}
	for text, want := range map[string]string{
		``:                                 "hen.json: unexpected end of JSON input",
		`{`:                                "hen.json: unexpected end of JSON input",
		`{"eggs": 3,}`:                     "hen.json: invalid character '}'",
		`{"eggs": 1.5}`:                    "hen.json: json: cannot unmarshal number 1.5",
		`{"eggs": 3, "feathers": 9}`:       `hen.json: json: unknown field "feathers"`,
		`{"nest": {"mites": 1}}`:           `hen.json: json: unknown field "mites"`,
		`{"eggs": 3} {}`:                   "hen.json: invalid character '{' after top-level value",
		`{"eggs": 3} x`:                    "hen.json: invalid character 'x' after top-level value",
		`{"eggs": 3, "eggs": 4}`:           `hen.json: key "eggs" twice in one object`,
		`{"eggs": 3, "Eggs": 4}`:           `hen.json: json: unknown field "Eggs"`,
		`{"eggs": null}`:                   "hen.json: null where a value must be",
		"{\"eggs\": 3, \"ne\u017ft\": {}}": "hen.json: json: unknown field",
		`{"nest": {"straw": true, "straw": false}}`: `hen.json: key "straw" twice in one object`,
	} {
		if _, err := Decode[hen]("hen.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, not %s", text, err, want)
		}
	}
}

func TestABlockIsReadWithoutTheOthers(t *testing.T) {
	type seam struct {
		Stale int `json:"stale"`
	}
	if s, err := Block[seam](Thought, "seam"); err != nil || s.Stale != 200 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := Block[seam](Thought, "weather"); err == nil || err.Error() != "thought.json: no weather block" {
		t.Errorf("a block that is not there: %v", err)
	}
	if _, err := Block[struct{}](Thought, "seam"); err == nil || err.Error() != `thought.json: seam: json: unknown field "stale"` {
		t.Errorf("a key that is not known: %v", err)
	}
	if _, err := Block[seam]("weather.json", "seam"); err == nil || !strings.Contains(err.Error(), "weather.json") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A text is read or refused, and once read, read the same again.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{Valley, Fauna, Roster, Thought, Model, Law} {
		text, err := Files.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"a": [1, {"b": null}], "a": 2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := Decode[any]("file.json", text)
		if err != nil {
			return
		}
		again, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode[any]("file.json", again); err != nil {
			t.Fatalf("%s is read, and written again as %s it is not: %v", text, again, err)
		}
	})
}
