package lang_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"torve/internal/lang"
)

// TestMain names a proxy that is not there, before the standard library looks for one: it
// looks once.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		if err := os.Setenv(name, "http://127.0.0.1:1"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

const (
	model = "qwen2.5:0.5b-instruct-q4_K_M"
	hash  = "a8b0c51577010a279d933d14c2a8ab4b268079d44c5c8830c0a93900f1827c67"
)

// The words of Ollama's wire, as its server writes them: /api/generate is one JSON object a
// line, /api/tags and /api/ps one object.
const (
	tags = `{"models":[{"name":"llama3.2:latest","model":"llama3.2:latest","modified_at":"2026-05-04T17:37:44.706015396-07:00","size":3825819519,"digest":"fe938a131f40e6f6d40083c9f0f430a515233eb2edaa6d72eb85c50d64f2300e","details":{"parent_model":"","format":"gguf","family":"llama","families":["llama"],"parameter_size":"3B","quantization_level":"Q4_0"}},` +
		`{"name":"` + model + `","model":"` + model + `","modified_at":"2026-05-04T17:37:44.706015396-07:00","size":397821319,"digest":"` + hash + `","details":{"parent_model":"","format":"gguf","family":"qwen2","families":["qwen2"],"parameter_size":"494.03M","quantization_level":"Q4_K_M"}}]}`
	done = `{"model":"` + model + `","created_at":"2026-05-04T17:37:45.706015396Z","response":"","done":true,"done_reason":"stop","context":[151644,8948,198],"total_duration":4933000000,"load_duration":6683708,"prompt_eval_count":374,"prompt_eval_duration":201222000,"eval_count":133,"eval_duration":953997000}` + "\n"
)

// chunk is one piece of an answer.
func chunk(text string) string {
	said, _ := json.Marshal(text)
	return fmt.Sprintf(`{"model":%q,"created_at":"2026-05-04T17:37:44.706015396Z","response":%s,"done":false}`+"\n", model, said)
}

// server speaks as a model server; what a field does not say is as it should be.
type server struct {
	*httptest.Server
	generate, tags, ps http.HandlerFunc

	mu    sync.Mutex
	asked []string // bodies of /api/generate
	paths []string
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		for line := range strings.Lines(text) {
			_, _ = io.WriteString(w, line)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

func start(t *testing.T) *server {
	t.Helper()
	s := &server{generate: says(chunk(`{"steps":`) + chunk(`[]}`) + done), tags: says(tags), ps: says(`{"models":[]}`)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !r.Close {
			t.Error("the connection is kept for later, and so is who waits on it")
		}
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.paths = append(s.paths, r.Method+" "+r.URL.RequestURI())
		if r.URL.Path == "/api/generate" {
			s.asked = append(s.asked, string(body))
		}
		s.mu.Unlock()
		switch r.URL.Path {
		case "/api/generate":
			s.generate(w, r)
		case "/api/tags":
			s.tags(w, r)
		case "/api/ps":
			s.ps(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// live is the model behind a server; name "" is the one of the settings.
func live(t *testing.T, url, name string) *lang.Live {
	t.Helper()
	l, err := lang.NewLive(name, env(map[string]string{"OLLAMA_HOST": url}))
	if err != nil {
		t.Fatal(err)
	}
	l.Limits.Time = 20 * time.Second
	return l
}

func env(of map[string]string) func(string) string {
	return func(name string) string { return of[name] }
}

func question() lang.Question {
	return lang.Question{
		Villager: "Ander", Tick: 1400, Attempt: 1, Prompt: "You are Ander, a villager.\n",
		Schema:   json.RawMessage(`{"type":"object","required":["steps"]}`),
		Settings: lang.Settings{Limit: 256, Context: 4096, Seed: 1402},
	}
}
