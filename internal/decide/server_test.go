package decide_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"torve/internal/lang"
)

const (
	model = "qwen2.5:0.5b-instruct-q4_K_M"
	hash  = "a8b0c51577010a279d933d14c2a8ab4b268079d44c5c8830c0a93900f1827c67"
)

// server speaks on the wire as a model server does. What it is asked it answers as the day
// that ships does, a few words a chunk.
type server struct {
	*httptest.Server
	day   map[string]string // answers by the prompt's hash, and whether it is held to a schema
	hang  atomic.Bool       // breaks off in the middle of an answer
	calls atomic.Int64
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{day: map[string]string{}}
	for _, r := range recorded(t).Rows() {
		s.day[fmt.Sprint(r.Prompt, r.Schema)] = r.Answer
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"models":[{"name":%q,"model":%q,"size":397821319,"digest":%q}]}`, model, model, hash)
	})
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"models":[{"name":%q,"model":%q,"size":397821319,"digest":%q,"size_vram":0}]}`, model, model, hash)
	})
	mux.HandleFunc("POST /api/generate", s.generate)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *server) generate(w http.ResponseWriter, r *http.Request) {
	s.calls.Add(1)
	body, _ := io.ReadAll(r.Body)
	var asked struct {
		Prompt string          `json:"prompt"`
		Format json.RawMessage `json:"format"`
	}
	_ = json.Unmarshal(body, &asked)
	sum := sha256.Sum256([]byte(asked.Prompt))
	answer, is := s.day[fmt.Sprint(hex.EncodeToString(sum[:]), len(asked.Format) > 0)]
	if !is {
		http.Error(w, `{"error":"nobody prepared that"}`, http.StatusBadRequest)
		return
	}
	for i, word := range strings.SplitAfter(answer, " ") {
		if s.hang.Load() && i == 5 {
			panic(http.ErrAbortHandler)
		}
		said, _ := json.Marshal(word)
		fmt.Fprintf(w, `{"model":%q,"created_at":"2026-05-04T17:37:44.706015396Z","response":%s,"done":false}`+"\n", model, said)
		_ = http.NewResponseController(w).Flush()
	}
	fmt.Fprintf(w, `{"model":%q,"created_at":"2026-05-04T17:37:45.706015396Z","response":"","done":true,"done_reason":"stop","prompt_eval_count":374,"eval_count":133}`+"\n", model)
}

// slow is a model whose answers took just so long.
type slow struct {
	*lang.Live
	took time.Duration
}

func (s slow) Answer(ctx context.Context, q lang.Question) (lang.Answer, error) {
	a, err := s.Live.Answer(ctx, q)
	a.Took = s.took
	return a, err
}

// live is the model of a server, with answers that took just so long.
func (s *server) live(t *testing.T, took time.Duration) slow {
	t.Helper()
	l, err := lang.NewLive("", func(name string) string { return map[string]string{"OLLAMA_HOST": s.URL}[name] })
	if err != nil {
		t.Fatal(err)
	}
	l.Limits.Time = 20 * time.Second
	return slow{l, took}
}
