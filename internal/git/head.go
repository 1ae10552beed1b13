package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Person is who commits here.
type Person struct{ Name, Email string }

// Identity is the person's git identity; an error when git would refuse to commit.
func (r *Repo) Identity(ctx context.Context) (Person, error) {
	k, err := r.configuration(ctx)
	if err != nil {
		return Person{}, fmt.Errorf("asking who commits here: %w", err)
	}
	if p := k.identity(nil); p.Name != "" {
		return p, nil
	}
	ident, err := r.text(ctx, "var", "GIT_AUTHOR_IDENT")
	if err != nil {
		return Person{}, fmt.Errorf("asking who commits here: %w", err)
	}
	p, _ := decodeSignature(ident)
	if p.Name == "" || p.Email == "" {
		return Person{}, fmt.Errorf("asking who commits here: user.name and user.email are not both set")
	}
	return k.identity(&p), nil
}

// Signs reports whether the person signs their commits (commit.gpgSign).
func (r *Repo) Signs(ctx context.Context) (bool, error) {
	out, code, err := r.git(ctx, call{args: []string{"config", "--type=bool", "--get", "commit.gpgSign"}, codes: []int{1}})
	if err != nil {
		return false, fmt.Errorf("asking whether commits are signed: %w", err)
	}
	return code == 0 && line(string(out)) == "true", nil
}

// Resolve gives the object id of a revision, a tag's being what it names; ErrNotFound
// when there is none. A revision may also be <rev>:<path>.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if id := r.quickResolve(ctx, rev); id != "" {
		return id, nil
	}
	if rev == "" || strings.HasPrefix(rev, "-") {
		return "", fmt.Errorf("resolving %q: %w", rev, ErrNotFound)
	}
	ask := rev
	if !strings.Contains(rev, ":") {
		ask += "^{}"
	}
	out, code, err := r.git(ctx, call{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", ask}, codes: []int{1, 128}})
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", rev, err)
	}
	id := line(string(out))
	if code != 0 || !isID(id) {
		return "", fmt.Errorf("resolving %s: %w", rev, ErrNotFound)
	}
	return id, nil
}

// Head is the current branch ("" when detached) and its commit; ErrUnborn before the
// first, with the branch that it will be.
func (r *Repo) Head(ctx context.Context) (branch, commit string, err error) {
	return r.headAt(ctx, r.Dir)
}

func (r *Repo) headAt(ctx context.Context, dir string) (branch, commit string, err error) {
	if branch, commit = r.quickHead(dir); commit != "" {
		return branch, commit, nil
	}
	out, code, err := r.git(ctx, call{dir: dir, args: []string{"rev-parse", "HEAD", "--symbolic-full-name", "HEAD"}, codes: []int{128}})
	if err != nil {
		return "", "", fmt.Errorf("reading HEAD: %w", err)
	}
	commit, name, ok := strings.Cut(line(string(out)), "\n")
	if code == 0 && ok && isID(commit) {
		branch, _ = strings.CutPrefix(name, "refs/heads/")
		if name == "HEAD" {
			branch = ""
		}
		return branch, commit, nil
	}
	out, _, err = r.git(ctx, call{dir: dir, args: []string{"symbolic-ref", "HEAD"}})
	if err != nil {
		return "", "", fmt.Errorf("reading HEAD: %w", err)
	}
	branch = strings.TrimPrefix(line(string(out)), "refs/heads/")
	return branch, "", fmt.Errorf("branch %s: %w", branch, ErrUnborn)
}

// Root is the oldest root commit of a revision's history: the repository's name for
// itself. ErrShallow where the clone does not hold it.
func (r *Repo) Root(ctx context.Context, rev string) (string, error) {
	if r.Shallow {
		return "", fmt.Errorf("looking for the first commit: %w", ErrShallow)
	}
	out, err := r.text(ctx, "rev-list", "--max-parents=0", "--end-of-options", rev, "--")
	if err != nil {
		if _, _, unborn := r.Head(ctx); errors.Is(unborn, ErrUnborn) {
			err = unborn
		}
		return "", fmt.Errorf("looking for the first commit: %w", err)
	}
	return out[strings.LastIndexByte(out, '\n')+1:], nil
}

// HoldsRoot reports whether a root commit of that id is in this repository, whatever is
// checked out: what Root named is this repository's own. It starts no program and walks no history.
// ErrShallow where the history is cut short and does not show it.
func (r *Repo) HoldsRoot(ctx context.Context, id string) (bool, error) {
	kind, data, err := r.object(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound) && r.Shallow:
		return false, fmt.Errorf("looking for the first commit %s: %w", short(id), ErrShallow)
	case errors.Is(err, ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("looking for the first commit %s: %w", short(id), err)
	case kind != "commit":
		return false, nil
	}
	c, err := decodeCommit(id, data)
	return len(c.Parents) == 0, err
}
