package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// underway are the files of a git dir that say that an operation is in progress there.
var underway = []struct{ file, name string }{
	{"rebase-merge", "rebase"}, {"rebase-apply/applying", "am"}, {"rebase-apply", "rebase"},
	{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
	{"sequencer", "cherry-pick"}, {"BISECT_LOG", "bisect"},
}

// Busy names the operation in progress at dir (merge, rebase, am, cherry-pick, revert,
// bisect); "" when none.
func (r *Repo) Busy(ctx context.Context, dir string) (string, error) {
	admin, err := r.adminOf(dir)
	if err != nil {
		return "", err
	}
	if admin == "" {
		return "", fmt.Errorf("%s is no worktree of this repository: %w", dir, ErrNotFound)
	}
	for _, u := range underway {
		_, err := os.Lstat(filepath.Join(admin, u.file))
		switch {
		case err == nil:
			return u.name, nil
		case !errors.Is(err, os.ErrNotExist):
			return "", fmt.Errorf("asking what is in progress at %s: %w", dir, err)
		}
	}
	return "", nil
}

// CheckedOut is the worktree that has the branch checked out, or that rebases or bisects
// it: its HEAD is detached then, and the branch is in use all the same. "" when none has.
func (r *Repo) CheckedOut(ctx context.Context, branch string) (string, error) {
	if dir, known := r.plainCheckedOut(branch); known {
		return dir, nil
	}
	places, err := r.Worktrees(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range places {
		if p.Bare {
			continue
		}
		if p.Branch == branch {
			return p.Dir, nil
		}
		admin, err := r.adminOf(p.Dir)
		if err != nil {
			return "", err
		}
		if admin != "" && slices.Contains(inUse(admin), branch) {
			return p.Dir, nil
		}
	}
	return "", nil
}

// Elsewhere is the other worktree that has the branch checked out; "" where none has, or
// none is found.
func (r *Repo) Elsewhere(ctx context.Context, branch string) string {
	dir, err := r.CheckedOut(ctx, branch)
	if err != nil || dir == r.Worktree {
		return ""
	}
	return dir
}

// plainCheckedOut is CheckedOut by the files that git would read; known is false where one of
// them is odd.
func (r *Repo) plainCheckedOut(branch string) (dir string, known bool) {
	admins, err := r.admins()
	if err != nil || !r.plainRefs() {
		return "", false
	}
	if r.Main != "" {
		admins[r.Main] = r.Common
	}
	for root, admin := range admins {
		data, err := whole(filepath.Join(admin, "HEAD"))
		info, lost := os.Lstat(filepath.Join(admin, "HEAD"))
		if err != nil || lost != nil || !info.Mode().IsRegular() {
			return "", false
		}
		text, ended := strings.CutSuffix(string(data), "\n")
		name, on := strings.CutPrefix(text, "ref: ")
		switch {
		case !ended || on && !plainName(name) || !on && !isID(text):
			return "", false
		case name == "refs/heads/"+branch, slices.Contains(inUse(admin), branch):
			if dir != "" {
				return "", false // in two places: git knows which comes first
			}
			dir = root
		}
	}
	return dir, true
}

// inUse are the branches that an operation in progress will come back to.
func inUse(admin string) []string {
	var names []string
	for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		if data, err := os.ReadFile(filepath.Join(admin, file)); err == nil {
			names = append(names, strings.TrimPrefix(line(string(data)), "refs/heads/"))
		}
	}
	return names
}

// FastForward moves the branch that is checked out at dir to a commit, touching no changed,
// untracked or ignored file. ErrBusy when an operation is in progress there, ErrBlocked
// when files are in the way; an error keeps git's words and nothing has moved.
func (r *Repo) FastForward(ctx context.Context, dir, commit string) error {
	if err := r.fastForward(ctx, dir, commit, nil); err != nil {
		return fmt.Errorf("fast-forwarding %s to %s: %w", dir, short(commit), err)
	}
	return nil
}

// fastForward is FastForward where some paths are known to be as the commit has them.
func (r *Repo) fastForward(ctx context.Context, dir, commit string, equal []string) error {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: the branch is checked out in a worktree whose folder is gone; git worktree prune forgets it", ErrBlocked)
	}
	busy, err := r.Busy(ctx, dir)
	if err != nil {
		return err
	}
	if busy != "" {
		return fmt.Errorf("%w: a %s", ErrBusy, busy)
	}
	_, head, err := r.headAt(ctx, dir)
	if err != nil {
		return err
	}
	blocked, err := r.WouldBlock(ctx, dir, head, commit)
	if err != nil {
		return err
	}
	blocked = slices.DeleteFunc(blocked, func(p string) bool { return slices.Contains(equal, p) })
	if blocked, err = r.notAsIn(ctx, dir, commit, blocked); err != nil {
		return err
	}
	if len(blocked) > 0 {
		return fmt.Errorf("%w: %q", ErrBlocked, first(blocked))
	}
	env, err := r.at(dir)
	if err != nil {
		return err
	}
	err = r.again(ctx, func() error {
		_, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{"merge", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "--no-stat", "--quiet", commit}})
		return err
	})
	var fault *Fault
	if errors.As(err, &fault) && fault.says("would be overwritten", "would lose untracked", "not up to date", "not uptodate") {
		return fmt.Errorf("%w: %w", ErrBlocked, err)
	}
	if err != nil {
		return err
	}
	if _, head, err = r.headAt(ctx, dir); err == nil && head != commit {
		err = fmt.Errorf("it is at %s, which holds that commit: %w", short(head), ErrRefMoved)
	}
	return err
}

