package process_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"torve/internal/process"
)

// child reads the identity of the child that "leave" printed; it is asked while the
// child lives, as the line comes.
type child struct {
	mu   sync.Mutex
	text strings.Builder
	seen chan struct{}
	pid  int
}

// pidLine may stand behind what the child itself printed.
var pidLine = regexp.MustCompile(`pid (\d+)\n`)

func newChild() *child { return &child{seen: make(chan struct{})} }

func (c *child) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(p)
	if said := pidLine.FindStringSubmatch(c.text.String()); said != nil && c.pid == 0 {
		c.pid, _ = strconv.Atoi(said[1])
		close(c.seen)
	}
	return len(p), nil
}

// runs reports whether a process lives: one that is dead and not reaped yet does not.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func gone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("the child never said who it is")
	}
	if runs(pid) {
		t.Errorf("the child %d still runs", pid)
	}
}

func TestWhatAProgramLeavesRunningIsEnded(t *testing.T) {
	for _, way := range []string{"child", "group", "session", "twice", "unmarked"} {
		for _, kind := range []string{"hang", "ignore"} {
			t.Run(way+" "+kind, func(t *testing.T) {
				c := newChild()
				r := run(t, process.Cmd{Argv: fake("leave", way, kind), Stdout: c, Grace: 500 * time.Millisecond})
				if r.End != process.Exited || r.Exit != 0 || r.Left != 1 {
					t.Error(told(r))
				}
				gone(t, c.pid)
			})
		}
	}
}

func TestWhoStopsAProgramStopsItsDescendantsToo(t *testing.T) {
	for _, way := range []string{"child", "session", "twice", "unmarked"} {
		t.Run(way, func(t *testing.T) {
			c := newChild()
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-c.seen; cancel() }()
			r := process.Run(ctx, process.Cmd{Argv: fake("leave first", way, "hang"), Env: os.Environ(), Stdout: c, Grace: 10 * time.Second})
			if r.End != process.Cancelled {
				t.Error(told(r))
			}
			gone(t, c.pid)
		})
	}
}

func TestAGrandchildThatHoldsTheOutputDoesNotHangATrustedRun(t *testing.T) {
	c := newChild()
	r := run(t, process.Cmd{Argv: fake("leave", "child", "hang"), Stdout: c, Grace: short, Trusted: true})
	if !r.OK() || r.Took > 10*time.Second {
		t.Error(told(r))
	}
}

func TestSeveralRunsEndOnlyTheirOwn(t *testing.T) {
	stays := newChild()
	ended := make(chan process.Result)
	go func() {
		ended <- run(t, process.Cmd{Argv: fake("leave first", "session", "hang"), Stdout: stays, Limit: time.Minute, Final: func([]byte) bool { return false }, Mark: "stays"})
	}()
	<-stays.seen
	goes := newChild()
	r := run(t, process.Cmd{Argv: fake("leave", "session", "hang"), Stdout: goes})
	if r.Left != 1 {
		t.Error(told(r))
	}
	gone(t, goes.pid)
	if !runs(stays.pid) {
		t.Error("another run's child was ended")
	}
	if n := process.EndMarked("stays", time.Second); n != 2 {
		t.Errorf("%d were ended by the mark, and program and child are 2", n)
	}
	if r := <-ended; r.End != process.Exited || r.Signal != "SIGTERM" {
		t.Error(told(r))
	}
	gone(t, stays.pid)
}

func TestEndGroupLeavesAReusedPidAlone(t *testing.T) {
	begun := make(chan string, 1)
	var pgid int
	ended := make(chan process.Result)
	c := newChild()
	go func() {
		ended <- run(t, process.Cmd{Argv: fake("leave first", "session", "hang"), Stdout: c, Begun: func(_, g int, start string) { pgid = g; begun <- start }})
	}()
	start := <-begun
	<-c.seen
	for _, other := range []string{"1", start + "0", "", "not a time"} {
		if n := process.EndGroup(pgid, other, short); n != 0 {
			t.Errorf("a leader of start %q: %d were ended", other, n)
		}
	}
	if n := process.EndGroup(pgid, start, time.Second); n != 2 {
		t.Errorf("%d were ended, and program and child are 2", n)
	}
	if r := <-ended; r.Signal != "SIGTERM" {
		t.Error(told(r))
	}
	gone(t, c.pid)
}

func TestOrphansThatDiedAreReaped(t *testing.T) {
	run(t, process.Cmd{Argv: fake("leave", "session", "say")})
	r := run(t, process.Cmd{Argv: fake("say", "x")})
	if !r.OK() {
		t.Error(told(r))
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err != nil {
		t.Skip("this kernel does not list children: ", err)
	}
	if left := strings.TrimSpace(string(children)); left != "" {
		t.Errorf("children that nobody reaped: %s", left)
	}
}

func TestIdentityKnowsItself(t *testing.T) {
	self := process.Self()
	if !self.Alive() || self.Start == "" || self.Boot == "" {
		t.Errorf("%+v", self)
	}
	for name, other := range map[string]process.Identity{
		"another start": {PID: self.PID, Start: "1", Boot: self.Boot},
		"another boot":  {PID: self.PID, Start: self.Start, Boot: "another"},
		"no start":      {PID: self.PID, Boot: self.Boot},
		"nobody":        {},
	} {
		if other.Alive() {
			t.Errorf("%s is taken for alive", name)
		}
	}
}

// An orphan without a mark is ended with its run by the folder that it stands in.
func TestAnOrphanThatStandsInARunsFolderIsThatRuns(t *testing.T) {
	older := newChild()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan process.Result)
	go func() {
		ended <- process.Run(ctx, process.Cmd{Argv: fake("leave first", "session", "hang"), Env: os.Environ(), Stdout: older, Grace: short})
	}()
	<-older.seen
	c := newChild()
	run(t, process.Cmd{Argv: fake("leave", "unmarked", "hang"), Dir: t.TempDir(), Stdout: c, Grace: short})
	gone(t, c.pid)
	if !runs(older.pid) {
		t.Error("another run's child was ended")
	}
	cancel()
	<-ended
}

// A run that began after an orphan did is not its origin, and does not keep it alive.
func TestAnOrphanWithoutAMarkOutlivesOnlyRunsThatBeganBefore(t *testing.T) {
	dir, c := t.TempDir(), newChild()
	ended := make(chan process.Result)
	go func() {
		script := "cd /; env -i PATH=$PATH setsid sleep 300 >/dev/null 2>&1 & echo pid $!; while [ ! -e " + dir + "/go ]; do sleep 0.02; done"
		ended <- run(t, process.Cmd{Argv: []string{"/bin/sh", "-c", script}, Dir: dir, Stdout: c, Grace: short})
	}()
	<-c.seen
	time.Sleep(50 * time.Millisecond) // start times are counted in hundredths of a second
	later := newChild()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan process.Result)
	go func() {
		over <- process.Run(ctx, process.Cmd{Argv: fake("leave first", "session", "hang"), Env: os.Environ(), Stdout: later, Grace: short})
	}()
	<-later.seen
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := <-ended; r.Left != 1 {
		t.Error(told(r))
	}
	gone(t, c.pid)
	if !runs(later.pid) {
		t.Error("a later run's child was ended")
	}
	cancel()
	<-over
}
