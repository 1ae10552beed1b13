package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"torve/internal/failpoint"
)

// RemoveWorktree removes a worktree under root and its registration, and asks that both
// are gone. It never removes what holds the git dir, the main work tree or another
// worktree, nor one that a person locked. Whether its files are kept elsewhere is for the
// caller to know. What is gone already is no error.
func (r *Repo) RemoveWorktree(ctx context.Context, root, dir string) error {
	if err := r.remove(ctx, root, dir); err != nil {
		return fmt.Errorf("removing the worktree %s: %w", dir, err)
	}
	return nil
}

func (r *Repo) remove(ctx context.Context, root, dir string) error {
	root, dir = real(root), real(dir)
	if err := r.removable(root, dir); err != nil {
		return err
	}
	release, err := r.Lock(ctx, "worktree")
	if err != nil {
		return err
	}
	defer release()
	admin, err := r.adminOf(dir)
	if err != nil {
		return err
	}
	if err := r.ours(dir, admin); err != nil {
		return err
	}
	if err := RemoveTree(dir); err != nil {
		return err
	}
	failpoint.Hit(failpoint.WorktreeEmptied)
	if admin != "" {
		from := r.Main // never the worktree that is going
		if from == "" {
			from = r.Common
		}
		err = r.again(ctx, func() error {
			_, _, err := r.git(ctx, call{dir: from, args: []string{"worktree", "remove", "--force", "--force", "--", dir}})
			return err
		})
		if err != nil {
			if now, gone := r.adminOf(dir); gone != nil || now != "" { // else a person's prune was first
				return err
			}
		}
		r.forget(admin)
	}
	return r.gone(dir)
}

// removable refuses a place that is not strictly inside root or that holds something else.
func (r *Repo) removable(root, dir string) error {
	if dir == root || !under(dir, root) {
		return fmt.Errorf("it is not inside %s", root)
	}
	admins, err := r.admins()
	if err != nil {
		return err
	}
	held := []string{real(r.Common)}
	if r.Main != "" {
		held = append(held, real(r.Main))
	}
	for other := range admins {
		if other != dir {
			held = append(held, other)
		}
	}
	for _, h := range held {
		if under(h, dir) {
			return fmt.Errorf("it holds %s", h)
		}
		if h != real(r.Common) && under(dir, h) {
			return fmt.Errorf("it is inside %s", h)
		}
	}
	return nil
}

// ours refuses a folder that is not this repository's worktree, and a locked one.
func (r *Repo) ours(dir, admin string) error {
	if admin != "" {
		if why := personsLock(admin); why != "" {
			return errors.New(why)
		}
		return nil
	}
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	link, err := os.ReadFile(filepath.Join(dir, ".git"))
	const key = "gitdir: "
	if err != nil || len(link) < len(key) || string(link[:len(key)]) != key ||
		!under(real(line(string(link[len(key):]))), real(filepath.Join(r.Common, "worktrees"))) {
		return fmt.Errorf("it is no worktree of this repository: %w", ErrNotFound)
	}
	return nil
}

// gone asks that folder and registration are.
func (r *Repo) gone(dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		return errors.New("its folder is still there")
	}
	admin, err := r.adminOf(dir)
	if err != nil {
		return err
	}
	if admin != "" {
		return fmt.Errorf("its registration %s is still there", admin)
	}
	return nil
}
