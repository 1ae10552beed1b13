package view

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/truth"
)

// away is what is committed where the command runs, and not on the target: a contract
// on a branch is no draft, and it is not minted either.
type away struct {
	on    string // the branch, or a commit where HEAD is detached
	next  string // what brings it to the target
	blobs map[string]string
}

// away reads the contracts of HEAD, when there is a draft to tell apart.
func (o Options) away(ctx context.Context, r *truth.Reading) (away, error) {
	if len(r.Drafts) == 0 || o.Repo.Worktree == "" {
		return away{}, nil
	}
	branch, commit, err := o.Repo.Head(ctx)
	if errors.Is(err, git.ErrUnborn) {
		return away{}, nil
	}
	if err != nil {
		return away{}, fmt.Errorf("reading where HEAD stands: %w", err)
	}
	entries, err := o.Repo.Tree(ctx, commit, contract.Folder+"/")
	if err != nil {
		return away{}, fmt.Errorf("listing the contracts of HEAD: %w", err)
	}
	a := away{on: branch, next: fmt.Sprintf("git pull --rebase %[1]s %[2]s && git push %[1]s %[2]s", o.Push, r.Target), blobs: map[string]string{}}
	if branch == "" {
		a.on = Short(commit)
	}
	if branch != r.Target {
		a.next = board.Merge(r.Target, a.on, o.Repo.Elsewhere(ctx, r.Target))
	}
	for _, e := range entries {
		a.blobs[e.Path] = e.ID
	}
	return a, nil
}

// of says how a draft stands and what moves it on; "" where it is in the work tree alone.
func (a away) of(r *truth.Reading, task string) (why, next string) {
	d, there := r.Drafts[task]
	if !there || d.Blob == "" || a.blobs[d.Path] != d.Blob {
		return "", ""
	}
	if a.on == r.Target {
		return "committed on " + a.on + ", not pushed", a.next
	}
	return fmt.Sprintf("committed on %s, not on %s", a.on, r.Target), a.next
}
