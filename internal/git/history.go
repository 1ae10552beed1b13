package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// IsAncestor reports whether a is b or before it.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
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

// Removing is the newest commit at rev that deleted the path; ErrNotFound when none did.
// It is the commit that did it, and a merge only where no other commit did.
func (r *Repo) Removing(ctx context.Context, rev, path string) (Commit, error) {
	c, err := r.find(ctx, "deleted", rev, path, "--diff-filter=D", "--full-history", "--no-merges", "--max-count=1")
	if err == nil || !errors.Is(err, ErrNotFound) {
		return c, err
	}
	return r.find(ctx, "deleted", rev, path, "--diff-filter=D", "--full-history", "-m", "--max-count=1")
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

// BranchesWith lists the branches that hold a path: name → blob id, local (main) and
// remote (origin/main).
func (r *Repo) BranchesWith(ctx context.Context, path string) (map[string]string, error) {
	out, err := r.text(ctx, "for-each-ref", "--format=%(objectname) %(refname) %(symref)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, fmt.Errorf("listing branches: %w", err)
	}
	names := map[string][]string{} // commit → branches at it
	var commits []string
	for l := range strings.Lines(out) {
		f := strings.Fields(l)
		if len(f) != 2 { // origin/HEAD is another name for a branch
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(f[1], "refs/heads/"), "refs/remotes/")
		if names[f[0]] == nil {
			commits = append(commits, f[0])
		}
		names[f[0]] = append(names[f[0]], name)
	}
	blobs, err := r.pathIn(ctx, commits, path)
	if err != nil {
		return nil, fmt.Errorf("looking for %s on branches: %w", path, err)
	}
	found := map[string]string{}
	for commit, blob := range blobs {
		for _, name := range names[commit] {
			found[name] = blob
		}
	}
	return found, nil
}

// pathIn asks for one path in many commits with one program: commit → blob.
func (r *Repo) pathIn(ctx context.Context, commits []string, path string) (map[string]string, error) {
	var ask bytes.Buffer
	for _, c := range commits {
		ask.WriteString(c + ":" + path + "\x00")
	}
	out, _, err := r.git(ctx, call{args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)", "-z"}, stdin: &ask})
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	rest := string(out)
	for _, c := range commits {
		if after, missing := strings.CutPrefix(rest, c+":"+path+" missing\n"); missing {
			rest = after
			continue
		}
		l, after, ok := strings.Cut(rest, "\n")
		id, kind, _ := strings.Cut(l, " ")
		if !ok || !isID(id) {
			return nil, fmt.Errorf("%w: %.80q", errOdd, l)
		}
		if kind == "blob" {
			found[c] = id
		}
		rest = after
	}
	return found, nil
}
