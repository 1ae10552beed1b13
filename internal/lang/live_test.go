package lang_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/envconfig"

	"torve/configs"
	"torve/internal/lang"
)

func TestAnAnswerIsTheChunksInTheirOrderAndWhatTheLastOneCounts(t *testing.T) {
	s := start(t)
	got, err := live(t, s.URL, "").Answer(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	if got.Took <= 0 || got.Took > time.Minute {
		t.Errorf("it took %v", got.Took)
	}
	got.Took = 0
	want := lang.Answer{
		Text: []byte(`{"steps":[]}`), Model: model, Digest: hash, Settings: question().Settings,
		TokensIn: 374, TokensOut: 133, Stopped: "stop",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it is %+v, and should be %+v", got, want)
	}
}

func TestTheQuestionOnTheWireIsWhatWasAskedFieldByField(t *testing.T) {
	s := start(t)
	bare := question()
	bare.Schema = nil
	for _, q := range []lang.Question{question(), bare} {
		if _, err := live(t, s.URL, "").Answer(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"GET /api/tags", "POST /api/generate", "GET /api/tags", "POST /api/generate"}; !slices.Equal(s.paths, want) {
		t.Errorf("it asked %v", s.paths)
	}
	want := map[string]string{
		"model": `"` + model + `"`, "prompt": `"You are Ander, a villager.\n"`, "suffix": `""`, "system": `""`, "template": `""`,
		"stream": "true", "truncate": "false", "shift": "false", "format": `{"type":"object","required":["steps"]}`,
		"options": `{"num_ctx":4096,"num_predict":256,"seed":1402,"temperature":0}`,
	}
	fields(t, s.asked[0], want)
	delete(want, "format")
	fields(t, s.asked[1], want)
}

// fields asks for a JSON object's very keys, with the very bytes of their values.
func fields(t *testing.T, text string, want map[string]string) {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for key, value := range raw {
		got[key] = string(value)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it sent %v\nand should send %v", got, want)
	}
}

func TestAModelsDigestIsFoundWithAndWithoutItsTag(t *testing.T) {
	s := start(t)
	for name, want := range map[string]string{
		model:             hash,
		"llama3.2":        "fe938a131f40e6f6d40083c9f0f430a515233eb2edaa6d72eb85c50d64f2300e",
		"llama3.2:latest": "fe938a131f40e6f6d40083c9f0f430a515233eb2edaa6d72eb85c50d64f2300e",
		"llama3.2:1b":     "llama3.2:1b",
		"me/llama3.2":     "me/llama3.2",
	} {
		got, err := live(t, s.URL, name).Answer(t.Context(), question())
		if err != nil {
			t.Fatal(err)
		}
		if got.Digest != want || got.Model != name {
			t.Errorf("%s is %s with the digest %s", name, got.Model, got.Digest)
		}
	}
}

func TestALineSaysWhichModelIsResidentAndOnWhatItAnswers(t *testing.T) {
	at := func(name, vram string) string {
		return `{"models":[{"name":"` + name + `","model":"` + name + `","size":5137025024,"digest":"` + hash + `","details":{"format":"gguf","family":"qwen2","families":null},"expires_at":"2026-06-04T14:38:31.83753-07:00","size_vram":` + vram + `,"context_length":4096}]}`
	}
	for body, want := range map[string]string{
		at(model, "0"):             model + " is the model resident now, answering on the processor, with no bytes on a graphics card",
		at(model, "5137025024"):    model + " is the model resident now, answering with 5137025024 of its 5137025024 bytes on a graphics card",
		at(model, "1000"):          model + " is the model resident now, answering with 1000 of its 5137025024 bytes on a graphics card",
		at("mistral:latest", "10"): model + " is not resident now; resident: mistral:latest",
		`{"models":[]}`:            model + " is not resident now, and no other model is",
	} {
		s := start(t)
		s.ps = says(body)
		if got, err := live(t, s.URL, "").Resident(t.Context()); err != nil || got != want {
			t.Errorf("it says %q (%v), and should say %q", got, err, want)
		}
	}
}

func TestTheModelAndTheServerAreThoseOfTheSettingsUnlessTheyAreNamed(t *testing.T) {
	set, err := configs.Read[map[string]string](configs.Model)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lang.NewLive("", env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if l.Model() != set["model"] || l.Server() != set["url"] {
		t.Errorf("it asks %s at %s", l.Model(), l.Server())
	}
	if l, err = lang.NewLive("mine", env(map[string]string{"OLLAMA_HOST": "there:80"})); err != nil || l.Model() != "mine" || l.Server() != "http://there:80" {
		t.Errorf("it asks %s at %s (%v)", l.Model(), l.Server(), err)
	}
}

func TestTheServersAddressIsReadAsOllamaReadsIt(t *testing.T) {
	for _, host := range []string{
		"", "  ", "example.com", "example.com:56789", "1.2.3.4", "1.2.3.4:1", ":1234", "0.0.0.0", "localhost:11434", "::1", "[::1]", "[::1]:80",
		"http://1.2.3.4", "https://1.2.3.4", "https://1.2.3.4:4", "http://example.com/", "https://example.com:1/ollama", "ollama.com",
		` "example.com" `, "'example.com:12'",
	} {
		t.Setenv("OLLAMA_HOST", host)
		l, err := lang.NewLive("", env(map[string]string{"OLLAMA_HOST": host}))
		if err != nil {
			t.Errorf("%q: %v", host, err)
		} else if want := envconfig.Host().String(); l.Server() != want {
			t.Errorf("%q is %s, and Ollama reads %s", host, l.Server(), want)
		}
	}
}

func TestAnAddressThatIsNoneIsRefusedAndNoOtherIsAsked(t *testing.T) {
	for host, want := range map[string]string{
		"example.com:99999":    `lang: OLLAMA_HOST: "example.com:99999": "99999" is not a port`,
		"example.com:":         `"" is not a port`,
		"1.2.3.4:x":            `"x" is not a port`,
		"1.2.3.4:0":            `"0" is not a port`,
		"exa mple":             `lang: OLLAMA_HOST: "exa mple" is no address`,
		"tcp://1.2.3.4":        "the scheme of a model server is http or https",
		"http://me:word@x:1":   "holds no user, no password and no query",
		"http://x:1/?key=word": "holds no user, no password and no query",
	} {
		if _, err := lang.NewLive("", env(map[string]string{"OLLAMA_HOST": host})); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "=word") || strings.Contains(err.Error(), "word@") {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestNoProxyOfTheEnvironmentIsAsked(t *testing.T) {
	s := start(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, host := range []string{s.URL, "0.0.0.0:" + port} { // the second is no loopback address by its letters
		if _, err := live(t, host, "").Answer(t.Context(), question()); err != nil {
			t.Error(err)
		}
	}
}

func TestOneMindIsAskedByManyAtOnce(t *testing.T) {
	s := start(t)
	l := live(t, s.URL, "")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := l.Answer(t.Context(), question()); err != nil || string(got.Text) != `{"steps":[]}` {
				t.Errorf("it is %q, %v", got.Text, err)
			}
		})
	}
	all.Wait()
}

func FuzzNewLive(f *testing.F) {
	for _, host := range []string{"", "::1", "[::1]:80", "https://a:1/b", "exa mple", "a%zz", "http://\x7f", "ollama.com", "me@x"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		l, err := lang.NewLive("", env(map[string]string{"OLLAMA_HOST": host}))
		if err != nil {
			return
		}
		u, err := url.Parse(l.Server())
		if err != nil || u.Port() == "" || u.Port() == "0" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("%q is %q: %v", host, l.Server(), err)
		}
	})
}
