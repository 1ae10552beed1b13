package process

import (
	"io"
	"os"
)

// feed writes to a program's stdin.
type feed struct {
	from   io.Reader
	theirs *os.File
	ours   *os.File
	done   chan struct{}
}

// connectStdin gives what the program reads from. A file is handed on, nothing is
// nothing, and all else goes through a pipe of our own, which can be closed even
// while a grandchild holds the other end and nobody reads.
func connectStdin(from io.Reader) (io.Reader, *feed, error) {
	switch from := from.(type) {
	case nil:
		return nil, nil, nil
	case *os.File:
		return from, nil, nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return theirs, &feed{from: from, theirs: theirs, ours: ours, done: make(chan struct{})}, nil
}

// begin feeds the program. That it stops reading is its own affair.
func (f *feed) begin() {
	if f == nil {
		return
	}
	_ = f.theirs.Close()
	go func() {
		defer close(f.done)
		_, _ = io.Copy(f.ours, f.from)
		_ = f.ours.Close()
	}()
}

// end stops the feeding; a source that can be closed is closed and waited for.
func (f *feed) end() {
	if f == nil {
		return
	}
	_ = f.ours.Close()
	if c, ok := f.from.(io.Closer); ok {
		_ = c.Close()
		<-f.done
	}
}

// abandon is for a program that was not started.
func (f *feed) abandon() {
	if f == nil {
		return
	}
	_, _ = f.theirs.Close(), f.ours.Close()
}
