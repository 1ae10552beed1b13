// Package agent starts coding agents: one adapter a file. An adapter says what
// to run and how to read what it printed; it never decides anything.
package agent

import (
	"context"
	"time"
)

// Ask is one attempt as an adapter sees it.
type Ask struct {
	Task       string
	Attempt    int
	Dir        string // the worktree
	Prompt     []byte
	PromptFile string   // the same bytes, outside the tree
	Report     string   // where the report may be left
	Temp       string   // the attempt's own TMPDIR
	Cache      string   // tool caches that torve owns
	Env        []string // NAME=value beyond the usual, or NAME that passes
	Mark       string   // names the run for process.EndMarked; may be empty
	Slot       int
	Limit      time.Duration
	Idle       time.Duration
	Grace      time.Duration
	Begun      func(pid, pgid int, start string)
}

// Usage is what it cost by its own account. Nil is unknown. TokensIn counts all that
// was read, from a cache too.
type Usage struct {
	TokensIn, TokensOut *int64
	USD                 *float64
	Source              string // of USD: reported, estimated, notional or unknown
}

// The sources of a cost that an adapter can name.
const (
	Reported = "reported"
	Notional = "notional" // a subscription: nobody is billed by the token
	Unknown  = "unknown"
)

// The ends.
const (
	Done        = "done"        // by itself, whatever its exit code
	Time        = "time"        // its time limit
	Idle        = "idle"        // nothing printed for the idle limit
	Stopped     = "stopped"     // the context ended
	Unavailable = "unavailable" // it could not be started, or by its own account not work
	Quota       = "quota"       // by its own account a usage limit was met
)

// Outcome is how an agent ended.
type Outcome struct {
	End    string // done, time, idle, stopped, unavailable, quota
	Why    string // in one sentence, when it is not done; when it is, what it says went wrong
	Exit   int
	Took   time.Duration
	Usage  Usage
	Output []byte        // head and tail, secrets masked
	SHA256 string        // of all it printed
	Until  time.Time     // a quota's time; zero when it did not say
	After  time.Duration // how long a quota lasts from its end on, where that is what it said
	Left   int           // processes it left that were ended
}

// Adapter is one kind of agent.
type Adapter interface {
	Name() string                       // as the contract names it, without the model
	Version(ctx context.Context) string // "" when unknown
	Model() string                      // "" is the program's own choice
	Missing() string                    // why it cannot be started here; "" when it can
	Run(ctx context.Context, a Ask) Outcome
}

// MissingFor is why an agent cannot make this attempt here; "" when it can be started.
func MissingFor(a Adapter, task string, attempt int) string {
	why := a.Missing()
	if r, recorded := a.(*replay); recorded && why == "" {
		why = r.unrecorded(task, attempt)
	}
	return why
}

// Setting is an agents entry of the configuration.
type Setting struct {
	Adapter string // "" is the built-in of the entry's own name
	Run     []string
	Model   string
	Args    []string // put behind Run
	Env     []string // names that pass (NAME or NAME_*), or NAME=value
	Slots   int
	Prompt  string // file (default), stdin, or arg: a {prompt} in Run
	Patches string // replay: the folder of recorded patches
}

// unavailable is the outcome of what could not be started.
func unavailable(why string) Outcome {
	return Outcome{End: Unavailable, Why: why, Exit: -1, Usage: Usage{Source: Unknown}}
}
