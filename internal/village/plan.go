package village

import (
	"errors"
	"fmt"

	"torve/configs"
	"torve/internal/law"
)

// ErrShape says that an answer is no plan. Its sentence goes on with what was wrong.
var ErrShape = errors.New("not the shape asked for")

// ReadPlan reads an answer: one JSON object with the keys of a plan, spelled as they are and
// each once, a value of its type behind each, and nothing behind the object. A null is no
// value. What is not there is for the law's first two checks to miss. An error is ErrShape,
// in the words of encoding/json where that has some.
func ReadPlan(answer []byte) (law.Plan, error) {
	p := law.Plan{Steps: []law.Step{}}
	if err := configs.Strict(answer, &p); err != nil {
		return law.Plan{}, fmt.Errorf("%w: %w", ErrShape, err)
	}
	return p, nil
}
