package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// linesSchema names the form of an exported partition: a line that says what it is, a line an
// event with the very bytes of its body, and a line that says how many they are, so that a
// file that was cut is seen.
const linesSchema = "torve/record/v1"

// maxLine is how long a line may be that is read.
const maxLine = 64 << 20

type head struct {
	Schema    string    `json:"schema"`
	Partition Partition `json:"partition"`
}

type line struct {
	Seq  Seq             `json:"seq"`
	Prev string          `json:"prev"`
	Hash string          `json:"hash"`
	Body json.RawMessage `json:"body"`
}

type foot struct {
	Events Seq    `json:"events"`
	Hash   string `json:"hash"`
}

func (l line) text() []byte {
	return fmt.Appendf(nil, `{"seq":%d,"prev":%q,"hash":%q,"body":%s}`, l.Seq, l.Prev, l.Hash, l.Body)
}

// WriteLines exports the events of a partition, and checks them as they go by (R2 to R6). On
// an error what was written has no last line, and does not read as an export.
func WriteLines(w io.Writer, p Partition, events iter.Seq2[Event, error]) (Copied, error) {
	var c Copied
	put := func(text []byte, err error) error {
		if err == nil {
			_, err = w.Write(append(text, '\n'))
		}
		return err
	}
	if err := put(encode(head{linesSchema, p})); err != nil {
		return c, err
	}
	for e, err := range Chained(c.Through(events)) {
		if err != nil {
			return c, err
		}
		if err := put(line{e.Seq, e.Prev, e.Hash, e.Bytes}.text(), nil); err != nil {
			return c, err
		}
	}
	return c, put(encode(foot{c.Events, c.Hash}))
}

// LineError says what is wrong with a line of an export.
type LineError struct {
	Line int
	Err  error
}

func (l *LineError) Error() string { return fmt.Sprintf("line %d: %v", l.Line, l.Err) }

// Unwrap gives what is wrong with it.
func (l *LineError) Unwrap() error { return l.Err }

// ReadLines reads an export: of which partition it is, and, once, its events, chained (R2, R3)
// over the bytes that stand there. What is not as WriteLines writes it is a *LineError, and so
// is an end without the last line; an error of the reader comes back as it is.
func ReadLines(r io.Reader) (Partition, iter.Seq2[Event, error], error) {
	in := &exported{Scanner: bufio.NewScanner(r)}
	in.Buffer(nil, maxLine)
	in.Split(wholeLines)
	p, err := in.head()
	if err != nil {
		return "", nil, in.at(err)
	}
	return p, func(yield func(Event, error) bool) {
		for {
			e, more, err := in.event()
			if err != nil {
				yield(Event{}, in.at(err))
				return
			}
			if !more || !yield(e, nil) {
				return
			}
		}
	}, nil
}

// wholeLines splits at each newline, which stays: without one the last line may be cut.
func wholeLines(data []byte, end bool) (int, []byte, error) {
	n := bytes.IndexByte(data, '\n') + 1
	if n == 0 && end {
		n = len(data)
	}
	if n == 0 {
		return 0, nil, nil
	}
	return n, data[:n], nil
}

// exported is an export that is being read.
type exported struct {
	*bufio.Scanner
	chain
	lines int
}

func (x *exported) at(err error) error {
	if x.Err() != nil && !errors.Is(x.Err(), bufio.ErrTooLong) {
		return x.Err()
	}
	return &LineError{max(x.lines, 1), err}
}

var errCut = errors.New("it ends before the line that counts its events: it was cut")

// line is the next line without its newline; io.EOF where there is none.
func (x *exported) line() (text []byte, err error) {
	if !x.Scan() {
		switch {
		case errors.Is(x.Err(), bufio.ErrTooLong):
			x.lines++
			return nil, fmt.Errorf("it is longer than %d MiB", maxLine>>20)
		case x.Err() != nil:
			return nil, x.Err()
		}
		return nil, io.EOF
	}
	x.lines++
	text, ended := bytes.CutSuffix(x.Bytes(), []byte("\n"))
	switch {
	case x.lines == 1 && bytes.HasPrefix(text, []byte("\ufeff")):
		return nil, errors.New("it begins with a byte order mark: an editor wrote the file anew")
	case bytes.HasSuffix(text, []byte("\r")):
		return nil, errors.New("it ends in a carriage return: the file was given another system's line ends")
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("it is blank")
	case !ended && !json.Valid(text):
		return nil, errCut
	}
	return text, nil
}

func (x *exported) head() (Partition, error) {
	text, err := x.line()
	if errors.Is(err, io.EOF) {
		return "", errors.New("there is nothing: it is no export of a record")
	}
	if err != nil {
		return "", err
	}
	var h head
	name, version := "torve/record/", ""
	if json.Unmarshal(text, &h) == nil {
		version, _ = strings.CutPrefix(h.Schema, name)
	}
	switch want, _ := encode(h); {
	case version == "" || version == h.Schema:
		return "", errors.New("it is no export of a record")
	case h.Schema != linesSchema:
		return "", fmt.Errorf("it is of %s, and this program reads %s: %w", h.Schema, linesSchema, ErrNewer)
	case !bytes.Equal(want, text):
		return "", errAltered
	}
	return h.Partition, nil
}

var errAltered = errors.New("it is not as it was exported")

// event is the next event; none after the line that counts them, which it asks.
func (x *exported) event() (e Event, more bool, err error) {
	text, err := x.line()
	if errors.Is(err, io.EOF) {
		return e, false, errCut
	}
	if err != nil {
		return e, false, err
	}
	if bytes.HasPrefix(text, []byte(`{"events":`)) {
		return e, false, x.foot(text)
	}
	var l line
	if err := strict(text, &l); err != nil {
		return e, false, err
	}
	if !bytes.Equal(l.text(), text) {
		return e, false, errAltered
	}
	if err := x.link(Stored{Seq: l.Seq, Prev: l.Prev, Hash: l.Hash, Body: l.Body}); err != nil {
		return e, false, err
	}
	if e, err = ParseBody(l.Body); err != nil {
		return e, false, &Broken{"R6", l.Seq, err.Error()}
	}
	e.Seq, e.Prev, e.Hash = l.Seq, l.Prev, l.Hash
	return e, true, nil
}

func (x *exported) foot(text []byte) error {
	var f foot
	if err := strict(text, &f); err != nil {
		return err
	}
	switch want, _ := encode(f); {
	case !bytes.Equal(want, text):
		return errAltered
	case f.Events != x.last || f.Hash != x.hash:
		return fmt.Errorf("it counts %d events up to %.7q, and there are %d up to %.7q", f.Events, f.Hash, x.last, x.hash)
	}
	if _, err := x.line(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the line that counts the events")
	}
	return nil
}
