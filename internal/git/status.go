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
}

// Status reads the work tree at dir; it takes no lock and writes nothing.
func (r *Repo) Status(ctx context.Context, dir string) (Status, error) {
	env, err := r.at(dir)
	if err != nil {
		return Status{}, fmt.Errorf("reading the status: %w", err)
	}
	out, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{
		"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignored=no"}})
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
		s.Paths = append(s.Paths, path)
		switch {
		case f[:2] == "??":
			s.Untracked = append(s.Untracked, path)
		case f[0] != ' ':
			s.Staged = append(s.Staged, path)
		}
	}
	slices.Sort(s.Paths)
	return s
}

// Ignored lists the ignored untracked paths at dir; a folder that is ignored as a whole
// is one path, with a trailing slash.
func (r *Repo) Ignored(ctx context.Context, dir string) ([]string, error) {
	env, err := r.at(dir)
	if err != nil {
		return nil, fmt.Errorf("listing ignored files: %w", err)
	}
	out, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{
		"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignored=matching"}})
	if err != nil {
		return nil, fmt.Errorf("listing ignored files of %s: %w", dir, err)
	}
	var list []string
	for _, f := range fields(out) {
		if len(f) > 3 && f[:3] == "!! " {
			list = append(list, f[3:])
		}
	}
	slices.Sort(list)
	return list, nil
}
