package git

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Fetch fetches from a remote, all that it is configured for or the refspecs named.
// Others may work in the repository meanwhile: a fetch that met a worktree while it was
// being made, or a ref that another fetch moved, is tried again.
func (r *Repo) Fetch(ctx context.Context, remote string, refspecs ...string) error {
	args := append([]string{"fetch", "--quiet", "--no-tags", remote}, refspecs...)
	try := func() error {
		_, _, err := r.git(ctx, call{args: args})
		return err
	}
	err := r.whole(ctx, func() error { return r.again(ctx, try) })
	var fault *Fault
	if !errors.As(err, &fault) || !fault.midway() || ctx.Err() != nil {
		return fetched(remote, err)
	}
	release, err := r.Lock(ctx, "worktree") // the last word, while no worktree is made
	if err != nil {
		return fetched(remote, err)
	}
	defer release()
	return fetched(remote, try())
}

// whole does something again, after a pause each time, that met another's work half done.
func (r *Repo) whole(ctx context.Context, do func() error) error {
	err := do()
	for _, pause := range r.patience {
		var fault *Fault
		if !errors.As(err, &fault) || !fault.midway() {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(pause):
			err = do()
		}
	}
	return err
}

func fetched(remote string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("fetching from %s: %w", remote, err)
}

// midway reports whether git met another's work half done: a worktree whose files in
// the git directory are not all written yet, or a ref that moved under it.
func (f *Fault) midway() bool { return f.says("worktrees/", "cannot lock ref") }
