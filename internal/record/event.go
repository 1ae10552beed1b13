// Package record is the append-only log of what happened: its events, its
// interface, who may write what, and the invariants R1 to R7 that Check asks.
package record

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Partition names one repository's log inside a store.
type Partition string

// Seq is an event's place in its partition, from 1 without a gap.
type Seq int64

// Kind names what an event says; the list is closed (kinds.go).
type Kind string

// Schema is the version of every kind's payload that this program writes, and the newest it reads.
const Schema = 1

// Actor is who an event is from: a station's name, "person" or "agent", and an id.
type Actor struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
}

// Event is one fact. Partition, Seq, Prev and Hash are the store's; the rest is
// the client's body, kept by the store as the very bytes it was given.
type Event struct {
	Partition Partition       `json:"-"`
	Seq       Seq             `json:"-"`
	Prev      string          `json:"-"` // hex SHA-256 of the event before; "" for the first
	Hash      string          `json:"-"` // hex SHA-256(prev ‖ seq ‖ body)
	ID        string          `json:"id"`
	Kind      Kind            `json:"kind"`
	Schema    int             `json:"schema"`
	At        time.Time       `json:"at"`
	Task      string          `json:"task,omitempty"`
	Attempt   int             `json:"attempt,omitempty"`
	Claim     string          `json:"claim,omitempty"`
	Actor     Actor           `json:"actor"`
	Host      string          `json:"host,omitempty"`
	Cause     string          `json:"cause,omitempty"`
	Payload   json.RawMessage `json:"payload"`
}

// Payload is the typed content of one kind of event.
type Payload interface {
	Kind() Kind
	Validate() error // nil, or what is wrong, in lower case
}

// Envelope is what stands around a payload. ID may be empty: New makes one.
type Envelope struct {
	ID      string
	Task    string
	Attempt int
	Claim   string
	Actor   Actor
	Host    string
	Cause   string // the id of the event that led to this one
}

// New is an event of a payload, at a time that is cut to whole seconds of UTC,
// with a fresh id unless the envelope fixes one. It is validated whole.
func New(p Payload, at time.Time, o Envelope) (Event, error) {
	payload, err := encode(whole(p))
	if err != nil {
		return Event{}, fmt.Errorf("encoding %s: %w", p.Kind(), err)
	}
	if o.ID == "" {
		o.ID = rand.Text()
	}
	e := Event{
		ID: o.ID, Kind: p.Kind(), Schema: Schema, At: at.UTC().Truncate(time.Second),
		Task: o.Task, Attempt: o.Attempt, Claim: o.Claim,
		Actor: Actor{Kind: o.Actor.Kind, ID: legible(o.Actor.ID)}, Host: legible(o.Host), Cause: o.Cause, Payload: payload,
	}
	return e, e.Validate()
}

// Body is the event's canonical bytes: one line of JSON, the envelope's fields in
// their fixed order, nothing escaped that need not be. It is what is hashed and stored.
func (e Event) Body() ([]byte, error) { return encode(e) }

// ParseBody reads canonical bytes back. The store's own fields stay empty.
func ParseBody(body []byte) (Event, error) {
	var e Event
	if err := strict(body, &e); err != nil {
		return Event{}, fmt.Errorf("reading an event's body: %w", err)
	}
	return e, nil
}

// encode is JSON without HTML's escapes and without the encoder's newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// strict is JSON that refuses an unknown field and anything after the value.
func strict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}
