package git

import (
	"context"
	"fmt"
	"slices"
)

// Status of a work tree.
type Status struct {
	Paths     []string // changed or untracked, sorted
	Untracked []string // an untracked repository inside ends in a slash
	Staged    []string // where the index differs from HEAD
	Changed   []string // where the files differ from the index
	Ignored   []string // only of StatusIgnored; a folder that is ignored as a whole ends in a slash
}

// Status reads the work tree at dir; it takes no lock and writes nothing.
func (r *Repo) Status(ctx context.Context, dir string) (Status, error) {
	return r.status(ctx, dir, "no")
}

// StatusIgnored is Status with the ignored untracked paths.
func (r *Repo) StatusIgnored(ctx context.Context, dir string) (Status, error) {
	return r.status(ctx, dir, "matching")
}

func (r *Repo) status(ctx context.Context, dir, ignored string) (Status, error) {
	env, err := r.at(dir)
	if err != nil {
		return Status{}, fmt.Errorf("reading the status: %w", err)
	}
	out, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{
		"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignored=" + ignored}})
	if err != nil {
		return Status{}, fmt.Errorf("reading the status of %s: %w", dir, err)
	}
	return parseStatus(out), nil
}

// parseStatus reads "XY path" fields.
func parseStatus(out []byte) Status {
	var s Status
	for _, f := range fields(out) {
		if len(f) < 4 || f[2] != ' ' {
			continue
		}
		path := f[3:]
		if f[:2] == "!!" {
			s.Ignored = append(s.Ignored, path)
			continue
		}
		s.Paths = append(s.Paths, path)
		switch {
		case f[:2] == "??":
			s.Untracked = append(s.Untracked, path)
		case f[0] != ' ':
			s.Staged = append(s.Staged, path)
		}
		if f[:2] != "??" && f[1] != ' ' {
			s.Changed = append(s.Changed, path)
		}
	}
	slices.Sort(s.Paths)
	slices.Sort(s.Ignored)
	return s
}

// Ignored lists the ignored untracked paths at dir; a folder that is ignored as a whole
// is one path, with a trailing slash.
func (r *Repo) Ignored(ctx context.Context, dir string) ([]string, error) {
	s, err := r.StatusIgnored(ctx, dir)
	return s.Ignored, err
}
