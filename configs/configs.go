// Package configs holds the world's settings, embedded: the valley, its animals, who lives
// there, how a villager is asked, the model, the law, and one recorded day.
package configs

import (
	"embed"
	"encoding/json"
	"fmt"
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
	if err := Strict(text, &value); err != nil {
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
	if err := Strict(text, &value); err != nil {
		return value, fmt.Errorf("%s: %s: %w", file, block, err)
	}
	return value, nil
}
