package carrier

import (
	"encoding/json"
	"fmt"
	"io"

	"torve/internal/strictyaml"
)

// EncodeRow gives the one form of a row: one line of JSON and its line end.
func EncodeRow(r Row) ([]byte, error) {
	r.Schema, r.At = TelemetrySchema, second(r.At)
	line, err := encodeLine(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the row of %s, attempt %d: %w", r.Task, r.Attempt, err)
	}
	return line, nil
}

// AppendRow adds one row in one write, so that rows of several processes never
// mix. A line that a crash left without its end is closed first and stays a
// fault of its own.
func AppendRow(file string, r Row) error {
	r.Schema, r.At = TelemetrySchema, second(r.At)
	return appendLine(file, "telemetry", r)
}

// ReadRows reads every row in the order of the file, and names each line that
// does not read. A file that is not there holds none; the error is the disk's.
func ReadRows(file string) ([]Row, []*strictyaml.Error, error) {
	var rows []Row
	faults, err := readLines(file, "telemetry", takeRow(file, &rows))
	return rows, faults, err
}

// DecodeRows is ReadRows over a stream; file is its name in faults.
func DecodeRows(file string, in io.Reader) ([]Row, []*strictyaml.Error, error) {
	var rows []Row
	faults, err := eachLine(in, takeRow(file, &rows))
	return rows, faults, err
}

func takeRow(file string, rows *[]Row) func([]byte) *strictyaml.Error {
	return func(line []byte) *strictyaml.Error {
		row, err := decodeRow(file, line)
		if err != nil {
			return wrong(file, err)
		}
		*rows = append(*rows, row)
		return nil
	}
}

// decodeRow reads a row of our schema strictly. One that names no schema is from
// before there was one: what we know of it is taken, and the rest let be.
func decodeRow(file string, line []byte) (Row, error) {
	schema, err := asked(file, line, TelemetrySchema)
	if err != nil {
		return Row{}, err
	}
	var r Row
	if schema == "" {
		if err := json.Unmarshal(line, &r); err != nil {
			return Row{}, fault(file, line, 0, err)
		}
		return r, nil
	}
	if err := decodeJSON(file, line, &r); err != nil {
		return Row{}, err
	}
	if !ValidTask(r.Task) {
		return Row{}, &strictyaml.Error{File: file, Col: 1, Why: fmt.Sprintf("task is %q, and an id such as T-0007 is wanted", r.Task)}
	}
	return r, nil
}
