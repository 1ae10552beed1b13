package carrier

import (
	"errors"
	"fmt"
	"io"
	"time"

	"torve/internal/strictyaml"
)

// FeedbackSchema names the only version of a feedback row that this program writes.
const FeedbackSchema = "torve/feedback/v1"

// Feedback is one row of .torve/feedback.jsonl: what a task took of a person. Several
// rows of one task add up.
type Feedback struct {
	Schema  string    `json:"schema"`
	At      time.Time `json:"at"`
	Task    string    `json:"task"`
	Minutes *float64  `json:"minutes,omitempty"` // absent: nobody said
	Rework  bool      `json:"rework"`            // a person had to do it again, or a part of it
	Note    string    `json:"note,omitempty"`
	By      string    `json:"by"`
}

// mostMinutes is a year: more is a slip of the hand.
const mostMinutes = 366 * 24 * 60

// whole asks what the shape alone does not.
func (f *Feedback) whole() error {
	if err := about(f.At, f.Task, f.By); err != nil {
		return err
	}
	switch {
	case f.Minutes == nil && !f.Rework && f.Note == "":
		return errors.New("it says nothing: no minutes, no rework, no note")
	case f.Minutes != nil && !(*f.Minutes >= 0 && *f.Minutes <= mostMinutes):
		return fmt.Errorf("minutes are %v, and a number from 0 to %d is wanted", *f.Minutes, mostMinutes)
	}
	return said("note", f.Note, false)
}

// AppendFeedback adds one row in one write. A row that would not read back is refused.
func AppendFeedback(file string, f Feedback) error {
	f.Schema, f.At = FeedbackSchema, second(f.At)
	if err := f.whole(); err != nil {
		return err
	}
	return appendLine(file, "the feedback", f)
}

// ReadFeedback reads every row in the order of the file, and names each line that does
// not read. A file that is not there holds none.
func ReadFeedback(file string) ([]Feedback, []*strictyaml.Error, error) {
	var rows []Feedback
	faults, err := readLines(file, "the feedback", takeFeedback(file, &rows))
	return rows, faults, err
}

// DecodeFeedback is ReadFeedback over a stream; file is its name in faults.
func DecodeFeedback(file string, in io.Reader) ([]Feedback, []*strictyaml.Error, error) {
	var rows []Feedback
	faults, err := eachLine(in, takeFeedback(file, &rows))
	return rows, faults, err
}

func takeFeedback(file string, rows *[]Feedback) func([]byte) *strictyaml.Error {
	return func(line []byte) *strictyaml.Error {
		var f Feedback
		if err := decodeLine(file, line, FeedbackSchema, &f); err != nil {
			return wrong(file, err)
		}
		*rows = append(*rows, f)
		return nil
	}
}
