package village

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"torve/internal/law"
	"torve/internal/sim"
)

// answer is 342 bytes that a model wrote for Ander at tick 1400.
func answer(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/answer.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// plan reads one that must be read.
func plan(t testing.TB, text string) law.Plan {
	t.Helper()
	p, err := ReadPlan([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func TestAModelsAnswerIsReadAsFourSteps(t *testing.T) {
	text := answer(t)
	if len(text) != 342 {
		t.Errorf("%d bytes", len(text))
	}
	want := law.Plan{Steps: []law.Step{
		{Reason: "Ander remembers that he has not eaten anything yet,", Verb: law.Go, Where: &sim.Coord{X: 9, Y: 5}},
		{Reason: "Ander is not hungry anymore,", Verb: law.Wait},
		{Reason: "Ander's body is empty,", Verb: law.Watch, Who: 1},
		{Reason: "Ander has no food left,", Verb: law.Go, Where: &sim.Coord{X: 9, Y: 5}},
	}}
	if got := plan(t, string(text)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestEveryArgumentOfAStepIsRead(t *testing.T) {
	got := plan(t, "\n\t {\"steps\":[{\"line\":\"good \\u006dorning\",\"grams\":2.5,\"who\":3,\"where\":{\"y\":-1,\"x\":0},\"verb\":\"say\",\"reason\":\"r\"}]} \r\n")
	want := law.Step{Reason: "r", Verb: law.Say, Where: &sim.Coord{X: 0, Y: -1}, Who: 3, Grams: 2.5, Line: "good morning"}
	if len(got.Steps) != 1 || !reflect.DeepEqual(got.Steps[0], want) {
		t.Errorf("%+v", got)
	}
}

func TestWhatAnAnswerLacksIsForTheChecksToMiss(t *testing.T) {
	caps := law.Caps{Steps: 5, Horizon: 160}
	for text, want := range map[string]string{
		`{}`:                        "refused by shape: a plan of no steps",
		`{"steps":[]}`:              "refused by shape: a plan of no steps",
		`{"steps":[{}]}`:            "refused by shape: step 1 has no verb",
		`{"steps":[{"reason":""}]}`: "refused by shape: step 1 has no verb",
	} {
		if got := law.ShapeOf(plan(t, text), caps); got.String() != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
	if got := law.VerbsOf(plan(t, `{"steps":[{"verb":"go"}]}`), caps); got.String() != "refused by verb: step 1: a go without its where" {
		t.Error(got)
	}
}

func TestWhatIsNotTheShapeAskedForIsRefusedInTheReadersWords(t *testing.T) {
	step := func(text string) string { return `{"steps":[{"verb":"go",` + text + `}]}` }
	for text, want := range map[string]string{
		// what a model's answer is when it is cut off, or is prose
		`{ "steps": [ { "reason": "Mose wants`: "unexpected end of JSON input",
		"The villager goes":                    "invalid character 'T' looking for beginning of value",
		"":                                     "unexpected end of JSON input",
		" \n":                                  "unexpected end of JSON input",
		"```json\n{}\n```":                     "invalid character '`' looking for beginning of value",
		// more than one value
		`{"steps":[]} {"steps":[]}`: "invalid character '{' after top-level value",
		`{"steps":[]}.`:             "invalid character '.' after top-level value",
		`{"steps":[],}`:             "invalid character '}' looking for beginning of object key string",
		// another value
		`[]`:           "json: cannot unmarshal array into Go value of type law.Plan",
		`"go"`:         "json: cannot unmarshal string into Go value of type law.Plan",
		`5`:            "json: cannot unmarshal number into Go value of type law.Plan",
		`null`:         "null where a value must be",
		`{"steps":{}}`: "json: cannot unmarshal object into Go struct field Plan.steps of type []law.Step",
		// keys
		`{"plan":[]}`:                      `json: unknown field "plan"`,
		`{"Steps":[]}`:                     `json: unknown field "Steps"`,
		"{\"\u017fteps\":[]}":              "json: unknown field \"\u017fteps\"",
		`{"steps":[{"VERB":"go"}]}`:        `json: unknown field "VERB"`,
		step(`"how":"fast"`):               `json: unknown field "how"`,
		step(`"where":{"X":1,"y":2}`):      `json: unknown field "X"`,
		step(`"where":{"x":1,"z":2}`):      `json: unknown field "z"`,
		step(`"verb":"wait"`):              `key "verb" twice in one object`,
		`{"steps":[],"steps":[]}`:          `key "steps" twice in one object`,
		step(`"where":{"x":1,"\u0078":2}`): `key "x" twice in one object`,
		// nulls
		`{"steps":null}`:           "null where a value must be",
		`{"steps":[null]}`:         "null where a value must be",
		step(`"who":null`):         "null where a value must be",
		step(`"reason":null`):      "null where a value must be",
		step(`"where":null`):       "null where a value must be",
		step(`"where":{"x":null}`): "null where a value must be",
		// bytes that are no text
		"{\"steps\":[{\"verb\":\"\xff\"}]}": "it is not UTF-8",
	} {
		p, err := ReadPlan([]byte(text))
		if !errors.Is(err, ErrShape) || err.Error() != "not the shape asked for: "+want {
			t.Errorf("%s: %v, not %s", text, err, want)
		}
		if p.Steps != nil {
			t.Errorf("%s: a plan came with the error: %+v", text, p)
		}
	}
}

func TestWhatIsNotOfItsTypeIsRefused(t *testing.T) {
	for _, arg := range []string{
		`"who":1.5`, `"who":1e0`, `"who":"1"`, `"who":true`, `"who":[1]`, `"who":99999999999999999999`,
		`"where":{"x":1.5,"y":2}`, `"where":[9,5]`, `"where":"9,5"`, `"where":5`,
		`"grams":"10"`, `"grams":1e999`, `"grams":{}`, `"line":5`, `"line":["a"]`, `"reason":5`, `"verb":5`, `"verb":{}`,
	} {
		text := `{"steps":[{` + arg + `}]}`
		_, err := ReadPlan([]byte(text))
		if !errors.Is(err, ErrShape) || !strings.HasPrefix(err.Error(), "not the shape asked for: json: cannot unmarshal ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Whatever bytes come, they are a plan or ErrShape; and what a plan is printed as is read as
// the same plan.
func FuzzReadPlan(f *testing.F) {
	f.Add(answer(f))
	for _, text := range []string{
		`{}`, `null`, `{"steps":[{"verb":"hand","who":1,"grams":-0.0}]}`, `{"steps":[{"verb":"say","who":-1,"line":"\ud800\u2028<"}]}`,
		`{"steps":[{"where":{}}]}`, `{"steps":[{"grams":1e-320}]}`, `{"Steps":[]}`, `{"steps":[[[[]]]]}`, "{\"steps\":[]}\x00", `{"steps":[{"verb":"\"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ReadPlan(text)
		if err != nil {
			if !errors.Is(err, ErrShape) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		printed, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := ReadPlan(printed)
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%q is printed as %s: %+v, %v", text, printed, again, err)
		}
	})
}
