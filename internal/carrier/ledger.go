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
	"path"
	"strings"
	"time"

	"torve/internal/failpoint"
	"torve/internal/strictyaml"
)

// The ledgers are files of lines that only grow: telemetry, findings and feedback. Here
// is the one way to add to one of them, and the one way to read it.

// appendLine adds one line in one write, so that the lines of several processes never
// mix. A line that a crash left without its end is closed first and stays a fault of
// its own. what names the ledger in an error.
func appendLine(file, what string, row any) error {
	line, err := encodeLine(row)
	if err != nil {
		return fmt.Errorf("encoding a row of %s: %w", what, err)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("appending to %s: %w", what, err)
	}
	if torn(f) {
		line = append([]byte("\n"), line...)
	}
	_, err = f.Write(line)
	failpoint.Hit(failpoint.RowAppended)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("appending to %s: %w", what, err)
	}
	return nil
}

// encodeLine is one line of JSON and its line end.
func encodeLine(row any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(row); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
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

// readLines hands every line of a ledger that is not blank to take, in the order of the
// file, and gives what take found wrong, each with its line. A file that is not there
// has none; the error is the disk's.
func readLines(file, what string, take func(line []byte) *strictyaml.Error) ([]*strictyaml.Error, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	defer f.Close()
	faults, err := eachLine(f, take)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return faults, nil
}

// eachLine is readLines over a stream.
func eachLine(in io.Reader, take func(line []byte) *strictyaml.Error) ([]*strictyaml.Error, error) {
	var faults []*strictyaml.Error
	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if f := take(line); f != nil {
				f.Line = n
				faults = append(faults, f)
			}
		}
		if err != nil {
			return faults, nil
		}
	}
}

// wrong makes a fault of whatever a decoder gave; nil of nil.
func wrong(file string, err error) *strictyaml.Error {
	var f *strictyaml.Error
	if err == nil || errors.As(err, &f) {
		return f
	}
	return &strictyaml.Error{File: file, Col: 1, Why: err.Error()}
}

// decodeLine reads a row of a ledger strictly: its schema, its keys, and what is asked
// of it. A row of a ledger names its schema.
func decodeLine(file string, line []byte, schema string, into interface{ whole() error }) error {
	got, err := asked(file, line, schema)
	if err != nil {
		return err
	}
	if err := decodeJSON(file, line, into); err != nil {
		return err
	}
	if got == "" {
		return &strictyaml.Error{File: file, Col: 1, Why: "the row names no schema", Hint: "schema: " + schema}
	}
	return into.whole()
}

// mostText is the most bytes that a claim, a reason or a note of a ledger may have.
const mostText = 16 << 10

// said asks that a text is there when it must be, and no longer than a row may hold.
func said(key, text string, must bool) error {
	switch {
	case must && strings.TrimSpace(text) == "":
		return fmt.Errorf("it has no %s", key)
	case len(text) > mostText:
		return fmt.Errorf("%s has %d bytes, and the cap is %d", key, len(text), mostText)
	}
	return nil
}

// about asks what every row of a ledger says: when, of which task, and who says so.
func about(at time.Time, task, by string) error {
	switch {
	case at.IsZero():
		return errors.New("it has no at")
	case !ValidTask(task):
		return fmt.Errorf("task is %q, and an id such as T-0007 is wanted", task)
	}
	return said("by", by, true)
}

// within asks that a path stays inside the repository.
func within(name string) error {
	if name == "" || name == path.Clean(name) && !path.IsAbs(name) && name != ".." && !strings.HasPrefix(name, "../") {
		return nil
	}
	return fmt.Errorf("path is %q, and one inside the repository is wanted, as law/seam.go", name)
}
