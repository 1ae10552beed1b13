package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/git"
)

// askWorktrees asks of each worktree that is registered under torve's own folder that its
// files are there. What stands in them is for doctor and recover.
func (i *inquiry) askWorktrees(ctx context.Context) (int, error) {
	places, err := i.Repo.Worktrees(ctx)
	if err != nil {
		return 0, err
	}
	of := 0
	for _, p := range places {
		if i.Root == "" || filepath.Dir(p.Dir) != filepath.Clean(i.Root) {
			continue
		}
		of++
		if !p.Prunable || p.Locked {
			continue
		}
		if err := i.gone(ctx, p); err != nil {
			return of, err
		}
	}
	return of, nil
}

// gone names a registration whose folder is not there. It tells of the commits that were
// made there: it goes where each of them is on a ref, and not while a run has the task,
// whose takeover keeps them.
func (i *inquiry) gone(ctx context.Context, p git.Place) error {
	name := filepath.Base(p.Dir)
	d := i.differ("gone", name, "git has a worktree registered at %s, and there is none", p.Dir)
	task := name[:max(0, strings.LastIndexByte(name, '-'))]
	if t := i.r.Settled(task).Board(); t != nil && t.Claim != nil {
		d.by("torve dispatch " + task)
		return nil
	}
	made, err := i.Repo.Visited(ctx, p.Dir, i.Head)
	if err != nil {
		return err
	}
	for _, id := range made {
		loose, err := i.Repo.Run(ctx, "rev-list", "--max-count=1", id, "--not", "--single-worktree", "--all")
		if err != nil {
			return fmt.Errorf("asking whether %s is on a ref: %w", short(id), err)
		}
		if loose != "" {
			d.Says += "; the commit " + short(id) + " made in it is on no ref"
			d.by("git branch recovered " + short(id))
			return nil
		}
	}
	d.mends(func(ctx context.Context, _ Hands) (string, error) {
		if _, err := os.Lstat(p.Dir); !errors.Is(err, fs.ErrNotExist) {
			return "", err // it is there again
		}
		return "took away the registration of " + p.Dir, i.Repo.RemoveWorktree(ctx, i.Root, p.Dir)
	})
	return nil
}
