// Package agent starts coding agents: one adapter a file. An adapter says what
// to run and how to read what it printed; it never decides anything.
package agent

import (
	"context"
	"time"

	"torve/internal/process"
)

// Ask is one attempt as an adapter sees it.
type Ask struct {
	Task       string
	Attempt    int
	Dir        string // the worktree
	Prompt     []byte
	PromptFile string // the same bytes, outside the tree
	Report     string // where the report may be left
	Temp       string // the attempt's own TMPDIR
	Cache      string // tool caches that torve owns
	Slot       int
	Limit      time.Duration
	Idle       time.Duration
	Grace      time.Duration
	Begun      func(pid, pgid int, start string)
}

// Usage is what it cost by its own account. Nil is unknown.
type Usage struct {
	TokensIn, TokensOut *int64
	USD                 *float64
	Source              string // reported, estimated, notional or unknown
}

// Outcome is how an agent ended.
type Outcome struct {
	End    string // done, time, idle, stopped, unavailable, quota
	Why    string // in one sentence, when it is not done
	Exit   int
	Took   time.Duration
	Usage  Usage
	Output []byte // head and tail
	SHA256 string
	Until  time.Time // a quota's time
	Left   int       // processes it left that were ended
}

// Adapter is one kind of agent.
type Adapter interface {
	Name() string                       // as the contract names it
	Version(ctx context.Context) string // "" when unknown
	Model() string
	Missing() string // why it cannot be started here; "" when it can
	Run(ctx context.Context, a Ask) Outcome
}

// Setting is an agents entry of the configuration.
type Setting struct {
	Adapter string
	Run     []string
	Model   string
	Args    []string
	Env     []string // names that pass, or NAME=value
	Slots   int
	Prompt  string // file (default), stdin, or arg: a {prompt} in Run
	Patches string // replay: the folder of recorded patches
}

// Find makes the adapter of a name (adapter or adapter@model) from the settings and the
// built-in table; an unknown name is an error that lists the known ones.
func Find(name string, settings map[string]Setting, look func(string) string) (Adapter, error) {
	panic("unwritten")
}

// Known lists the built-in names and what each runs, for init and help.
func Known() []Builtin { panic("unwritten") }

// Builtin is an agent that needs no entry.
type Builtin struct {
	Name    string
	Program string
	Run     []string
}

var _ = process.Exited
