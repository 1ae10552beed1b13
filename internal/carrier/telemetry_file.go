package carrier

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"torve/internal/strictyaml"
)

// EncodeRow gives the one form of a row: one line of JSON and its line end.
func EncodeRow(r Row) ([]byte, error) {
	r.Schema, r.At = TelemetrySchema, second(r.At)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("encoding the row of %s, attempt %d: %w", r.Task, r.Attempt, err)
	}
	return out.Bytes(), nil
}

// AppendRow adds one row in one write, so that rows of several processes never
// mix. A line that a crash left without its end is closed first and stays a
// fault of its own.
func AppendRow(file string, r Row) error {
	line, err := EncodeRow(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("appending to telemetry: %w", err)
	}
	if torn(f) {
		line = append([]byte("\n"), line...)
	}
	_, err = f.Write(line)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("appending to telemetry: %w", err)
	}
	return nil
}

// torn reports whether the last line has no end.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// ReadRows reads every row in the order of the file, and names each line that
// does not read. A file that is not there holds none; the error is the disk's.
func ReadRows(file string) ([]Row, []*strictyaml.Error, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading telemetry: %w", err)
	}
	defer f.Close()
	rows, faults, err := DecodeRows(file, f)
	if err != nil {
		return nil, nil, fmt.Errorf("reading telemetry: %w", err)
	}
	return rows, faults, nil
}

// DecodeRows is ReadRows over a stream; file is its name in faults.
func DecodeRows(file string, in io.Reader) ([]Row, []*strictyaml.Error, error) {
	var rows []Row
	var faults []*strictyaml.Error
	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			row, wrong := decodeRow(file, line)
			var f *strictyaml.Error
			if errors.As(wrong, &f) {
				f.Line = n
				faults = append(faults, f)
			} else {
				rows = append(rows, row)
			}
		}
		if err != nil {
			return rows, faults, nil
		}
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
