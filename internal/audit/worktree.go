package audit

import (
	"context"
	"path/filepath"
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
		i.differ("gone", filepath.Base(p.Dir), "git has a worktree registered at %s, and there is none", p.Dir).
			mends(func(ctx context.Context, _ Hands) (string, error) {
				return "took away the registration of " + p.Dir, i.Repo.RemoveWorktree(ctx, i.Root, p.Dir)
			})
	}
	return of, nil
}
