package process_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/process"
)

const short = 50 * time.Millisecond

func run(t *testing.T, c process.Cmd) process.Result {
	t.Helper()
	if c.Env == nil {
		c.Env = os.Environ()
	}
	if c.Grace == 0 {
		c.Grace = 10 * time.Second
	}
	return process.Run(t.Context(), c)
}

// told is a result in a line.
func told(r process.Result) string {
	return fmt.Sprintf("%s exit %d signal %q took %s, %d bytes %.200q, left %d, error %v", r.End, r.Exit, r.Signal, r.Took, r.Bytes, r.Output, r.Left, r.Err)
}

func TestAProgramThatEndsIsReadWhole(t *testing.T) {
	r := run(t, process.Cmd{Argv: fake("say", "hello")})
	sum := sha256.Sum256([]byte("hello\n"))
	if !r.OK() || r.Err != nil || string(r.Output) != "hello\n" || r.Last != "hello" || r.Bytes != 6 || r.SHA256 != hex.EncodeToString(sum[:]) {
		t.Error(told(r))
	}
	if r.Took <= 0 || r.Left != 0 || r.Signal != "" {
		t.Error(told(r))
	}
}

func TestHowAProgramEnded(t *testing.T) {
	for name, c := range map[string]struct {
		cmd    process.Cmd
		end    process.End
		exit   int
		signal string
	}{
		"its exit code is its own":               {process.Cmd{Argv: fake("exit", "7")}, process.Exited, 7, ""},
		"a crash names the signal":               {process.Cmd{Argv: fake("die")}, process.Exited, -1, "SIGKILL"},
		"a hang ends by the time limit":          {process.Cmd{Argv: fake("hang"), Limit: short}, process.TimedOut, -1, "SIGTERM"},
		"silence ends by the idle limit":         {process.Cmd{Argv: fake("hang"), Idle: short}, process.WentIdle, -1, "SIGTERM"},
		"one that closed its output is idle":     {process.Cmd{Argv: fake("mute"), Idle: short}, process.WentIdle, -1, "SIGTERM"},
		"chatter is not idle, and has its limit": {process.Cmd{Argv: fake("chatter"), Idle: 5 * time.Second, Limit: 4 * short}, process.TimedOut, -1, "SIGTERM"},
		"stdin is empty when there is none":      {process.Cmd{Argv: fake("cat"), Limit: time.Minute}, process.Exited, 0, ""},
		"a trusted one has its limits too":       {process.Cmd{Argv: fake("hang"), Limit: short, Trusted: true}, process.TimedOut, -1, "SIGTERM"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, c.cmd)
			if r.End != c.end || r.Exit != c.exit || r.Signal != c.signal || r.Err != nil {
				t.Error(told(r))
			}
		})
	}
}

func TestAProgramThatIgnoresThePoliteSignalIsKilled(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		ready := writer(func(p []byte) (int, error) { cancel(); return len(p), nil })
		r := process.Run(ctx, process.Cmd{Argv: fake("ignore"), Env: os.Environ(), Grace: short, Stdout: ready, Trusted: trusted})
		if r.End != process.Cancelled || r.Signal != "SIGKILL" || r.Exit != -1 {
			t.Error(told(r))
		}
	}
}

func TestAPoliteProgramMaySayGoodbye(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready := writer(func([]byte) (int, error) { cancel(); return 1, nil })
	r := process.Run(ctx, process.Cmd{Argv: fake("polite"), Env: os.Environ(), Grace: time.Minute, Stdout: ready})
	if r.End != process.Cancelled || r.Last != "goodbye" || r.Exit != -1 {
		t.Error(told(r))
	}
}

func TestALastWordWithoutAnExitIsEndedAfterTheGrace(t *testing.T) {
	final := func(line []byte) bool { return string(line) == "done" }
	r := run(t, process.Cmd{Argv: fake("last word"), Final: final, Grace: short})
	if r.End != process.Finished || string(r.Output) != "working\ndone\n" {
		t.Error(told(r))
	}
}

