package village

import (
	"strings"
	"testing"

	"torve/internal/law"
)

func TestTheShippedSeamIsAStalenessCapInTicks(t *testing.T) {
	s, err := ReadSeam()
	if err != nil {
		t.Fatal(err)
	}
	how, err := ReadThought()
	if err != nil {
		t.Fatal(err)
	}
	slack := s.Stale - how.Caps.Horizon
	if s.Stale != 200 || slack != 40 {
		t.Errorf("a cap of %d ticks leaves %d behind a horizon of %d", s.Stale, slack, how.Caps.Horizon)
	}
	t.Logf("a proposal older than %d ticks is refused, at arrival or at dispatch; the horizon is %d, so the answer has %d ticks to land in",
		s.Stale, how.Caps.Horizon, slack)
}

func TestTheShippedThoughtIsTheOneThatTheRecordedDayWasAskedBy(t *testing.T) {
	got, err := ReadThought()
	want := Thought{Newest: 8, Caps: law.Caps{Steps: 5, Horizon: 160}, Every: 500, Limit: 256, Context: 4096}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestABlockThatIsNotThereIsRefused(t *testing.T) {
	if _, err := readBlock("reflection", Seam.check); err == nil || err.Error() != "village: thought.json: no reflection block" {
		t.Error(err)
	}
}

func TestASeamThatIsNoneIsRefusedByItsFileAndBlock(t *testing.T) {
	for text, want := range map[string]string{
		`{"stale":0}`:               "a staleness cap of 0 ticks would refuse every proposal",
		`{}`:                        "a staleness cap of 0 ticks would refuse every proposal",
		`{"stale":-3}`:              "a staleness cap of -3 ticks would refuse every proposal",
		`{"stale":1073741825}`:      "stale is 1073741825: 1 to 1073741824",
		`{"stale":200,"fresh":1}`:   `seam: json: unknown field "fresh"`,
		`{"Stale":200}`:             `seam: json: unknown field "Stale"`,
		`{"stale":200,"stale":300}`: `seam: key "stale" twice in one object`,
		`{"stale":null}`:            "seam: null where a value must be",
		`null`:                      "seam: null where a value must be",
		`{"stale":1.5}`:             "seam: json: cannot unmarshal number 1.5 into Go struct field Seam.stale of type int",
		`{"stale":200} {}`:          "seam: invalid character '{' after top-level value",
		`[]`:                        "seam: json: cannot unmarshal array into Go value of type village.Seam",
	} {
		if s, err := block("seam", []byte(text), Seam.check); err == nil || err.Error() != "village: thought.json: "+want {
			t.Errorf("%s: %+v, %v, not %s", text, s, err, want)
		}
	}
	if s, err := block("seam", []byte(`{"stale":1}`), Seam.check); err != nil || s.Stale != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestHowAVillagerIsAskedHasBounds(t *testing.T) {
	for text, want := range map[string]string{
		`{"newest":0}`: "newest is 0: 1 to 8",
		`{"newest":9}`: "newest is 9: 1 to 8",
		`{"oldest":8}`: `retrieval: json: unknown field "oldest"`,
	} {
		if got, err := block("retrieval", []byte(text), retrieval.check); err == nil || err.Error() != "village: thought.json: "+want {
			t.Errorf("%s: %+v, %v, not %s", text, got, err, want)
		}
	}
	const sound = `{"steps":5,"horizon":160,"every":500,"limit":256,"context":4096,"temperature":0.0}`
	if _, err := block("planning", []byte(sound), planning.check); err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string]string{
		`"steps":5→"steps":0`:                   "steps is 0: 1 to 100",
		`"steps":5→"steps":101`:                 "steps is 101: 1 to 100",
		`"steps":5→"Steps":5`:                   `planning: json: unknown field "Steps"`,
		`"horizon":160→"horizon":3601`:          "horizon is 3601: 1 to 3600",
		`"every":500→"every":-1`:                "every is -1: 1 to 1073741824",
		`"every":500,→`:                         "every is 0: 1 to 1073741824",
		`"every":500→"every":500,"every":500`:   `planning: key "every" twice in one object`,
		`"limit":256→"limit":0`:                 "limit is 0: 1 to 1048576",
		`"context":4096→"context":99999999`:     "context is 99999999: 1 to 1048576",
		`"temperature":0.0→"temperature":2.1`:   "temperature is 2.1: 0 to 2",
		`"temperature":0.0→"temperature":-1`:    "temperature is -1: 0 to 2",
		`,"temperature":0.0→`:                   "no temperature",
		`"temperature":0.0→"temperature":"hot"`: "planning: json: cannot unmarshal string into Go struct field planning.temperature of type float64",
	} {
		old, now, _ := strings.Cut(change, "→")
		text := strings.Replace(sound, old, now, 1)
		if text == sound {
			t.Fatalf("%s changes nothing", change)
		}
		if got, err := block("planning", []byte(text), planning.check); err == nil || err.Error() != "village: thought.json: "+want {
			t.Errorf("%s: %+v, %v, not %s", text, got, err, want)
		}
	}
}

// No bytes of a block break its reader, and what is read is inside its bounds.
func FuzzBlock(f *testing.F) {
	f.Add([]byte(`{"steps":5,"horizon":160,"every":500,"limit":256,"context":4096,"temperature":0.0}`))
	f.Add([]byte(`{"stale":1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := block("seam", text, Seam.check); err == nil && s.Stale < 1 {
			t.Errorf("%q: %+v", text, s)
		}
		got, err := block("planning", text, planning.check)
		if err == nil && (got.Steps < 1 || got.Horizon < 1 || got.Every < 1 || got.Limit < 1 || got.Context < 1 ||
			!(*got.Temperature >= 0 && *got.Temperature <= mostHeat)) {
			t.Errorf("%q: %+v", text, got)
		}
	})
}
