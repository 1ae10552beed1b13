package main

import (
	"errors"
	"os"
	"os/exec"
	ossignal "os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A run that a script starts, signals and waits for. Its output stands in NAME.out and
// NAME.err in $WORK while it runs, and only it is signalled: never what it started.

// mostWait is how long a run of a script may take before the script fails.
const mostWait = 60 * time.Second

type started struct {
	cmd  *exec.Cmd
	done chan struct{}
}

type runsKey struct{}

func runsOf(ts *testscript.TestScript) map[string]*started {
	return ts.Value(runsKey{}).(map[string]*started)
}

// start NAME COMMAND... starts a run.
func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start name command args...")
	}
	out, err := os.Create(ts.MkAbs(ts.Getenv("WORK") + "/" + args[0] + ".out"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs(ts.Getenv("WORK") + "/" + args[0] + ".err"))
	ts.Check(err)
	defer errs.Close()
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), environ(ts), out, errs
	ts.Check(hearing(cmd.Start))
	s := &started{cmd: cmd, done: make(chan struct{})}
	go func() { _ = cmd.Wait(); close(s.done) }()
	runsOf(ts)[args[0]] = s
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		<-s.done
	})
}

// hearing starts a program that hears a hangup, although whoever runs the tests may have
// had it ignored (nohup): what is handled here is as at first in a program that is started.
func hearing(begin func() error) error {
	heard := make(chan os.Signal, 1)
	ossignal.Notify(heard, syscall.SIGHUP)
	defer ossignal.Stop(heard)
	return begin()
}

// signal NAME INT|TERM|KILL signals a run.
func signal(ts *testscript.TestScript, neg bool, args []string) {
	known := map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	if neg || len(args) != 2 || known[args[1]] == 0 || runsOf(ts)[args[0]] == nil {
		ts.Fatalf("usage: signal name HUP|INT|TERM|KILL")
	}
	ts.Check(runsOf(ts)[args[0]].cmd.Process.Signal(known[args[1]]))
}

// finish NAME CODE waits for a run and asks for its exit code; -1 is a signal's.
func finish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || runsOf(ts)[args[0]] == nil {
		ts.Fatalf("usage: finish name code")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	s := runsOf(ts)[args[0]]
	select {
	case <-s.done:
	case <-time.After(mostWait):
		ts.Check(errors.New(args[0] + " does not end"))
	}
	for _, name := range []string{"out", "err"} {
		ts.Logf("[%s.%s]\n%s", args[0], name, ts.ReadFile(ts.Getenv("WORK")+"/"+args[0]+"."+name))
	}
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("%s exited %d, and %d was expected", args[0], got, want)
	}
}