func TestAWordAfterTheLastOneTakesItBack(t *testing.T) {
	final := func(line []byte) bool { return string(line) == "working" }
	r := run(t, process.Cmd{Argv: fake("last word"), Final: final, Grace: 10 * short, Limit: 20 * short})
	if r.End != process.TimedOut {
		t.Error(told(r))
	}
}

func TestALastLineWithoutAnEndIsALineToo(t *testing.T) {
	var lines []string
	r := run(t, process.Cmd{Argv: fake("cat"), Stdin: strings.NewReader("one\n\ntwo"), Final: func(line []byte) bool { lines = append(lines, string(line)); return false }})
	if !r.OK() || strings.Join(lines, "|") != "one|two" {
		t.Errorf("%q %s", lines, told(r))
	}
}

func TestAnExitSoonAfterTheLastWordIsAnExit(t *testing.T) {
	r := run(t, process.Cmd{Argv: fake("say", "done"), Final: func([]byte) bool { return true }})
	if !r.OK() {
		t.Error(told(r))
	}
}

func TestWhatCannotBeStartedSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		cmd  process.Cmd
		says string
	}{
		"nothing named":    {process.Cmd{}, "no program to start"},
		"no such program":  {process.Cmd{Argv: []string{"torve-no-such-program"}}, `starting torve-no-such-program: exec: "torve-no-such-program"`},
		"no such folder":   {process.Cmd{Argv: fake("say", "x"), Dir: filepath.Join(t.TempDir(), "gone")}, "gone: no such file or directory"},
		"not a program":    {process.Cmd{Argv: []string{t.TempDir()}}, "permission denied"},
		"argument too big": {process.Cmd{Argv: fake("say", strings.Repeat("x", 1<<20))}, "argument list too long"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, c.cmd)
			if r.End != process.Failed || r.Exit != -1 || r.Err == nil || !strings.Contains(r.Err.Error(), c.says) {
				t.Error(told(r))
			}
		})
	}
}

