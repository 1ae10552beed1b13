package lang

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"torve/configs"
)

// Limits bound one call.
type Limits struct {
	Time  time.Duration // to the end of the answer
	Bytes int64         // of the answer as it is sent, the chunks' own words with it; 4 MiB at most
}

// mostBytes is below the longest line that the client reads, 8 MB: a longer one it would pass
// over without an error.
const mostBytes = 4 << 20

// Live is a model behind Ollama. Limits may be changed before the first call; many may ask at
// once.
type Live struct {
	Limits Limits

	model string
	base  *url.URL
	under *http.Transport
}

// NewLive is the model of configs, or the one named, at OLLAMA_HOST (env) or the url of
// configs. Nothing is asked yet. A call may take two minutes.
func NewLive(model string, env func(string) string) (*Live, error) {
	set, err := configs.Read[struct {
		Model string `json:"model"`
		URL   string `json:"url"`
	}](configs.Model)
	if err != nil {
		return nil, fmt.Errorf("lang: %w", err)
	}
	if model == "" {
		model = set.Model
	}
	if model == "" {
		return nil, fmt.Errorf("lang: %s: no model is named", configs.Model)
	}
	from, where := "OLLAMA_HOST", env("OLLAMA_HOST")
	if strings.TrimSpace(where) == "" {
		from, where = configs.Model, set.URL
	}
	base, err := address(where)
	if err != nil {
		return nil, fmt.Errorf("lang: %s: %w", from, err)
	}
	// Each call has its own connection, so that none is left behind. There is no proxy.
	under := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	return &Live{Limits: Limits{Time: 2 * time.Minute, Bytes: mostBytes}, model: model, base: base, under: under}, nil
}

// Model is the name of who is asked.
func (l *Live) Model() string { return l.model }

// Server is where it is asked, a url.
func (l *Live) Server() string { return l.base.String() }

// errWhole ends a stream whose last chunk has come: what follows is not read.
var errWhole = errors.New("the answer is whole")

// Answer asks the model. An error is a *Fault, in a *Cut when part of an answer had come.
func (l *Live) Answer(ctx context.Context, q Question) (Answer, error) {
	limited, stop := context.WithTimeout(ctx, l.Limits.Time)
	defer stop()
	digest, err := l.digest(ctx, limited)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Model: l.model, Digest: digest, Settings: q.Settings}
	begun, whole := time.Now(), false
	client, w := l.client(true)
	err = client.Generate(limited, l.request(q), func(part api.GenerateResponse) error {
		a.Text = append(a.Text, part.Response...)
		if !part.Done {
			return nil
		}
		whole, a.Stopped, a.TokensIn, a.TokensOut = true, part.DoneReason, part.PromptEvalCount, part.EvalCount
		return errWhole
	})
	a.Took = time.Since(begun)
	if whole {
		return a, nil
	}
	fault := l.fault(ctx, limited, w, err)
	if len(a.Text) == 0 {
		return Answer{}, fault
	}
	return Answer{}, &Cut{Partial: a.Text, Digest: digest, Took: a.Took, Err: fault}
}

// request is the question on the wire. Neither the prompt nor what the model has said is ever
// cut to fit into its window.
func (l *Live) request(q Question) *api.GenerateRequest {
	yes, no := true, false
	return &api.GenerateRequest{
		Model: l.model, Prompt: q.Prompt, Format: q.Schema,
		Stream: &yes, Truncate: &no, Shift: &no,
		Options: map[string]any{
			"num_predict": q.Settings.Limit, "num_ctx": q.Settings.Context,
			"temperature": q.Settings.Temperature, "seed": q.Settings.Seed,
		},
	}
}

// digest is the model's in the server's list; its name where the list has none. The list is
// read before the question is asked, so that an answer is never lost for want of it.
func (l *Live) digest(ctx, limited context.Context) (string, error) {
	client, w := l.client(false)
	list, err := client.List(limited)
	if err != nil || w.read == 0 {
		return "", l.fault(ctx, limited, w, orEmpty(err))
	}
	for _, m := range list.Models {
		if same(m.Name, l.model) && m.Digest != "" {
			return strings.TrimPrefix(m.Digest, "sha256:"), nil
		}
	}
	return l.model, nil
}

// Resident is the line that says which model is in memory, and on what it answers.
func (l *Live) Resident(ctx context.Context) (string, error) {
	limited, stop := context.WithTimeout(ctx, l.Limits.Time)
	defer stop()
	client, w := l.client(false)
	running, err := client.ListRunning(limited)
	if err != nil || w.read == 0 {
		return "", l.fault(ctx, limited, w, orEmpty(err))
	}
	var others []string
	for _, m := range running.Models {
		if same(m.Name, l.model) {
			return resident(l.model, m), nil
		}
		others = append(others, m.Name)
	}
	if len(others) == 0 {
		return l.model + " is not resident now, and no other model is", nil
	}
	return fmt.Sprintf("%s is not resident now; resident: %s", l.model, strings.Join(others, ", ")), nil
}

func resident(model string, m api.ProcessModelResponse) string {
	if m.SizeVRAM == 0 {
		return model + " is the model resident now, answering on the processor, with no bytes on a graphics card"
	}
	return fmt.Sprintf("%s is the model resident now, answering with %d of its %d bytes on a graphics card", model, m.SizeVRAM, m.Size)
}

// client is a client for one call, and what sees it on its way.
func (l *Live) client(lines bool) (*api.Client, *wire) {
	w := &wire{under: l.under, most: l.bytes(), lines: lines}
	return api.NewClient(l.base, &http.Client{Transport: w}), w
}

func (l *Live) bytes() int64 { return min(l.Limits.Bytes, mostBytes) }

// orEmpty is the error of a call that gave none and nothing else.
func orEmpty(err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: an empty answer", ErrGarbled)
}

// same says whether two names are of one model: a tag that is not there is latest.
func same(a, b string) bool { return strings.EqualFold(tagged(a), tagged(b)) }

func tagged(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}
