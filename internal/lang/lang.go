// Package lang asks a language model for an answer: a live one through Ollama, or a
// recording that knows the very prompt. It knows nothing of what it is asked about.
//
// # A live model
//
// A model server is started with `ollama serve`, and a model is fetched with `ollama pull
// NAME`. Which model is asked, and where, stands in configs/model.json; OLLAMA_HOST names
// another server, as it does for Ollama's own programs: host, host:port, or scheme://host:port.
//
// An answer is read as a stream, and is whole only with the chunk that says it is done. A call
// has a bound on its time and on its bytes. The server is asked directly: no proxy of the
// environment is used and no redirect is followed. A prompt that the model's window does not
// hold is refused by the server, never cut to fit. Where OLLAMA_AUTH is set, and at ollama.com,
// Ollama's client signs what it asks with the key of ~/.ollama.
//
// What is tested is the wire: a server on loopback that speaks as Ollama 0.17 does. No model
// has answered through this package in its tests: how well one keeps to a schema, and how long
// it takes, they do not say.
package lang

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Question is one call.
type Question struct {
	Villager string
	Tick     int
	Attempt  int // from 1; 0 is the first too
	Prompt   string
	Schema   json.RawMessage // what the answer is held to; nil: nothing
	Settings Settings
}

// Settings is how a model is asked: at most Limit tokens, a window of Context tokens.
type Settings struct {
	Limit       int     `json:"limit"`
	Context     int     `json:"context"`
	Temperature float64 `json:"temperature"`
	Seed        int     `json:"seed"`
}

// String is the settings as people read them.
func (s Settings) String() string {
	return fmt.Sprintf("{limit %d, context %d, temperature %.2f, seed %d}", s.Limit, s.Context, s.Temperature, s.Seed)
}

// Answer is what came back, whatever it is.
type Answer struct {
	Text      []byte
	Model     string
	Digest    string // hex, of the model; of what has none its name
	Settings  Settings
	TokensIn  int
	TokensOut int
	Stopped   string        // why it stopped: stop, length
	Took      time.Duration // from the question to the end of the answer
}

// Mind answers.
type Mind interface {
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Misread is the sentence around what was wrong with an answer's shape: "lang: <model>
// answered with something that is <err>". errors.Is sees err in it.
func Misread(model string, err error) error {
	return fmt.Errorf("lang: %s answered with something that is %w", model, err)
}
