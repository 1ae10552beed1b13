package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"torve/internal/process"
)

// Oldest is the oldest git that has what is used here: merges in the object store
// and NUL-separated answers where paths are printed.
const Oldest = "2.38"

// settings go before every command: no hook, no daemon, no housekeeping in the
// background and no submodule is set off by us, and no file is touched that the
// command does not name. What a repository configures for its own files (filters,
// line ends, merge drivers) stays as it is.
var settings = []string{
	"-c", "core.quotePath=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.fsmonitor=false",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "submodule.recurse=false",
	"-c", "merge.autoStash=false",
	"-c", "log.showSignature=false",
	"-c", "color.ui=false",
	"-c", "worktree.useRelativePaths=false", // would turn on an extension of the repository
}

// passing is what git needs of the person's environment beyond the clean one: their
// identity, their keys, and how they reach a remote. Nothing that says where a
// repository is.
var passing = []string{
	"XDG_CONFIG_HOME", "GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "EMAIL", "TMPDIR",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_*", "GIT_ASKPASS", "SSH_ASKPASS",
}

// configured are files of configuration that the person named; they hold identity
// and safe.directory, and no place of a repository.
var configured = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// environ is the environment of every git program.
func environ() []string {
	extra := append([]string{}, passing...)
	for _, name := range configured {
		if value, set := os.LookupEnv(name); set {
			extra = append(extra, name+"="+value)
		}
	}
	return process.Environ(append(extra,
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat",
		"GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C", "LANGUAGE=",
	)...)
}

// Fault is git's refusal, in its own words.
type Fault struct {
	Verb  string // the subcommand
	Exit  int
	Words string // what it printed to stderr, without hints
}

func (f *Fault) Error() string {
	words := f.Words
	if words == "" {
		words = fmt.Sprintf("exited %d", f.Exit)
	}
	return "git " + f.Verb + ": " + words
}

// Unwrap gives the sentinel that the words stand for.
func (f *Fault) Unwrap() error {
	switch {
	case f.says("not a git repository"):
		return ErrNoRepository
	case f.says("Read-only file system", "Permission denied", "insufficient permission"):
		return ErrReadOnly
	case f.locked():
		return ErrLocked
	}
	return nil
}

func (f *Fault) says(any ...string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(f.Words, s) })
}

// locked reports whether another program held one of git's lock files.
func (f *Fault) locked() bool {
	return f.says("File exists") && f.says(".lock") || f.says("could not lock config file", "Another git process")
}

// call is one run of the git program.
type call struct {
	args  []string
	dir   string    // where it runs; "" is the repository's own place
	env   []string  // beyond the usual
	off   []string  // settings that keep an agent's programs from running
	stdin io.Reader // nil: nothing
	out   io.Writer // stdout goes here and not into the answer
	codes []int     // exit codes beyond 0 that are an answer
}

// git runs the program; what it printed comes back with its exit code when that is an answer.
func (r *Repo) git(ctx context.Context, c call) ([]byte, int, error) {
	if c.dir == "" {
		c.dir = r.Dir
	}
	c.off = r.disarmed()
	for n := 1; ; n++ {
		out, code, err := git(ctx, c)
		var fault *Fault
		if n == fannedOut || c.stdin != nil || c.out != nil || !errors.As(err, &fault) || !fault.says(folderGone) {
			return out, code, err
		}
	}
}

// A git that prunes takes the folders of loose objects away that are empty, and whoever was
// about to write into one has to make it anew. There is one of it for each object, so that
// one who writes several may meet it more than once.
const (
	folderGone = "unable to create temporary file: No such file or directory"
	fannedOut  = 5
)

// patientEnough is how long a git may run: far beyond any honest one, so that what it
// waits for in vain (a pipe where a file should be, a filter that hangs) is not for ever.
const patientEnough = time.Hour

