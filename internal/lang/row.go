package lang

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

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
	Answer    string   `json:"answer"` // the bytes, in a file answer_base64 when they are not text
	TokensIn  int      `json:"tokens_in"`
	TokensOut int      `json:"tokens_out"`
	Stopped   string   `json:"done_reason"`
	TookMS    int64    `json:"took_ms"`
}

// Record is the row of a call and its answer.
func Record(q Question, a Answer) Row {
	return Row{
		Villager: q.Villager, Tick: q.Tick, Attempt: max(q.Attempt, 1), Schema: q.Schema != nil, Prompt: hashOf(q.Prompt),
		Model: a.Model, Digest: a.Digest, Settings: a.Settings, Answer: string(a.Text),
		TokensIn: a.TokensIn, TokensOut: a.TokensOut, Stopped: a.Stopped, TookMS: a.Took.Milliseconds(),
	}
}

func hashOf(prompt string) string {
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}

// row is a Row as a file has it: the answer last, in one of two keys.
type row struct {
	Row
	Answer *string `json:"answer,omitempty"`
	Base64 *string `json:"answer_base64,omitempty"`
}

// keys are a row's; optional those that need not be there, of the last two exactly one.
var (
	keys = []string{"villager", "tick", "attempt", "schema", "prompt_sha256", "model", "digest", "settings",
		"tokens_in", "tokens_out", "done_reason", "took_ms", "answer", "answer_base64"}
	optional = []string{"attempt", "answer", "answer_base64"}
	settings = []string{"limit", "context", "temperature", "seed"}
)

// Write is a recording's bytes: one row a line, so that a change is seen, and the same bytes
// for the same rows.
func Write(rows []Row) []byte {
	if len(rows) == 0 {
		return []byte("[]\n")
	}
	var out bytes.Buffer
	between := "[\n"
	for _, r := range rows {
		out.WriteString(between)
		out.Write(encode(r))
		between = ",\n"
	}
	out.WriteString("\n]\n")
	return out.Bytes()
}

func encode(r Row) []byte {
	line := row{Row: r}
	if line.Attempt == 1 {
		line.Attempt = 0
	}
	if isText(r.Answer) {
		line.Answer = &r.Answer
	} else {
		coded := base64.StdEncoding.EncodeToString([]byte(r.Answer))
		line.Base64 = &coded
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		panic(err) // a temperature that is no number: no call was ever made with one
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// isText says whether JSON gives back an answer's very bytes. A decoder puts U+FFFD for what
// it cannot read, so that an answer that holds one is not taken for text either.
func isText(answer string) bool {
	return utf8.ValidString(answer) && !strings.ContainsRune(answer, utf8.RuneError)
}

// decode reads a row strictly: every key by its exact name, once, and of a fit value.
func decode(raw []byte) (Row, error) {
	line, err := parse(raw)
	if err != nil {
		return Row{}, err
	}
	r := line.Row
	r.Attempt = max(r.Attempt, 1)
	if r.Answer, err = line.answer(); err != nil {
		return Row{}, err
	}
	return r, r.check()
}

func parse(raw []byte) (row, error) {
	var line row
	have, err := object(raw, keys, optional)
	if err != nil {
		return line, err
	}
	if _, err := object(have["settings"], settings, nil); err != nil {
		return line, fmt.Errorf("settings: %w", err)
	}
	if err := json.Unmarshal(raw, &line); err != nil {
		return line, err
	}
	if _, is := have["attempt"]; is && line.Attempt < 1 {
		return line, fmt.Errorf("attempt %d: they count from 1", line.Attempt)
	}
	return line, nil
}

func (line row) answer() (string, error) {
	switch {
	case (line.Answer == nil) == (line.Base64 == nil):
		return "", errors.New("it has one of answer and answer_base64")
	case line.Answer != nil && !isText(*line.Answer):
		return "", errors.New("answer holds what is not text: answer_base64 has the bytes")
	case line.Answer != nil:
		return *line.Answer, nil
	}
	text, err := base64.StdEncoding.Strict().DecodeString(*line.Base64)
	switch {
	case err != nil:
		return "", fmt.Errorf("answer_base64: %w", err)
	case isText(string(text)):
		return "", errors.New("answer_base64 holds text: answer is for it")
	}
	return string(text), nil
}

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (r Row) check() error {
	switch {
	case r.Villager == "":
		return errors.New("villager is empty")
	case r.Tick < 0:
		return fmt.Errorf("tick %d: there is none before 0", r.Tick)
	case !sha256Hex.MatchString(r.Prompt):
		return fmt.Errorf("prompt_sha256 %.80q is not 64 lower-case hex digits", r.Prompt)
	case r.Model == "" || r.Digest == "":
		return errors.New("model or digest is empty")
	case r.TokensIn < 0 || r.TokensOut < 0 || r.TookMS < 0:
		return errors.New("tokens and time are not below 0")
	}
	return nil
}

// object reads an object's keys: each known, named exactly, there once and not null. All that
// are not optional must be there.
func object(raw []byte, known, optional []string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.Join(errors.New("it is not an object"), err)
	}
	have := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if _, twice := have[name]; twice || !slices.Contains(known, name) || string(value) == "null" {
			return nil, fmt.Errorf("key %.80q: unknown, there twice, or null", name)
		}
		have[name] = value
	}
	for _, name := range known {
		if _, is := have[name]; !is && !slices.Contains(optional, name) {
			return nil, fmt.Errorf("no key %q", name)
		}
	}
	return have, nil
}
