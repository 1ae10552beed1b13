package village

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bytes are the state's canonical JSON, ending in a newline.
func (s State) Bytes() []byte {
	text, err := layout(s)
	if err != nil {
		panic(fmt.Sprintf("village: a state that JSON cannot hold: %v", err)) // numbers, words and lists of them
	}
	return text
}

// ParseState reads them back, strictly: the JSON of a state and nothing else, as Bytes writes
// it, of a world that can be.
func ParseState(text []byte) (State, error) {
	s, err := decodeState(text)
	if err != nil {
		return State{}, fmt.Errorf("a world's state: %w", err)
	}
	return s, nil
}

func decodeState(text []byte) (State, error) {
	var s State
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return State{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return State{}, errors.New("something follows it")
	}
	if err := s.check(); err != nil {
		return State{}, err
	}
	return s, asWritten(text, s.Bytes())
}

// asWritten refuses a text that is not the bytes it is read as: a key twice, in another
// order, in another case, or laid out otherwise.
func asWritten(text, canonical []byte) error {
	if bytes.Equal(text, canonical) {
		return nil
	}
	got, want := bytes.Split(text, []byte("\n")), bytes.Split(canonical, []byte("\n"))
	for i := range want {
		if i == len(got) {
			return fmt.Errorf("it ends before line %d: %s", i+1, want[i])
		}
		if !bytes.Equal(got[i], want[i]) {
			return fmt.Errorf("line %d is %q, and a state's bytes are %q there", i+1, got[i], want[i])
		}
	}
	return fmt.Errorf("it goes on behind line %d", len(want)-1)
}
