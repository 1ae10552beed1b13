package agent

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"torve/internal/process"
)

// program is an agent that is a program: one of the built-in table, or a command of
// the person's own.
type program struct {
	name  string
	model string
	asked bool // the model was asked for by name, so that it must reach the program
	set   Setting
	kind  kind
	look  func(string) string
}

func (p *program) Name() string  { return p.name }
func (p *program) Model() string { return p.model }

// Missing asks for the program and for an entry that makes sense. A command that is a
// relative path stands in the worktree, which is not there yet.
func (p *program) Missing() string {
	if err := p.fault(); err != nil {
		return "agent " + p.name + ": " + err.Error()
	}
	name := p.argv()[0]
	if strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		return ""
	}
	if p.look(name) != "" {
		return ""
	}
	why := "agent " + p.name + ": the program " + name + " is not on the PATH"
	if len(p.set.Run) == 0 {
		why += "; install it, or name one of your own: " + example("mine")
	}
	return why
}

// versionLimit is how long a program may take to say its version.
const versionLimit = 10 * time.Second

var versionWord = regexp.MustCompile(`\d+(?:\.\d+)+[-+.\w]*`)

// Version asks a built-in for its version. A command of the person's own is not asked:
// it need not know the question, and would begin to work.
func (p *program) Version(ctx context.Context) string {
	if p.kind.reader == nil || len(p.set.Run) > 0 {
		return ""
	}
	res := process.Run(ctx, process.Cmd{
		Argv: []string{p.argv()[0], "--version"}, Env: process.Environ(append(p.kind.set[:len(p.kind.set):len(p.kind.set)], p.kind.pass...)...),
		Limit: versionLimit, Grace: time.Second, Cap: 4 << 10,
	})
	if !res.OK() {
		return ""
	}
	return versionWord.FindString(string(res.Output))
}

// Run starts the agent in the worktree and reads what it says of itself.
func (p *program) Run(ctx context.Context, a Ask) Outcome {
	if err := p.fault(); err != nil {
		return unavailable("agent " + p.name + ": " + err.Error())
	}
	c, err := p.call(a)
	if err != nil {
		return unavailable("agent " + p.name + ": " + err.Error())
	}
	env := p.environ(a)
	cmd := process.Cmd{
		Argv: c.argv, Dir: a.Dir, Env: env, Stdin: c.stdin, Limit: a.Limit, Idle: a.Idle, Grace: a.Grace,
		Begun: a.Begun, Mark: a.Mark,
	}
	var said account
	if p.kind.reader != nil {
		said = p.kind.reader()
		cmd.Final = said.line
	}
	res := process.Run(ctx, cmd)
	out := ended(res, a)
	switch {
	case said != nil:
		said.whole(res.Output)
		said.fill(&out, env)
	case out.End == Done && res.Exit == NotNow:
		notNow(&out, p.name, res.Last)
	}
	out.Why = string(process.Masked([]byte(out.Why), env))
	out.Output = process.Masked(out.Output, env)
	return out
}

// ended is how the program ended, as the platform saw it. An exit code is only noted:
// what stands in the tree is judged.
func ended(res process.Result, a Ask) Outcome {
	out := Outcome{Exit: res.Exit, Took: res.Took, Output: res.Output, SHA256: res.SHA256, Left: res.Left, Usage: Usage{Source: Unknown}}
	switch res.End {
	case process.TimedOut:
		out.End, out.Why = Time, "it did not end within "+spell(a.Limit)
	case process.WentIdle:
		out.End, out.Why = Idle, "it printed nothing for "+spell(a.Idle)
	case process.Cancelled:
		out.End, out.Why = Stopped, "it was stopped"
	case process.Failed:
		out.End, out.Why = Unavailable, res.Err.Error()
	default:
		out.End = Done
	}
	return out
}

// spell is a duration as a person writes it: 10m, not 10m0s.
func spell(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
