package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// output reads what a program prints, through pipes of our own.
type output struct {
	cmd     Cmd
	readers []*os.File
	writers []*os.File
	keep    *capture     // without Files
	out     bytes.Buffer // with Files
	err     bytes.Buffer
	bytes   atomic.Int64
	last    atomic.Int64  // nanoseconds after the first reading at which something came
	done    chan struct{} // all read to the end
	word    chan struct{} // told when a last word was seen
	said    atomic.Bool   // and nothing after it
	begun   time.Time

	tee    io.Writer
	lines  lines
	mu     sync.Mutex
	faults []error
}

func newOutput(c Cmd) *output {
	o := &output{cmd: c, done: make(chan struct{}), word: make(chan struct{}, 1), tee: c.Stdout}
	if c.Files == nil {
		o.keep = newCapture(c.Cap)
	}
	return o
}

// connect makes the pipes and gives the ends that the program writes to.
func (o *output) connect() (stdout, stderr *os.File, err error) {
	if stdout, err = o.pipe(); err != nil || o.cmd.Files == nil {
		return stdout, stdout, err
	}
	stderr, err = o.pipe()
	return stdout, stderr, err
}

func (o *output) pipe() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.readers, o.writers = append(o.readers, r), append(o.writers, w)
	return w, nil
}

// begin closes the program's ends here and reads ours.
func (o *output) begin() {
	o.begun = time.Now()
	closeAll(o.writers)
	var reading sync.WaitGroup
	for i, r := range o.readers {
		reading.Go(func() { o.read(r, i == 0) })
	}
	go func() {
		reading.Wait()
		close(o.done)
	}()
}

// read takes one pipe to its end, or until it is cut.
func (o *output) read(r io.Reader, stdout bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			o.last.Store(int64(time.Since(o.begun)))
			o.bytes.Add(int64(n))
			o.take(buf[:n], stdout)
		}
		if err != nil {
			break
		}
	}
	if stdout && o.cmd.Final != nil {
		o.ask([]byte("\n")) // the last line may have no end
	}
}

// take keeps one piece and hands it on.
func (o *output) take(p []byte, stdout bool) {
	switch {
	case o.keep != nil:
		_, _ = o.keep.Write(p)
	case !stdout:
		o.err.Write(p)
		return
	case o.cmd.Stdout == nil:
		o.out.Write(p)
	}
	if o.tee != nil {
		if err := contained("the output writer", func() error { _, err := o.tee.Write(p); return err }); err != nil {
			o.fail(err)
			o.tee = nil
		}
	}
	if o.cmd.Final != nil {
		o.ask(p)
	}
}

// ask looks for the last word in the lines that are whole. What comes after one takes
// it back: the program went on.
func (o *output) ask(p []byte) {
	err := contained("the final callback", func() error {
		o.lines.each(p, func(line []byte) { o.said.Store(o.cmd.Final(line)) })
		return nil
	})
	if err != nil {
		o.fail(err)
		o.cmd.Final = nil
		o.said.Store(false)
	}
	if o.said.Load() {
		select {
		case o.word <- struct{}{}:
		default:
		}
	}
}

// silence is how long nothing was printed.
func (o *output) silence() time.Duration {
	return time.Since(o.begun) - time.Duration(o.last.Load())
}

// cut ends the reading even where somebody still holds a pipe.
func (o *output) cut() {
	closeAll(o.readers)
	<-o.done
}

// abandon is cut for a program that was not started.
func (o *output) abandon() {
	closeAll(o.writers)
	closeAll(o.readers)
}

func (o *output) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.faults = append(o.faults, err)
}

// fault is what a callback did wrong.
func (o *output) fault() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return errors.Join(o.faults...)
}

// fill puts what was read into the result.
func (o *output) fill(res *Result) {
	res.Bytes = o.bytes.Load()
	if o.keep != nil {
		res.Output, res.SHA256, res.Last = o.keep.Bytes(), o.keep.Sum(), o.keep.Last()
		return
	}
	o.cmd.Files.Out, o.cmd.Files.Err = o.out.Bytes(), o.err.Bytes()
	if res.Last = LastLine(o.err.Bytes()); res.Last == "" {
		res.Last = LastLine(o.out.Bytes())
	}
}

// contained turns a panic of somebody else's code into an error.
func contained(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panicked: %v", what, p)
		}
	}()
	if err := f(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
