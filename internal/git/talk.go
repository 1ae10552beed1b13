package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"torve/internal/process"
)

// talk is one git program that runs on and answers what it is asked, line by line.
type talk struct {
	ask   *io.PipeWriter
	hear  *io.PipeReader
	lines *bufio.Reader
	stop  context.CancelFunc
	ended chan struct{}
}

// talk starts one. Once it has ended, what is asked of it and heard from it is an error.
func (r *Repo) talk(args ...string) *talk {
	ctx, stop := context.WithCancel(context.Background())
	stdin, ask := io.Pipe()
	hear, stdout := io.Pipe()
	files := &process.Files{} // stderr apart: a warning there is no answer
	t := &talk{ask: ask, hear: hear, lines: bufio.NewReaderSize(hear, 64<<10), stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		res := process.Run(ctx, process.Cmd{
			Argv:    slices.Concat([]string{"git", "-C", r.Dir}, settings, args),
			Env:     environ(),
			Stdin:   stdin,
			Stdout:  stdout,
			Files:   files,
			Trusted: true,
		})
		err := res.Err
		if err == nil {
			err = fmt.Errorf("git %s ended: %s", verb(args), res.Last)
		}
		_ = stdout.CloseWithError(err)
		_ = stdin.CloseWithError(err)
	}()
	return t
}

// end ends the program, politely by ending its input; once it is stopped at once.
func (t *talk) end(now bool) {
	if now {
		t.stop()
	}
	_ = t.ask.Close()
	_ = t.hear.Close()
	<-t.ended
	t.stop()
}
