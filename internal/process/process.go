// Package process is the one door to external programs and to what the platform
// knows of processes: group kill, time and idle limits, an output cap, a clean
// environment, locks that die with their holder.
//
// Rules kept here:
//
//   - A program runs in a session of its own: no controlling terminal, so that a
//     prompt for a password fails at once instead of stopping the program.
//   - What a program leaves running is ended with it, also what changed its group or
//     session. It is found by parentage, by group and session, and by a mark in the
//     environment, since an orphan has lost its parents and a daemon its session.
//   - A process is signalled only while its start time is the one that was seen, so
//     that a pid used again is never hit.
//   - Only orphans are reaped, by their pid: a program started here is waited for
//     by the one who started it.
//   - Limits count awake time: Go's monotonic clock stands still while the
//     machine sleeps, on Linux and on darwin.
package process

import (
	"io"
	"time"
)

// End is how a program ended.
type End string

// The ends.
const (
	Exited    End = "exited"    // by itself, whatever its code
	Finished  End = "finished"  // it printed its last word (Cmd.Final) and did not exit within the grace
	TimedOut  End = "time"      // its time limit
	WentIdle  End = "idle"      // nothing printed for the idle limit
	Cancelled End = "cancelled" // the context ended
	Failed    End = "failed"    // it could not be started, or Begun panicked
)

// What holds when a Cmd names nothing.
const (
	DefaultCap   = 1 << 20
	DefaultGrace = 5 * time.Second
)

// Cmd is one program to run.
type Cmd struct {
	Argv   []string
	Dir    string
	Env    []string                          // whole; nil is an empty environment
	Stdin  io.Reader                         // nil: nothing. A file is handed on as it is; what is an io.Closer is closed at the end
	Limit  time.Duration                     // awake time; 0: none
	Idle   time.Duration                     // 0: none
	Grace  time.Duration                     // between the polite signal and the kill; 0: DefaultGrace
	Cap    int64                             // bytes of output kept (head and tail), at least 256; 0: DefaultCap. What is more is counted and digested, not kept
	Stdout io.Writer                         // also written here as it comes; may be nil. An error or panic of it is told in Err and stops only the copying
	Files  *Files                            // nil: stdout and stderr are captured together in Output
	Begun  func(pid, pgid int, start string) // called once it runs
	Final  func(line []byte) bool            // asked for each line printed that is not empty (stdout's alone, with Files): was that its last word; may be nil. Once it was and nothing follows for the grace, the program is ended

	// Trusted is for short programs that clean up after themselves, as git does:
	// own session and limits, but no walk over the processes of the machine.
	Trusted bool

	// Mark names the run in the environment of all that descends from it, for
	// EndMarked; empty is a random one. No slash in it.
	Mark string
}

// Files asks for stdout apart from stderr, uncapped: for git's own answers.
// Output stays empty then, SHA256 too, and Bytes counts both. With Cmd.Stdout given
// stdout goes there alone, and Out stays empty.
type Files struct{ Out, Err []byte }

// Result is what became of it.
type Result struct {
	End    End
	Exit   int           // -1 when it did not exit by itself
	Signal string        // what ended it (SIGKILL), when a signal did
	Took   time.Duration // awake time
	Output []byte        // at most Cap, with a line in the middle that says what was cut
	Bytes  int64         // all of it
	SHA256 string        // of all of it, hex
	Last   string        // the last line that is not empty (stderr's first, with Files), free of escapes, at most 500 bytes
	Left   int           // descendants that were still alive when it had ended, and were ended
	Err    error         // why it could not be started, or what a callback did wrong
}

// OK reports that the program ran, ended by itself and exited 0.
func (r Result) OK() bool { return r.End == Exited && r.Exit == 0 }
