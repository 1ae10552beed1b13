package carrier

import (
	"errors"
	"fmt"

	"torve/internal/strictyaml"
)

// ReportCap is the most bytes that an agent's report may have.
const ReportCap = 1 << 20

// wire is a report in which what lacks can be told from what is empty.
type wire struct {
	Task        *string       `json:"task"`
	Summary     *string       `json:"summary"`
	LeansOn     *[]string     `json:"leans_on"`
	Divergences *[]Divergence `json:"divergences"`
	Halted      bool          `json:"halted"`
}

// ReadReport reads an agent's report strictly. The error says in one sentence
// why it is not the shape asked for.
func ReadReport(data []byte) (Report, error) {
	if len(data) > ReportCap {
		return Report{}, fmt.Errorf("the report has %d bytes, and the cap is %d", len(data), ReportCap)
	}
	var w wire
	if err := decodeJSON("the report", data, &w); err != nil {
		return Report{}, sentence(err)
	}
	switch {
	case w.Task == nil:
		return Report{}, lacks("task")
	case w.Summary == nil:
		return Report{}, lacks("summary")
	case w.LeansOn == nil:
		return Report{}, lacks("leans_on")
	case w.Divergences == nil:
		return Report{}, lacks("divergences")
	}
	for i, d := range *w.Divergences {
		if err := d.whole(); err != nil {
			return Report{}, fmt.Errorf("divergence %d: %w", i+1, err)
		}
	}
	return Report{Task: *w.Task, Summary: *w.Summary, LeansOn: *w.LeansOn, Divergences: *w.Divergences, Halted: w.Halted}, nil
}

func lacks(key string) error { return fmt.Errorf("the report has no %s", key) }

func (d Divergence) whole() error {
	for _, part := range []struct{ key, value string }{
		{"decision", d.Decision}, {"claim", d.Claim}, {"evidence", d.Evidence},
	} {
		if part.value == "" {
			return fmt.Errorf("it has no %s", part.key)
		}
	}
	if !ValidAction(d.Action) {
		return fmt.Errorf("action is %q, and one of upheld, departed, decided, halted is wanted", d.Action)
	}
	return nil
}

// sentence says a fault without a file's name: line 3: there is no key "x".
func sentence(err error) error {
	var f *strictyaml.Error
	if !errors.As(err, &f) {
		return err
	}
	return fmt.Errorf("line %d: %s", f.Line, f.Why)
}