func git(ctx context.Context, c call) ([]byte, int, error) {
	files := &process.Files{}
	res := process.Run(ctx, process.Cmd{
		Argv:    slices.Concat([]string{"git", "-C", c.dir}, settings, c.off, c.args),
		Env:     append(environ(), c.env...),
		Stdin:   c.stdin,
		Stdout:  c.out,
		Files:   files,
		Limit:   patientEnough,
		Trusted: true,
	})
	switch {
	case res.End == process.TimedOut:
		return nil, -1, fmt.Errorf("running git %s: it did not end within %s", verb(c.args), patientEnough)
	case res.End == process.Cancelled:
		return nil, -1, fmt.Errorf("git %s was stopped: %w", verb(c.args), context.Cause(ctx))
	case res.End != process.Exited && res.Err != nil:
		return nil, -1, fmt.Errorf("running git %s: %w", verb(c.args), res.Err)
	case res.End != process.Exited:
		return nil, -1, fmt.Errorf("running git %s: it ended by %s", verb(c.args), res.End)
	case res.Exit == 0 || slices.Contains(c.codes, res.Exit):
		return files.Out, res.Exit, res.Err
	}
	fault := &Fault{Verb: verb(c.args), Exit: res.Exit, Words: words(files.Err)}
	if res.Exit == usage {
		if err := tooOld(ctx, c.dir); err != nil {
			return files.Out, res.Exit, errors.Join(err, fault)
		}
	}
	return files.Out, res.Exit, fault
}

// verb is the subcommand: options of git itself come before it.
func verb(args []string) string {
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// usage is git's exit code for options that it does not know.
const usage = 129

// tooOld says that the installed git is older than what is supported; nil when it is not.
func tooOld(ctx context.Context, dir string) error {
	version, err := Version(ctx)
	if err != nil || !older(version, Oldest) {
		return err
	}
	return fmt.Errorf("git %s is older than %s, the oldest that is supported", version, Oldest)
}

// Version is the version of the git program.
func Version(ctx context.Context) (string, error) {
	out, _, err := git(ctx, call{dir: "/", args: []string{"version"}})
	if err != nil {
		return "", fmt.Errorf("asking git's version: %w", err)
	}
	fields := strings.Fields(string(out))
	if len(fields) < 3 {
		return "", fmt.Errorf("asking git's version: it answered %q", out)
	}
	return fields[2], nil
}

// TooOld reports whether a version of git is older than the oldest that is supported.
func TooOld(version string) bool { return older(version, Oldest) }

// older compares the first two numbers of two versions.
func older(a, b string) bool {
	var major, minor, needMajor, needMinor int
	_, _ = fmt.Sscanf(a, "%d.%d", &major, &minor)
	_, _ = fmt.Sscanf(b, "%d.%d", &needMajor, &needMinor)
	return major < needMajor || major == needMajor && minor < needMinor
}

// words is what git said, without the advice that speaks of other commands.
func words(stderr []byte) string {
	var keep []string
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && !strings.HasPrefix(line, "hint:") {
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "\n")
}

// text runs git and gives its stdout without the last newline.
func (r *Repo) text(ctx context.Context, args ...string) (string, error) {
	out, _, err := r.git(ctx, call{args: args})
	return strings.TrimSuffix(string(out), "\n"), err
}

// yes runs git where exit 0 is yes and 1 is no.
func (r *Repo) yes(ctx context.Context, args ...string) (bool, error) {
	_, code, err := r.git(ctx, call{args: args, codes: []int{1}})
	return err == nil && code == 0, err
}

// fields splits a NUL-separated answer.
func fields(out []byte) []string {
	out = bytes.TrimSuffix(out, []byte{0})
	if len(out) == 0 {
		return nil
	}
	return strings.Split(string(out), "\x00")
}

// patience is how long a lock of git's is waited for, in pauses.
func patience() []time.Duration {
	return []time.Duration{
		20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond,
		400 * time.Millisecond, 800 * time.Millisecond,
	}
}

// again repeats what failed because another program held a lock file of git's.
// A lock that a crash left behind is git's to name: the error tells the file.
func (r *Repo) again(ctx context.Context, try func() error) error {
	for _, pause := range r.patience {
		err := try()
		var fault *Fault
		if !errors.As(err, &fault) || !fault.locked() {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
	return try()
}

// Run runs the git program in the repository with the clean environment and gives its
// stdout without the last newline. It is for what has no method here and for the tests.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("running git: no command named")
	}
	return r.text(ctx, args...)
}
