package lang

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// wire watches one call on its way. The client gives no error for a stream that ends too
// soon, nor for a line longer than its buffer, nor for a status of error with an empty body;
// so that the stream is looked at here, before the client reads it.
type wire struct {
	under http.RoundTripper
	most  int64 // bytes of the answer
	lines bool  // the answer is one JSON object a line

	sent      bool   // the question was handed to the network
	status    string // of the answer, "404 Not Found"; "": none came
	refused   bool   // the status is one of error
	moved     bool   // it is a redirect
	elsewhere string // where that would lead; "": it does not say
	read      int64  // bytes of the answer
	err       error  // the first that was met in the answer
}

// RoundTrip sends the question. It follows no redirect: the prompt goes where it was sent.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.sent = true
	resp, err := w.under.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		w.moved, w.elsewhere = true, resp.Header.Get("Location")
		return nil, errors.Join(ErrRedirect, resp.Body.Close())
	}
	w.status, w.refused = resp.Status, resp.StatusCode >= 400
	in := &bounded{wire: w, in: resp.Body, left: w.most}
	if w.lines && !w.refused {
		resp.Body = &lines{bounded: in, in: bufio.NewReader(in)}
	} else {
		resp.Body = in
	}
	return resp, nil
}

// bounded reads an answer up to its bound, and keeps the error that it ends with.
type bounded struct {
	wire *wire
	in   io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.in.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	b.wire.read += int64(n)
	if b.left < 0 { // one byte more was asked for than may be read on
		n, err = n-1, ErrTooLarge
	}
	if err != nil && err != io.EOF && b.wire.err == nil {
		b.wire.err = err
	}
	return n, err
}

func (b *bounded) Close() error { return b.in.Close() }

// lines hands on whole lines alone, each a JSON object.
type lines struct {
	*bounded
	in   *bufio.Reader
	rest []byte // of a line that is being handed on
	err  error  // what comes after it
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.next()
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line. The last one may have no end: it is handed on when it is whole.
func (l *lines) next() {
	line, err := l.in.ReadBytes('\n')
	l.err = err
	switch line := bytes.TrimSpace(line); {
	case len(line) == 0:
	case isObject(line):
		l.rest = append(line, '\n')
	case err == nil || line[0] != '{':
		l.fail(fmt.Errorf("%w: %.80q", ErrGarbled, line))
	default:
		l.fail(io.ErrUnexpectedEOF)
	}
}

// fail ends the answer, with an error that was met before unless there is none.
func (l *lines) fail(err error) {
	if l.wire.err == nil {
		l.wire.err = err
	}
	l.err = l.wire.err
}

func isObject(line []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(line, &object) == nil && object != nil
}
