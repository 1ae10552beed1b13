package village

import (
	"encoding/json"
	"errors"
	"fmt"

	"torve/configs"
	"torve/internal/law"
)

// Thought is how a villager is asked: the blocks retrieval and planning of the settings.
type Thought struct {
	Newest      int // rows of memory in a prompt
	Caps        law.Caps
	Every       int // ticks between two questions
	Limit       int // tokens of an answer
	Context     int // tokens of the model's window
	Temperature float64
}

type retrieval struct {
	Newest int `json:"newest"`
}

type planning struct {
	Steps       int      `json:"steps"`
	Horizon     int      `json:"horizon"`
	Every       int      `json:"every"`
	Limit       int      `json:"limit"`
	Context     int      `json:"context"`
	Temperature *float64 `json:"temperature"`
}

// The bounds of how a villager is asked.
const (
	mostSteps  = 100
	mostTokens = 1 << 20
	mostHeat   = 2
)

// ReadThought reads the two blocks, and none of the others. A key that it does not know is an
// error, and so is a number out of its bounds or missing.
func ReadThought() (Thought, error) {
	memory, err := readBlock("retrieval", retrieval.check)
	if err != nil {
		return Thought{}, err
	}
	p, err := readBlock("planning", planning.check)
	if err != nil {
		return Thought{}, err
	}
	return Thought{
		Newest: memory.Newest, Caps: law.Caps{Steps: p.Steps, Horizon: p.Horizon},
		Every: p.Every, Limit: p.Limit, Context: p.Context, Temperature: *p.Temperature,
	}, nil
}

func (s retrieval) check() error { return within("newest", s.Newest, 1, Remembered) }

func (s planning) check() error {
	switch {
	case s.Temperature == nil:
		return errors.New("no temperature")
	case *s.Temperature < 0 || *s.Temperature > mostHeat:
		return fmt.Errorf("temperature is %g: 0 to %d", *s.Temperature, mostHeat)
	}
	return errors.Join(
		within("steps", s.Steps, 1, mostSteps),
		within("horizon", s.Horizon, 1, Day),
		within("every", s.Every, 1, mostTick),
		within("limit", s.Limit, 1, mostTokens),
		within("context", s.Context, 1, mostTokens),
	)
}

func within(key string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s is %d: %d to %d", key, n, least, most)
	}
	return nil
}

// readBlock reads one block of how villagers are asked, and none of the others.
func readBlock[T any](name string, check func(T) error) (T, error) {
	text, err := configs.Block[json.RawMessage](configs.Thought, name)
	if err != nil {
		var value T
		return value, fmt.Errorf("village: %w", err)
	}
	return block(name, text, check)
}

// block reads a block's own text, strictly.
func block[T any](name string, text []byte, check func(T) error) (T, error) {
	var value T
	if err := configs.Strict(text, &value); err != nil {
		return value, fmt.Errorf("village: %s: %s: %w", configs.Thought, name, err)
	}
	if err := check(value); err != nil {
		return value, fmt.Errorf("village: %s: %w", configs.Thought, err)
	}
	return value, nil
}
