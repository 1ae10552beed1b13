package lang_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"torve/configs"
	"torve/internal/lang"
)

func hashOf(prompt string) string {
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}

func answered(text string) lang.Answer {
	return lang.Answer{
		Text: []byte(text), Model: model, Digest: hash, Settings: question().Settings,
		TokensIn: 374, TokensOut: 133, Stopped: "stop", Took: 4933 * time.Millisecond,
	}
}

func read(t *testing.T, text []byte) *lang.Recorded {
	t.Helper()
	r, err := lang.NewRecorded(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARecordingGivesBackTheVeryAnswer(t *testing.T) {
	for name, text := range map[string]string{
		"a plan":             `{"steps":[{"reason":"a < b && c > d","verb":"wait"}]}`,
		"cut off mid-string": `{"steps":[{"reason":"the gra`,
		"lines":              "The\nvalley\r\n\t\u2028 is wide \"\\\x00\x7f",
		"nothing":            "",
		"no text":            "caf\xe9 \xff\x00",
		"half a rune":        "\xe2\x82",
		"a rune for no rune": "so \uFFFD it is",
	} {
		q := question()
		file := lang.Write([]lang.Row{lang.Record(q, answered(text))})
		r := read(t, file)
		got, err := r.Answer(t.Context(), q)
		if err != nil || !reflect.DeepEqual(got, answered(text)) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if again := lang.Write(r.Rows()); !bytes.Equal(again, file) {
			t.Errorf("%s: written again it is\n%s\nand was\n%s", name, again, file)
		}
	}
}

func TestARecordingIsOneRowALineAndItsKeysInOneOrder(t *testing.T) {
	q := question()
	rows := []lang.Row{lang.Record(q, answered(`{"steps":[]}`))}
	q.Villager, q.Attempt, q.Schema = "Mose", 2, nil
	rows = append(rows, lang.Record(q, answered("The <valley>")), lang.Record(q, answered("\xff")))
	head := `"prompt_sha256":"` + hashOf(q.Prompt) + `","model":"` + model + `","digest":"` + hash +
		`","settings":{"limit":256,"context":4096,"temperature":0,"seed":1402},"tokens_in":374,"tokens_out":133,"done_reason":"stop","took_ms":4933,`
	want := "[\n" + `{"villager":"Ander","tick":1400,"schema":true,` + head + `"answer":"{\"steps\":[]}"}` +
		",\n" + `{"villager":"Mose","tick":1400,"attempt":2,"schema":false,` + head + `"answer":"The <valley>"}` +
		",\n" + `{"villager":"Mose","tick":1400,"attempt":2,"schema":false,` + head + `"answer_base64":"/w=="}` + "\n]\n"
	if got := string(lang.Write(rows)); got != want {
		t.Errorf("it is\n%s\nand should be\n%s", got, want)
	}
	if got := string(lang.Write(nil)); got != "[]\n" {
		t.Errorf("of no rows it is %q", got)
	}
}

func TestAnAnswerIsFoundByVillagerTickAttemptAndSchema(t *testing.T) {
	q := question()
	other, second, bare, later := q, q, q, q
	other.Villager, second.Attempt, bare.Schema, later.Tick = "Mose", 2, nil, 1900
	asked := []lang.Question{q, other, second, bare, later}
	var rows []lang.Row
	for i, q := range asked {
		rows = append(rows, lang.Record(q, answered(fmt.Sprint(i))))
	}
	r := read(t, lang.Write(rows))
	for i, q := range asked {
		if got, err := r.Answer(t.Context(), q); err != nil || string(got.Text) != fmt.Sprint(i) {
			t.Errorf("%d: %q, %v", i, got.Text, err)
		}
	}
	q.Attempt = 0
	if got, err := r.Answer(t.Context(), q); err != nil || string(got.Text) != "0" {
		t.Errorf("no attempt named is the first: %q, %v", got.Text, err)
	}
	q.Attempt, q.Schema = 3, nil
	_, err := r.Answer(t.Context(), q)
	if !errors.Is(err, lang.ErrNotRecorded) || err.Error() != "lang: no answer is recorded for Ander at tick 1400, attempt 3, without a schema" {
		t.Errorf("it is %v", err)
	}
}

func TestAPromptThatIsNotTheRecordedOneIsRefused(t *testing.T) {
	q := question()
	r := read(t, lang.Write([]lang.Row{lang.Record(q, answered("{}"))}))
	was := hashOf(q.Prompt)
	q.Prompt += " "
	got, err := r.Answer(t.Context(), q)
	want := "lang: the prompt is not the recorded one for Ander at tick 1400, attempt 1, with a schema: it hashes to " +
		hashOf(q.Prompt)[:16] + ", and the recorded one to " + was[:16]
	if !errors.Is(err, lang.ErrOtherPrompt) || err.Error() != want || got.Text != nil {
		t.Errorf("it is %v", err)
	}
}

func TestARecordingDoesNotAnswerWhoHasGone(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r := read(t, lang.Write([]lang.Row{lang.Record(question(), answered("{}"))}))
	if _, err := r.Answer(ctx, question()); !errors.Is(err, context.Canceled) {
		t.Errorf("it is %v", err)
	}
}

// whole is a row that is read, to be spoilt.
func whole() string {
	return `{"villager":"Ander","tick":1400,"attempt":1,"schema":true,"prompt_sha256":"` + hash + `","model":"authored","digest":"authored",` +
		`"settings":{"limit":256,"context":4096,"temperature":0.0,"seed":1402},"answer":"{}","tokens_in":0,"tokens_out":0,"done_reason":"stop","took_ms":0}`
}

func TestARecordingIsReadStrictlyAndAnErrorNamesTheRow(t *testing.T) {
	good := strings.Replace(whole(), "Ander", "Halla", 1)
	for name, c := range map[string]struct{ old, new, says string }{
		"an unknown key":          {`"tick"`, `"when":1,"tick"`, `row 2: key "when": unknown`},
		"a key in other letters":  {`"tick"`, `"Tick"`, `row 2: key "Tick": unknown`},
		"a key twice":             {`"tick"`, `"tick":1,"tick"`, `row 2: key "tick": unknown, there twice`},
		"a key that is not there": {`"tokens_in":0,`, ``, `row 2: no key "tokens_in"`},
		"null":                    {`1400`, `null`, `row 2: key "tick"`},
		"a setting unknown":       {`"limit"`, `"top_k":1,"limit"`, `row 2: settings: key "top_k"`},
		"a setting missing":       {`,"seed":1402`, ``, `row 2: settings: no key "seed"`},
		"no settings":             {`{"limit":256,"context":4096,"temperature":0.0,"seed":1402}`, `7`, `row 2: settings: it is not an object`},
		"half a tick":             {`1400`, `1400.5`, `row 2: json: cannot unmarshal number 1400.5`},
		"a tick before all":       {`1400`, `-1`, `row 2: tick -1`},
		"no villager":             {`"Ander"`, `""`, `row 2: villager is empty`},
		"no attempt":              {`"attempt":1`, `"attempt":0`, `row 2: attempt 0: they count from 1`},
		"an attempt below":        {`"attempt":1`, `"attempt":-3`, `row 2: attempt -3`},
		"a hash too short":        {hash, hash[1:], `row 2: prompt_sha256 "8b0c`},
		"a hash in capitals":      {hash, strings.ToUpper(hash), `row 2: prompt_sha256 "A8B0`},
		"no model":                {`"model":"authored"`, `"model":""`, `row 2: model or digest is empty`},
		"tokens below nothing":    {`"tokens_out":0`, `"tokens_out":-1`, `row 2: tokens and time`},
		"the row before again":    {`"Ander"`, `"Halla"`, `row 2: Halla at tick 1400, attempt 1, with a schema is in row 1 too`},
		"no answer":               {`"answer":"{}",`, ``, `row 2: it has one of answer and answer_base64`},
		"two answers":             {`"answer":"{}"`, `"answer":"{}","answer_base64":"/w=="`, `row 2: it has one of`},
		"text in base64":          {`"answer":"{}"`, `"answer_base64":"e30="`, `row 2: answer_base64 holds text`},
		"base64 that is none":     {`"answer":"{}"`, `"answer_base64":"/x=="`, `row 2: answer_base64: illegal base64`},
		"half a pair":             {`"answer":"{}"`, `"answer":"\ud800"`, `row 2: answer holds what is not text`},
		"bytes that are no text":  {`"answer":"{}"`, "\"answer\":\"\xff\"", `a recording: it is not UTF-8`},
		"no object":               {whole(), `[]`, `row 2: it is not an object`},
		"a row of nothing":        {whole(), `null`, `row 2: it is not an object`},
	} {
		bad := strings.Replace(whole(), c.old, c.new, 1)
		if _, err := lang.NewRecorded([]byte("[" + good + "," + bad + "]")); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: it says %v, and should say %q", name, err, c.says)
		}
	}
	read(t, []byte("["+good+","+whole()+"]"))
}

func TestWhatIsNoArrayIsNoRecording(t *testing.T) {
	for _, text := range []string{"", "null", "{}", "[", "[] []", "[]x", whole()} {
		if _, err := lang.NewRecorded([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "lang: a recording: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if r := read(t, []byte(" [\n] ")); len(r.Rows()) != 0 {
		t.Error("there are rows in nothing")
	}
}

func TestTheShippedDayIsReadAndIsWrittenAsItStands(t *testing.T) {
	text, err := configs.Files.ReadFile(configs.Day)
	if err != nil {
		t.Fatal(err)
	}
	if again := lang.Write(read(t, text).Rows()); !bytes.Equal(again, text) {
		t.Errorf("%s would be written otherwise: a change of it would touch lines that it does not mean", configs.Day)
	}
}

func TestTheRowsOfARecordingAreTheCallersOwn(t *testing.T) {
	r := read(t, []byte("["+whole()+"]"))
	r.Rows()[0].Villager = "Mose"
	if r.Rows()[0].Villager != "Ander" {
		t.Error("the recording was changed from outside")
	}
}

func TestSettingsAreShownInOneForm(t *testing.T) {
	if got, want := question().Settings.String(), "{limit 256, context 4096, temperature 0.00, seed 1402}"; got != want {
		t.Errorf("it is %s", got)
	}
}

func TestAnAnswerThatWasMisreadNamesTheModelAndTheFault(t *testing.T) {
	inner := errors.New("unexpected end of JSON input")
	err := lang.Misread("qwen2.5:0.5b", fmt.Errorf("not the shape asked for: %w", inner))
	if !errors.Is(err, inner) || err.Error() != "lang: qwen2.5:0.5b answered with something that is not the shape asked for: unexpected end of JSON input" {
		t.Errorf("it is %v", err)
	}
}

func TestARecordingMadeFromALiveModelAnswersAsItDid(t *testing.T) {
	s := start(t)
	q := question()
	was, err := live(t, s.URL, "").Answer(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t, lang.Write([]lang.Row{lang.Record(q, was)})).Answer(t.Context(), q)
	was.Took = was.Took.Truncate(time.Millisecond)
	if err != nil || !reflect.DeepEqual(got, was) {
		t.Errorf("it is %+v, %v, and was %+v", got, err, was)
	}
}

func FuzzNewRecorded(f *testing.F) {
	f.Add([]byte("[]"))
	f.Add([]byte("[" + whole() + "]"))
	f.Add([]byte("[" + strings.Replace(whole(), `"answer":"{}"`, `"answer_base64":"/w=="`, 1) + "]"))
	f.Add([]byte("[" + strings.Replace(whole(), `0.0`, `-1e-9`, 1) + "," + strings.Replace(whole(), "Ander", "\\u2028<", 1) + "]"))
	if day, err := os.ReadFile("../../configs/day.json"); err == nil {
		f.Add(day)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := lang.NewRecorded(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatal("it reads what is no JSON")
		}
		written := lang.Write(r.Rows())
		again, err := lang.NewRecorded(written)
		if err != nil {
			t.Fatalf("it does not read what it wrote: %v\n%s", err, written)
		}
		if !reflect.DeepEqual(again.Rows(), r.Rows()) || !bytes.Equal(lang.Write(again.Rows()), written) {
			t.Fatalf("it is another recording once it is written:\n%s", written)
		}
	})
}
