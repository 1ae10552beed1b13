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
	admin, err := r.adminOf(dir)
	if err == nil && admin == "" {
		err = fmt.Errorf("%s is no worktree of this repository: %w", dir, ErrNotFound)
	}
	if err != nil {
		return Status{}, fmt.Errorf("reading the status: %w", err)
	}
	if s, known := r.knownStatus(ctx, admin, dir); known {
		return s, nil
	}
	env := bound(admin, dir)
	ask := func() (Status, error) {
		out, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{
			"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignored=" + ignored}})
		if err != nil {
			return Status{}, fmt.Errorf("reading the status of %s: %w", dir, err)
		}
		return parseStatus(out), nil
	}
	if admin == r.Common && real(dir) == real(r.Main) && ignored == "no" {
		return r.watched(ctx, admin, real(dir), ask)
	}
	return ask()
}

// knownStatus is the status of a worktree whose files all stand as in an index that is held:
// its own, or the one of the snapshot that was taken last. Nothing in it is ignored then.
func (r *Repo) knownStatus(ctx context.Context, admin, dir string) (s Status, known bool) {
	own := r.own(admin)
	if own == nil {
		return s, false
	}
	files := own
	if !own.exact(ctx, dir) {
		if files = r.lastTaken(admin).held; !files.exact(ctx, dir) {
			return s, false
		}
	}
	_, commit := r.quickHead(dir)
	head, err := r.TreeID(ctx, commit)
	if commit == "" || err != nil {
		return s, false
	}
	staged, err := r.between(ctx, head, own.tree)
	if err != nil {
		return s, false
	}
	for _, d := range staged {
		s.Staged = append(s.Staged, d.Path)
	}
	s.Changed, s.Untracked = own.against(files)
	s.Paths = slices.Concat(s.Staged, s.Changed, s.Untracked)
	slices.Sort(s.Paths)
	s.Paths = slices.Compact(s.Paths)
	return s, true
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