func TestNothingIsStartedUnderAnEndedContext(t *testing.T) {
	cause := errors.New("the person stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	r := process.Run(ctx, process.Cmd{Argv: fake("say", "x"), Begun: func(int, int, string) { t.Error("started") }})
	if r.End != process.Cancelled || !errors.Is(r.Err, cause) {
		t.Error(told(r))
	}
}

func TestStdinIsFedAndItsEndIsSeen(t *testing.T) {
	text := strings.Repeat("a megabyte of prompt\n", 50000)
	r := run(t, process.Cmd{Argv: fake("cat"), Stdin: strings.NewReader(text), Cap: 4 << 20})
	if !r.OK() || string(r.Output) != text {
		t.Errorf("%s %d bytes", r.End, r.Bytes)
	}
}

func TestAProgramThatDoesNotReadItsStdinEndsAllTheSame(t *testing.T) {
	r := run(t, process.Cmd{Argv: fake("deaf"), Stdin: bytes.NewReader(make([]byte, 1<<20))})
	if !r.OK() {
		t.Error(told(r))
	}
}

func TestAStdinThatNeverEndsIsClosedWithTheProgram(t *testing.T) {
	in, w := io.Pipe()
	r := run(t, process.Cmd{Argv: fake("deaf"), Stdin: in})
	if !r.OK() {
		t.Error(told(r))
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing to it: %v", err)
	}
}

func TestFilesKeepStdoutAndStderrApart(t *testing.T) {
	var files process.Files
	r := run(t, process.Cmd{Argv: fake("both"), Files: &files, Trusted: true})
	if string(files.Out) != "to out\n" || string(files.Err) != "to err\n" || r.Output != nil || r.Last != "to err" || r.Bytes != 14 {
		t.Errorf("%+v %q %q", r, files.Out, files.Err)
	}
}

func TestWithFilesAGivenWriterHasStdoutAlone(t *testing.T) {
	var files process.Files
	var out bytes.Buffer
	run(t, process.Cmd{Argv: fake("both"), Files: &files, Stdout: &out, Trusted: true})
	if out.String() != "to out\n" || string(files.Err) != "to err\n" || files.Out != nil {
		t.Errorf("%q %q %q", out.String(), files.Out, files.Err)
	}
}

func TestFilesAreNotCapped(t *testing.T) {
	var files process.Files
	run(t, process.Cmd{Argv: fake("flood", "5000000"), Files: &files, Cap: 1000, Trusted: true})
	if len(files.Out) != 5000000 {
		t.Errorf("%d bytes", len(files.Out))
	}
}

func TestTheEnvironmentIsWholeAndTheFolderIsTheNamedOne(t *testing.T) {
	t.Setenv("TORVE_RUN", "") // this test may itself be run by torve
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if r := run(t, process.Cmd{Argv: fake("where"), Dir: dir}); r.Last != dir {
		t.Errorf("ran in %s", r.Last)
	}
	r := run(t, process.Cmd{Argv: fake("env"), Env: []string{"ONE=1"}, Mark: "claim-7"})
	if got := string(r.Output); got != "ONE=1\nTORVE_RUN=claim-7\n" {
		t.Errorf("environment %q", got)
	}
}

func TestAProgramHasNoTerminalToAskForAPassword(t *testing.T) {
	if r := run(t, process.Cmd{Argv: fake("terminal")}); r.Last != "no terminal" {
		t.Error(told(r))
	}
}

func TestBegunIsToldOnceWhoRuns(t *testing.T) {
	calls := 0
	run(t, process.Cmd{Argv: fake("hang"), Limit: short, Begun: func(pid, pgid int, start string) {
		calls++
		who := process.Identity{PID: pid, Start: start, Boot: process.Self().Boot}
		if pid != pgid || !who.Alive() {
			t.Errorf("pid %d pgid %d start %s", pid, pgid, start)
		}
	}})
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

func TestACallbackThatPanicsIsContainedAndTold(t *testing.T) {
	t.Run("begun ends the run", func(t *testing.T) {
		r := run(t, process.Cmd{Argv: fake("hang"), Begun: func(int, int, string) { panic("boo") }})
		if r.End != process.Failed || fmt.Sprint(r.Err) != "the begun callback panicked: boo" || r.Signal != "SIGTERM" {
			t.Error(told(r))
		}
	})
	t.Run("the writer only stops the copying", func(t *testing.T) {
		r := run(t, process.Cmd{Argv: fake("say", "x"), Stdout: writer(func([]byte) (int, error) { panic("boo") })})
		if !r.OK() || string(r.Output) != "x\n" || fmt.Sprint(r.Err) != "the output writer panicked: boo" {
			t.Error(told(r))
		}
	})
	t.Run("a writer's error too", func(t *testing.T) {
		r := run(t, process.Cmd{Argv: fake("say", "x"), Stdout: writer(func([]byte) (int, error) { return 0, io.ErrShortWrite })})
		if !r.OK() || !errors.Is(r.Err, io.ErrShortWrite) {
			t.Error(told(r))
		}
	})
	t.Run("final is not asked again", func(t *testing.T) {
		r := run(t, process.Cmd{Argv: fake("both"), Final: func([]byte) bool { panic("boo") }})
		if !r.OK() || fmt.Sprint(r.Err) != "the final callback panicked: boo" {
			t.Error(told(r))
		}
	})
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestAGigabyteOfOutputIsCountedAndDigestedAndNotKept(t *testing.T) {
	const size = 1 << 30
	r := run(t, process.Cmd{Argv: fake("flood", fmt.Sprint(size)), Cap: 4096, Limit: 2 * time.Minute})
	if r.End != process.Exited || r.Bytes != size || len(r.Output) > 4096 || r.Last == "" {
		t.Errorf("%s %s %d bytes, %d kept", r.End, r.Took, r.Bytes, len(r.Output))
	}
	sum := sha256.New()
	piece := bytes.Repeat([]byte("all work and no play\n"), 50000)
	for left := size; left > 0; left -= len(piece) {
		sum.Write(piece[:min(left, len(piece))])
	}
	if r.SHA256 != hex.EncodeToString(sum.Sum(nil)) {
		t.Error("the digest is of something else")
	}
}
