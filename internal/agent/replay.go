package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"torve/internal/process"
)

// replay is an agent whose work was recorded: <folder>/<task>/<attempt>.patch, and
// beside it, when there are such, <attempt>.report.json and <attempt>.usage.json. An
// attempt that was not recorded is an error, and never another attempt's work.
type replay struct {
	name   string
	model  string
	folder string
	look   func(string) string
}

func (r *replay) Name() string                   { return r.name }
func (r *replay) Model() string                  { return r.model }
func (r *replay) Version(context.Context) string { return "" }

// Missing asks for git and for the folder.
func (r *replay) Missing() string {
	switch info, err := os.Stat(r.folder); {
	case r.folder == "":
		return fmt.Sprintf("agent %s: it has no patches; agents: {%s: {adapter: replay, patches: ./recorded}}", r.name, r.name)
	case err != nil || !info.IsDir():
		return fmt.Sprintf("agent %s: the folder of recorded patches %s is not there", r.name, r.folder)
	case r.look("git") == "":
		return fmt.Sprintf("agent %s: the program git is not on the PATH", r.name)
	}
	return ""
}

// base is the path of an attempt's recording, without what its files end in.
func (r *replay) base(task string, attempt int) string {
	return filepath.Join(r.folder, task, strconv.Itoa(attempt))
}

// unrecorded says that there is no recording of an attempt; "" where there is one.
func (r *replay) unrecorded(task string, attempt int) string {
	path := r.base(task, attempt) + ".patch"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("agent %s: %v", r.name, noRecording(task, attempt, path))
	}
	return ""
}

func noRecording(task string, attempt int, path string) error {
	return fmt.Errorf("attempt %d of %s was not recorded: there is no %s", attempt, task, path)
}

// Run applies the attempt's patch to the worktree.
func (r *replay) Run(ctx context.Context, a Ask) Outcome {
	rec, err := r.read(a)
	if err != nil {
		return unavailable(fmt.Sprintf("agent %s: %v", r.name, err))
	}
	res := process.Run(ctx, process.Cmd{
		Argv:  rec.apply(a.Dir),
		Env:   process.Environ(append([]string{"LC_ALL=C"}, a.own()...)...),
		Stdin: bytes.NewReader(rec.patch), Limit: a.Limit, Idle: a.Idle, Grace: a.Grace, Begun: a.Begun, Mark: a.Mark,
	})
	out := ended(res, a)
	if out.End != Done {
		return out
	}
	if res.Exit != 0 {
		out.End, out.Why = Unavailable, fmt.Sprintf("agent %s: the recorded patch %s does not apply: %s", r.name, rec.path, res.Last)
		return out
	}
	if err := rec.leave(a.Report); err != nil {
		out.End, out.Why = Unavailable, fmt.Sprintf("agent %s: %v", r.name, err)
		return out
	}
	out.Usage = rec.usage
	return out
}

// apply is the command. Only a recording of no change at all may be no patch.
func (rec recorded) apply(dir string) []string {
	argv := []string{"git", "-C", dir, "apply", "--whitespace=nowarn"}
	if len(bytes.TrimSpace(rec.patch)) == 0 {
		argv = append(argv, "--allow-empty")
	}
	return append(argv, "-")
}

// recorded is what is known of one attempt.
type recorded struct {
	path   string
	patch  []byte
	report []byte // nil: none was recorded
	usage  Usage
}

// read reads the attempt's recording whole, before anything is touched.
func (r *replay) read(a Ask) (recorded, error) {
	base := r.base(a.Task, a.Attempt)
	rec := recorded{path: base + ".patch", usage: Usage{Source: Unknown}}
	var err error
	if rec.patch, err = os.ReadFile(rec.path); errors.Is(err, fs.ErrNotExist) {
		return rec, noRecording(a.Task, a.Attempt, rec.path)
	} else if err != nil {
		return rec, fmt.Errorf("reading the recorded patch: %w", err)
	}
	if rec.report, err = optional(base + ".report.json"); err != nil {
		return rec, fmt.Errorf("reading the recorded report: %w", err)
	}
	usage, err := optional(base + ".usage.json")
	if err != nil || usage == nil {
		return rec, err
	}
	if rec.usage, err = parseUsage(usage); err != nil {
		return rec, fmt.Errorf("reading %s: %w", base+".usage.json", err)
	}
	return rec, nil
}

// optional reads a file that need not be there.
func optional(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// leave puts the report where the attempt looks for it.
func (rec recorded) leave(path string) error {
	if rec.report == nil {
		return nil
	}
	if path == "" {
		return errors.New("a report was recorded, and the attempt has no place for one")
	}
	if err := os.WriteFile(path, rec.report, 0o644); err != nil {
		return fmt.Errorf("leaving the recorded report: %w", err)
	}
	return nil
}

// parseUsage reads {"tokens_in", "tokens_out", "usd"}, each of which may lack; it is
// strict, since a person wrote it.
func parseUsage(data []byte) (Usage, error) {
	var u struct {
		In  *int64   `json:"tokens_in"`
		Out *int64   `json:"tokens_out"`
		USD *float64 `json:"usd"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&u); err != nil {
		return Usage{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Usage{}, errors.New("something follows the usage")
	}
	if (u.In != nil && count(*u.In) == nil) || (u.Out != nil && count(*u.Out) == nil) || (u.USD != nil && *u.USD < 0) {
		return Usage{}, errors.New("a figure is negative or beyond measure")
	}
	usage := Usage{TokensIn: u.In, TokensOut: u.Out, USD: u.USD, Source: Unknown}
	if u.USD != nil {
		usage.Source = Reported
	}
	return usage, nil
}
