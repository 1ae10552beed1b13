package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unkillable is how long a program is waited for after it was killed: one in an
// uninterruptible read, or of another user, may never go.
const unkillable = 10 * time.Second

// run is one program that was started.
type run struct {
	cmd    Cmd
	exe    *exec.Cmd
	pid    int
	born   uint64 // start time, as the platform counts it
	mark   string
	began  time.Time
	output *output
	feed   *feed
	exited chan struct{} // closed when it has exited; it is reaped later, so that its pid stays taken
}

// Run starts the program in its own process group, waits for it, and ends what
// it left running, descendants that changed group or session too.
func Run(ctx context.Context, c Cmd) Result {
	if ctx.Err() != nil {
		return Result{End: Cancelled, Exit: -1, Err: context.Cause(ctx)}
	}
	c = c.filled()
	r, err := start(c)
	if err != nil {
		return Result{End: Failed, Exit: -1, Err: err}
	}
	end, err := r.begun()
	if err == nil {
		end = r.watch(ctx)
	}
	if end != Exited {
		r.stop()
	}
	return r.result(end, err)
}

// filled puts the defaults in.
func (c Cmd) filled() Cmd {
	if c.Grace <= 0 {
		c.Grace = DefaultGrace
	}
	if c.Cap <= 0 {
		c.Cap = DefaultCap
	}
	c.Cap = max(c.Cap, 256)
	return c
}

// start starts the program with pipes of our own: exec's would make Wait hang on
// a grandchild that holds one open.
func start(c Cmd) (*run, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("no program to start")
	}
	r := &run{cmd: c, mark: newMark(c), output: newOutput(c), exited: make(chan struct{})}
	r.exe = exec.Command(c.Argv[0], c.Argv[1:]...)
	r.exe.Dir = c.Dir
	r.exe.Env = append(append([]string{}, c.Env...), markName+"="+r.mark)
	r.exe.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := r.connect(); err != nil {
		r.disconnect()
		return nil, fmt.Errorf("connecting %s: %w", c.Argv[0], err)
	}
	r.began = time.Now()
	if err := children.start(r); err != nil {
		r.disconnect()
		return nil, explain(c, err)
	}
	r.output.begin()
	r.feed.begin()
	go func() {
		untilExit(r.pid)
		close(r.exited)
	}()
	return r, nil
}

// explain names the folder when it is what is missing: the kernel's answer would
// be the same as for a missing program.
func explain(c Cmd, err error) error {
	if c.Dir != "" {
		if _, dir := os.Stat(c.Dir); dir != nil {
			err = dir
		}
	}
	return fmt.Errorf("starting %s: %w", c.Argv[0], err)
}

// connect makes the pipes.
func (r *run) connect() error {
	var err error
	if r.exe.Stdout, r.exe.Stderr, err = r.output.connect(); err != nil {
		return err
	}
	r.exe.Stdin, r.feed, err = connectStdin(r.cmd.Stdin)
	return err
}

// disconnect gives up the pipes of a program that was not started.
func (r *run) disconnect() {
	r.output.abandon()
	r.feed.abandon()
}

// begun tells who asked that it runs; a panic there ends the run, not torve.
func (r *run) begun() (end End, err error) {
	if r.cmd.Begun == nil {
		return Exited, nil
	}
	defer func() {
		if p := recover(); p != nil {
			end, err = Failed, fmt.Errorf("the begun callback panicked: %v", p)
		}
	}()
	r.cmd.Begun(r.pid, r.pid, startText(r.born))
	return Exited, nil
}

// stop ends the program, whole group and strays: politely, then not.
func (r *run) stop() {
	r.signal(unix.SIGTERM)
	if !within(r.exited, r.cmd.Grace) {
		r.signal(unix.SIGKILL)
		within(r.exited, unkillable)
	}
}

// signal reaches the group and, when the program is not trusted, who left it. The
// program is not reaped yet, so its group's number cannot be another's.
func (r *run) signal(sig unix.Signal) {
	_ = unix.Kill(-r.pid, sig)
	if r.cmd.Trusted {
		return
	}
	for _, p := range r.among(children.living()) {
		p.signal(sig)
	}
}

// result ends what is left, reads what was printed to its end, and reaps the program.
func (r *run) result(end End, err error) Result {
	left := 0
	if !r.cmd.Trusted {
		left = r.endLeft()
	}
	if !within(r.output.done, r.cmd.Grace) && r.cmd.Trusted {
		_ = unix.Kill(-r.pid, unix.SIGKILL)
	}
	r.output.cut()
	r.feed.end()
	res := Result{End: end, Exit: -1, Left: left, Err: errors.Join(err, r.output.fault())}
	if within(r.exited, 0) { // else it could not be killed
		_ = r.exe.Wait() // its answer is in ProcessState
		children.forget(r.pid)
		r.read(&res)
	}
	res.Took = time.Since(r.began)
	r.output.fill(&res)
	return res
}

// endLeft ends the descendants, and then the orphans that can be nobody else's. Where none is
// left one look at the machine serves both.
func (r *run) endLeft() int {
	var last listing
	left := endAll(func() []proc {
		last = children.list()
		return r.among(last.all)
	}, r.cmd.Grace)
	last.steady = last.steady && left == 0
	return left + children.leave(r, last)
}

// read takes the exit code and the signal.
func (r *run) read(res *Result) {
	status, ok := r.exe.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		res.Signal = unix.SignalName(status.Signal())
	case res.End == Exited:
		res.Exit = r.exe.ProcessState.ExitCode()
	}
}

// within waits for a channel to be closed, at most so long.
func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
