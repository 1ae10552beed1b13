// Package lang asks a language model for an answer: a live one through Ollama, or a
// recording that knows the very prompt. It knows nothing of what it is asked about.
package lang

import (
	"context"
	"encoding/json"
	"time"
)

// Question is one call.
type Question struct {
	Villager string
	Tick     int
	Attempt  int // from 1
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

// Answer is what came back, whatever it is.
type Answer struct {
	Text      []byte
	Model     string
	Digest    string // hex, of the model; of what has none its name
	Settings  Settings
	TokensIn  int
	TokensOut int
	Stopped   string // why it stopped: stop, length
	Took      time.Duration
}

// Mind answers.
type Mind interface {
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Misread is the sentence around what was wrong with an answer's shape: "lang: <model>
// answered with something that is <err>".
func Misread(model string, err error) error { panic("unwritten") }

// Live is a model behind Ollama.
type Live struct{ unwritten struct{} }

// NewLive is the model of configs, or the one named, at OLLAMA_HOST (env) or the url of configs.
func NewLive(model string, env func(string) string) (*Live, error) { panic("unwritten") }

// Answer asks the model.
func (l *Live) Answer(ctx context.Context, q Question) (Answer, error) { panic("unwritten") }

// Resident is the line that says which model is in memory, and on what it answers.
func (l *Live) Resident(ctx context.Context) (string, error) { panic("unwritten") }

// Row is one recorded call.
type Row struct {
	Villager  string   `json:"villager"`
	Tick      int      `json:"tick"`
	Attempt   int      `json:"attempt,omitempty"` // 1 where it is not there
	Schema    bool     `json:"schema"`            // the answer was held to one
	Prompt    string   `json:"prompt_sha256"`
	Model     string   `json:"model"`
	Digest    string   `json:"digest"`
	Settings  Settings `json:"settings"`
	Answer    string   `json:"answer"`
	TokensIn  int      `json:"tokens_in"`
	TokensOut int      `json:"tokens_out"`
	Stopped   string   `json:"done_reason"`
	TookMS    int64    `json:"took_ms"`
}

// Recorded is a recording: it answers the prompt that was recorded, and refuses any other.
type Recorded struct{ unwritten struct{} }

// NewRecorded reads a recording's bytes, strictly.
func NewRecorded(text []byte) (*Recorded, error) { panic("unwritten") }

// Answer finds the row of the villager, tick, attempt and schema.
func (r *Recorded) Answer(ctx context.Context, q Question) (Answer, error) { panic("unwritten") }

// Rows are the recording's, in its order.
func (r *Recorded) Rows() []Row { panic("unwritten") }

// Record is the row of a call and its answer.
func Record(q Question, a Answer) Row { panic("unwritten") }

// Write is a recording's bytes: one row a line, so that a change is seen.
func Write(rows []Row) []byte { panic("unwritten") }
