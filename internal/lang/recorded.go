package lang

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// Why a recording does not answer.
var (
	ErrNotRecorded = errors.New("no answer is recorded")
	ErrOtherPrompt = errors.New("the prompt is not the recorded one")
)

// Recorded is a recording: it answers the prompt that was recorded, and refuses any other.
type Recorded struct {
	rows  []Row
	index map[call]int
}

// call is what an answer is found by.
type call struct {
	villager      string
	tick, attempt int
	schema        bool
}

func (c call) String() string {
	with := "without a schema"
	if c.schema {
		with = "with a schema"
	}
	return fmt.Sprintf("%s at tick %d, attempt %d, %s", c.villager, c.tick, c.attempt, with)
}

// NewRecorded reads a recording's bytes, strictly. An error names the row, counted from 1.
func NewRecorded(text []byte) (*Recorded, error) {
	raws, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("lang: a recording: %w", err)
	}
	r := &Recorded{index: map[call]int{}}
	for i, raw := range raws {
		row, err := decode(raw)
		if err != nil {
			return nil, fmt.Errorf("lang: a recording: row %d: %w", i+1, err)
		}
		key := call{row.Villager, row.Tick, row.Attempt, row.Schema}
		if first, twice := r.index[key]; twice {
			return nil, fmt.Errorf("lang: a recording: row %d: %v is in row %d too", i+1, key, first+1)
		}
		r.index[key] = i
		r.rows = append(r.rows, row)
	}
	return r, nil
}

// split reads the array, and nothing behind it.
func split(text []byte) ([]json.RawMessage, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	var raws []json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&raws); err != nil {
		return nil, err
	}
	if raws == nil {
		return nil, errors.New("it is null, and an array of rows is asked for")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the array")
	}
	return raws, nil
}

// Answer finds the row of the villager, tick, attempt and schema. The settings are those that
// were recorded. It is ErrNotRecorded where there is no such row, and ErrOtherPrompt where the
// prompt does not hash to the recorded one.
func (r *Recorded) Answer(ctx context.Context, q Question) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, fmt.Errorf("lang: asking a recording: %w", err)
	}
	key := call{q.Villager, q.Tick, max(q.Attempt, 1), q.Schema != nil}
	at, is := r.index[key]
	if !is {
		return Answer{}, fmt.Errorf("lang: %w for %v", ErrNotRecorded, key)
	}
	row := r.rows[at]
	if here := hashOf(q.Prompt); here != row.Prompt {
		return Answer{}, fmt.Errorf("lang: %w for %v: it hashes to %s, and the recorded one to %s", ErrOtherPrompt, key, here[:16], row.Prompt[:16])
	}
	return Answer{
		Text: []byte(row.Answer), Model: row.Model, Digest: row.Digest, Settings: row.Settings,
		TokensIn: row.TokensIn, TokensOut: row.TokensOut, Stopped: row.Stopped, Took: time.Duration(row.TookMS) * time.Millisecond,
	}, nil
}

// Rows are the recording's, in its order.
func (r *Recorded) Rows() []Row { return slices.Clone(r.rows) }
