// Package process is the one door to external programs and to what the platform
// knows of processes: group kill, time and idle limits, an output cap, a clean
// environment, locks that die with their holder.
package process

import (
	"context"
	"io"
	"time"
)

// End is how a program ended.
type End string

// The ends.
const (
	Exited    End = "exited"    // by itself, whatever its code
	TimedOut  End = "time"      // its time limit
	WentIdle  End = "idle"      // nothing printed for the idle limit
	Cancelled End = "cancelled" // the context ended
	Failed    End = "failed"    // it could not be started
)

// Cmd is one program to run.
type Cmd struct {
	Argv   []string
	Dir    string
	Env    []string                          // whole; nil is an empty environment
	Stdin  io.Reader                         // nil: nothing
	Limit  time.Duration                     // awake time; 0: none
	Idle   time.Duration                     // 0: none
	Grace  time.Duration                     // between the polite signal and the kill
	Cap    int64                             // bytes of output kept (head and tail); 0: 1 MiB. What is more is counted and digested, not kept
	Stdout io.Writer                         // also written here as it comes; may be nil
	Files  *Files                            // nil: stdout and stderr are captured together in Output
	Begun  func(pid, pgid int, start string) // called once it runs
}

// Files asks for stdout apart from stderr, uncapped: for git's own answers.
type Files struct{ Out, Err []byte }

// Result is what became of it.
type Result struct {
	End    End
	Exit   int // -1 when it did not exit by itself
	Signal string
	Took   time.Duration // awake time
	Output []byte        // at most Cap, with a line in the middle that says what was cut
	Bytes  int64         // all of it
	SHA256 string        // of all of it, hex
	Last   string        // the last line that is not empty
	Left   int           // descendants that were still alive and were ended
	Err    error         // why it could not be started
}

// Run starts the program in its own process group, waits for it, and ends what
// it left running, descendants that changed group or session too.
func Run(ctx context.Context, c Cmd) Result { panic("unwritten") }

// Identity of a process, so that a pid used again is never taken for it.
type Identity struct {
	PID   int
	Start string // start time as the platform gives it
	Boot  string
}

// Self is this process.
func Self() Identity { panic("unwritten") }

// Alive reports whether that very process runs on this host.
func (i Identity) Alive() bool { panic("unwritten") }

// EndGroup ends a process group and the descendants of its leader if the leader's
// start time is the one named; it reports how many it ended.
func EndGroup(pgid int, start string, grace time.Duration) int { panic("unwritten") }

// Lock waits for an exclusive lock on a file that dies with this process.
func Lock(ctx context.Context, path string) (release func(), err error) { panic("unwritten") }

// TryLock is Lock that does not wait; held is false when another has it.
func TryLock(path string) (release func(), held bool, err error) { panic("unwritten") }

// Environ is the clean environment: what may pass, by the table in formats, then
// extra NAME=value pairs, later ones winning. No GIT_* location ever passes.
func Environ(extra ...string) []string { panic("unwritten") }

// Look finds a program on the PATH; empty when it is not there.
func Look(name string) string { panic("unwritten") }
