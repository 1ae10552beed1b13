package git

import (
	"context"
	"fmt"
	"strings"
)

// IsAncestor reports whether a is b or before it.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if r.idOf(a) && a == b && r.quickResolve(ctx, a+"^{commit}") == a {
		return true, nil
	}
	yes, err := r.yes(ctx, "merge-base", "--is-ancestor", a, b)
	if err != nil {
		return false, fmt.Errorf("asking whether %s is before %s: %w", short(a), short(b), err)
	}
	return yes, nil
}

// Touched is one commit and what it changed.
type Touched struct {
	ID    string
	Paths []string
}

// Between lists the commits in from..to, first parent only, newest first, with the paths
// that each changed against its first parent.
func (r *Repo) Between(ctx context.Context, from, to string) ([]Touched, error) {
	out, _, err := r.git(ctx, call{args: []string{"log", "--first-parent", "--diff-merges=first-parent", "--raw", "--no-renames",
		"--no-abbrev", "--root", "-z", "--format=%H", to, "^" + from, "--"}})
	if err != nil {
		return nil, fmt.Errorf("listing the commits between %s and %s: %w", short(from), short(to), err)
	}
	list, err := parseLog(out)
	if err != nil {
		return nil, fmt.Errorf("listing the commits between %s and %s: %w", short(from), short(to), err)
	}
	return list, nil
}

// parseLog reads ids and raw entries: a raw entry begins with a colon and is followed by
// its path, so that no path is taken for an id.
func parseLog(out []byte) ([]Touched, error) {
	var list []Touched
	all := fields(out)
	for i := 0; i < len(all); i++ {
		f := strings.TrimLeft(all[i], "\n")
		switch {
		case isID(f):
			list = append(list, Touched{ID: f})
		case strings.HasPrefix(f, ":") && len(list) > 0 && i+1 < len(all):
			i++
			last := &list[len(list)-1]
			last.Paths = append(last.Paths, all[i])
		case f != "":
			return nil, fmt.Errorf("%w: %.80q", errOdd, f)
		}
	}
	return list, nil
}

// LastTouching is the newest commit at rev that changed the path, a file or a folder;
// ErrNotFound when none did.
func (r *Repo) LastTouching(ctx context.Context, rev, path string) (Commit, error) {
	return r.find(ctx, "changed", rev, path, "--max-count=1")
}

// FirstAdding is the commit that first added the path on rev's line; ErrNotFound when none did.
func (r *Repo) FirstAdding(ctx context.Context, rev, path string) (Commit, error) {
	return r.find(ctx, "added", rev, path, "--diff-filter=A", "-m", "--topo-order")
}

// find is the last commit that a log of one path prints.
func (r *Repo) find(ctx context.Context, what, rev, path string, options ...string) (Commit, error) {
	args := append([]string{"--literal-pathspecs", "log", "--format=%H", "--no-renames"}, options...)
	out, err := r.text(ctx, append(args, rev, "--", path)...)
	if err != nil {
		return Commit{}, fmt.Errorf("looking for the commit that %s %s: %w", what, path, err)
	}
	if out == "" {
		return Commit{}, fmt.Errorf("a commit at %s that %s %s: %w", short(rev), what, path, ErrNotFound)
	}
	return r.ReadCommit(ctx, out[strings.LastIndexByte(out, '\n')+1:])
}

// ByTrailer is the newest commit at rev whose message holds that trailer line, wherever
// in it: a squash keeps the messages of what it squashed. ErrNotFound when none does.
func (r *Repo) ByTrailer(ctx context.Context, rev, key, value string) (Commit, error) {
	want := key + ": " + value
	out, _, err := r.git(ctx, call{args: []string{"log", "-z", "--format=%H%n%B", "--fixed-strings", "--grep=" + want, rev, "--"}})
	if err != nil {
		return Commit{}, fmt.Errorf("looking for a commit with %q: %w", want, err)
	}
	for _, f := range fields(out) {
		id, message, _ := strings.Cut(f, "\n")
		for l := range strings.Lines(message) {
			if strings.TrimSpace(l) == want {
				return r.ReadCommit(ctx, id)
			}
		}
	}
	return Commit{}, fmt.Errorf("a commit at %s with %q: %w", short(rev), want, ErrNotFound)
}
