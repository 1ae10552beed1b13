package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Visited are the commits that the HEAD of a worktree stands at or stood at since a base,
// the newest first, each once: what was made or checked out there. Its log is whoever works there's
// to write, so that a line of it that does not read is passed over, and so is a commit
// that is not here whole: a ref on it would break every later walk.
func (r *Repo) Visited(ctx context.Context, dir, base string) ([]string, error) {
	admin, err := r.adminOf(dir)
	if err != nil || admin == "" {
		return nil, err
	}
	var ids []string
	if _, head, err := r.headAt(ctx, dir); err == nil {
		ids = append(ids, head)
	}
	for _, l := range slices.Backward(headLog(admin)) {
		if f := strings.Fields(l); len(f) > 1 && isID(f[1]) {
			ids = append(ids, f[1])
		}
	}
	var out []string
	seen := map[string]bool{base: true}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		whole, err := r.Whole(ctx, id, base)
		if err != nil {
			return nil, fmt.Errorf("reading the commits made in %s: %w", dir, err)
		}
		if whole {
			out = append(out, id)
		}
	}
	return out, nil
}

// HeadSaw reports whether the HEAD of a worktree ever stood at a commit, by its log.
func (r *Repo) HeadSaw(dir, commit string) (bool, error) {
	admin, err := r.adminOf(dir)
	if err != nil || admin == "" {
		return false, err
	}
	return slices.ContainsFunc(headLog(admin), func(l string) bool {
		f := strings.Fields(l)
		return len(f) > 1 && f[1] == commit
	}), nil
}

// headLog are the lines of a worktree's log of its HEAD; none where none is kept.
func headLog(admin string) []string {
	f, err := regular(filepath.Join(admin, "logs", "HEAD"))
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > 16<<20 {
		return nil
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\n")
}

// Whole reports whether a commit is here with all that it leads to beyond a base. What no
// ref holds yet a person's git may prune at any moment.
func (r *Repo) Whole(ctx context.Context, id, base string) (bool, error) {
	if kind, _, err := r.object(ctx, id); errors.Is(err, ErrNotFound) || err == nil && kind != "commit" {
		return false, nil
	}
	args := []string{"rev-list", "--quiet", "--objects", "--missing=allow-promisor", id}
	if base != "" {
		args = append(args, "--not", base)
	}
	_, _, err := r.git(ctx, call{args: args})
	var fault *Fault
	if errors.As(err, &fault) {
		return false, nil
	}
	return err == nil, err
}
