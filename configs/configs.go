// Package configs holds the world's settings, embedded: the valley, its animals, who lives
// there, how a villager is asked, the model, the law, and one recorded day.
package configs

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Files holds every file of this folder that ends in .json.
//
//go:embed *.json
var Files embed.FS

// The files.
const (
	Valley  = "valley.json"  // the ground and the water
	Fauna   = "fauna.json"   // what each kind of animal sees, reaches and pays
	Roster  = "roster.json"  // who lives in the valley, and where they are by the hour
	Thought = "thought.json" // how a villager is asked, and for how long an answer holds
	Model   = "model.json"   // which model is asked, and where
	Law     = "law.json"     // who may do what
	Day     = "day.json"     // a recorded day: prompts' hashes and answers
)

// Read decodes a whole file. A key that T does not know is an error, and so is anything
// behind the value.
func Read[T any](file string) (T, error) {
	text, err := Files.ReadFile(file)
	if err != nil {
		var value T
		return value, err
	}
	return Decode[T](file, text)
}

// Decode reads the text of a whole file as strictly; an error names the file.
func Decode[T any](file string, text []byte) (T, error) {
	var value T
	if err := decode(text, &value); err != nil {
		return value, fmt.Errorf("%s: %w", file, err)
	}
	return value, nil
}

// Block decodes one block of a file of blocks, and reads none of the others. A key that T
// does not know is an error.
func Block[T any](file, block string) (T, error) {
	var value T
	blocks, err := Read[map[string]json.RawMessage](file)
	if err != nil {
		return value, err
	}
	text, is := blocks[block]
	if !is {
		return value, fmt.Errorf("%s: no %s block", file, block)
	}
	if err := decode(text, &value); err != nil {
		return value, fmt.Errorf("%s: %s: %w", file, block, err)
	}
	return value, nil
}

func decode(text []byte, value any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return once(json.NewDecoder(bytes.NewReader(text)))
}

// once reads a value and refuses an object with a key twice, whatever the case of its
// letters: of two, the one that is read last would count.
func once(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	open, is := token.(json.Delim)
	if !is {
		return nil
	}
	keys := map[string]bool{}
	for dec.More() {
		if open == '{' {
			token, err := dec.Token()
			if err != nil {
				return err
			}
			key := strings.ToLower(fmt.Sprint(token))
			if keys[key] {
				return fmt.Errorf("the key %q is there twice", token)
			}
			keys[key] = true
		}
		if err := once(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}