// notAsIn are those of the paths at dir that are not, in the index and on disk, what the
// commit has there. Where a person commits at that very moment git takes the files of a
// fast-forward there and then does not move the branch: what stands there is ours, nothing of
// it can be lost, and the next try goes on over it.
func (r *Repo) notAsIn(ctx context.Context, dir, commit string, paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		same, err := r.sameThere(ctx, dir, commit, p)
		if err != nil {
			return nil, err
		}
		if !same {
			out = append(out, p)
		}
	}
	return out, nil
}

// sameThere reports whether a path at dir is staged as the commit has it, and its file is
// as it is staged.
func (r *Repo) sameThere(ctx context.Context, dir, commit, path string) (bool, error) {
	env, err := r.at(dir)
	if err != nil {
		return false, err
	}
	staged, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{"--literal-pathspecs", "ls-files", "-z", "--", path}})
	if err != nil || string(staged) != path+"\x00" {
		return false, err
	}
	for _, args := range [][]string{{"diff", "--cached", "--quiet", "--no-ext-diff", commit}, {"diff", "--quiet", "--no-ext-diff"}} {
		_, _, err := r.git(ctx, call{dir: dir, env: env, args: append(append([]string{"--literal-pathspecs"}, args...), "--", path)})
		var fault *Fault
		switch {
		case errors.As(err, &fault) && fault.Exit == 1:
			return false, nil
		case err != nil:
			return false, fmt.Errorf("comparing %s at %s with %s: %w", path, dir, short(commit), err)
		}
	}
	return true, nil
}

// WouldBlock lists the paths at dir that a fast-forward to commit would run into: files
// that are changed there and by it, and files that are not tracked, ignored or not, where
// it puts something.
func (r *Repo) WouldBlock(ctx context.Context, dir, from, commit string) ([]string, error) {
	deltas, err := r.changed(ctx, from, commit)
	if err != nil {
		return nil, fmt.Errorf("comparing %s with %s: %w", short(from), short(commit), err)
	}
	status, err := r.Status(ctx, dir)
	if err != nil {
		return nil, err
	}
	b := blocks{dir: dir, changed: map[string]bool{}, going: map[string]bool{}, paths: map[string]bool{}}
	for _, p := range status.Paths {
		b.changed[p] = true
	}
	for _, d := range deltas {
		if d.Status != "A" {
			b.going[d.Path] = true
		}
	}
	if len(b.going) > 0 {
		unseen, err := r.flagged(ctx, dir, b.going)
		if err != nil {
			return nil, err
		}
		for _, p := range unseen {
			b.changed[p] = true
		}
	}
	for _, d := range deltas {
		b.look(d)
	}
	return b.list(), nil
}

// changed lists the paths at which two commits differ.
func (r *Repo) changed(ctx context.Context, from, to string) ([]Delta, error) {
	a, b, err := r.sides(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return r.between(ctx, a, b)
}

// blocks gathers what is in the way of a fast-forward.
type blocks struct {
	dir     string
	changed map[string]bool // against HEAD, or untracked
	going   map[string]bool // tracked paths that the fast-forward replaces or deletes
	paths   map[string]bool
}

func (b *blocks) look(d Delta) {
	if b.changed[d.Path] {
		b.paths[d.Path] = true
	}
	if d.Status == "D" {
		return
	}
	for at := filepath.Dir(d.Path); at != "."; at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(b.dir, at)); err == nil && !info.IsDir() && !b.going[at] {
			b.paths[at] = true
		}
	}
	info, err := os.Lstat(filepath.Join(b.dir, d.Path))
	switch {
	case err != nil || b.going[d.Path] || d.NewMode == modeModule:
	case info.IsDir():
		b.folder(d.Path)
	default:
		b.paths[d.Path] = true
	}
}

// folder adds what stands in a folder where a file is to come.
func (b *blocks) folder(path string) {
	_ = filepath.WalkDir(filepath.Join(b.dir, path), func(full string, e fs.DirEntry, err error) error {
		if rel, bad := filepath.Rel(b.dir, full); bad == nil && (err != nil || !e.IsDir()) && !b.going[rel] {
			b.paths[rel] = true
		}
		return nil
	})
}

func (b *blocks) list() []string {
	var list []string
	for p := range b.paths {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}
