package upkeep

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/failpoint"
	"torve/internal/git"
	"torve/internal/truth"
)

// Refused is why something is not done, and the command that helps.
type Refused struct{ Why, Hint string }

// Error is the reason.
func (r *Refused) Error() string { return r.Why }

// Adopt gives a person a branch at the work of an attempt: work that only a worktree
// holds is kept on its ref first. Nothing is checked out, and a branch that is there is
// not moved. It gives the commit that the branch is at; a *Refused says why there is none.
func (h Home) Adopt(ctx context.Context, rd *truth.Reading, t Tree, branch string) (string, error) {
	if _, err := h.Repo.Run(ctx, "check-ref-format", "--branch", branch); err != nil {
		return "", &Refused{Why: fmt.Sprintf("%q is no name for a branch", branch), Hint: "torve recover adopt " + t.Name() + " --branch NAME"}
	}
	if err := h.Keep(ctx, rd, &t); err != nil {
		return "", err
	}
	failpoint.Hit(failpoint.RecoverKept)
	err := h.Repo.UpdateRefs(ctx, git.RefUpdate{Ref: "refs/heads/" + branch, New: t.Commit})
	if errors.Is(err, git.ErrRefMoved) {
		return "", &Refused{Why: "there is a branch " + branch + " already, and it is not moved", Hint: "torve recover adopt " + t.Name() + " --branch NAME"}
	}
	if err != nil {
		return "", fmt.Errorf("making the branch %s: %w", branch, err)
	}
	failpoint.Hit(failpoint.RecoverMade)
	return t.Commit, nil
}

// Keep puts work that only a worktree holds on its attempt's ref; work that is on one
// already stays as it is.
func (h Home) Keep(ctx context.Context, rd *truth.Reading, t *Tree) error {
	if t.Ref != "" {
		return nil
	}
	if id := h.Runs(rd); id != "" && !recorded(rd, *t) {
		return &Refused{Why: fmt.Sprintf("%s is running, and a ref that the record knows nothing of would look like its agent's doing", id), Hint: "torve stop " + id}
	}
	var failed error
	free, err := h.still(t.Room.lock(), func() {
		if t.Ref, failed = h.Hands.Save(ctx, *t.Room); failed == nil {
			t.Commit, failed = h.Repo.Resolve(ctx, t.Ref)
		}
	})
	switch {
	case err != nil:
		return err
	case !free:
		return &Refused{Why: fmt.Sprintf("attempt %d at %s is still running", t.N, t.Task), Hint: "torve stop " + t.Task}
	case failed != nil:
		return fmt.Errorf("keeping what stands in %s: %w", t.Room.Dir, failed)
	}
	return h.tell(ctx, rd, t)
}

// recorded reports whether the record knows of the attempt.
func recorded(rd *truth.Reading, t Tree) bool {
	b := rd.Settled(t.Task).Board()
	return b != nil && b.Attempt(t.N) != nil
}
