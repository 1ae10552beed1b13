package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"torve/internal/failpoint"
)

// CommitOn commits edits on top of a branch's head as an ordinary commit by the person,
// signed as they sign, and moves the branch by compare-and-swap: by FastForward where it
// is checked out. Edits that change nothing make no commit: the head comes back. A file
// that stands there already with the very bytes to be committed is not in the way.
func (r *Repo) CommitOn(ctx context.Context, branch, message string, at time.Time, edits ...Edit) (string, error) {
	id, err := r.commitOn(ctx, branch, message, at, edits)
	if err != nil {
		return "", fmt.Errorf("committing on %s: %w", branch, err)
	}
	return id, nil
}

func (r *Repo) commitOn(ctx context.Context, branch, message string, at time.Time, edits []Edit) (string, error) {
	ref := "refs/heads/" + branch
	head, err := r.ref(ctx, ref)
	if err != nil {
		return "", err
	}
	if head == "" {
		return "", fmt.Errorf("the branch has no commit: %w", ErrUnborn)
	}
	old, err := r.TreeID(ctx, head)
	if err != nil {
		return "", err
	}
	tree, err := r.EditTree(ctx, old, edits...)
	if err != nil || tree == old {
		return head, err
	}
	id, err := r.personal(ctx, Commit{Tree: tree, Parents: []string{head}, At: at, Message: message})
	if err != nil {
		return "", err
	}
	failpoint.Hit(failpoint.CommitWritten)
	if _, err := r.Harden(ctx, id, head); err != nil {
		return "", err
	}
	dir, err := r.CheckedOut(ctx, branch)
	if err != nil {
		return "", err
	}
	if dir == "" {
		return id, r.UpdateRefs(ctx, RefUpdate{Ref: ref, Old: head, New: id})
	}
	return id, r.forwardOver(ctx, dir, head, id, edits)
}

// personal writes a commit by the person whose git this is.
func (r *Repo) personal(ctx context.Context, c Commit) (string, error) {
	person, err := r.Identity(ctx)
	if err != nil {
		return "", err
	}
	sign, err := r.Signs(ctx)
	if err != nil {
		return "", err
	}
	c.Author, c.Committer = person, person
	return r.WriteCommit(ctx, c, sign)
}

// forwardOver fast-forwards; what stands at dir already as the commit has it is staged
// first, as `git add` would, so that git finds it equal and not in the way. Where the
// fast-forward is refused the index gets back what it had from the head.
func (r *Repo) forwardOver(ctx context.Context, dir, head, commit string, edits []Edit) error {
	status, err := r.Status(ctx, dir)
	if err != nil {
		return err
	}
	var stage, undo bytes.Buffer
	var equal []string
	for _, e := range edits {
		same, err := r.untouched(ctx, dir, commit, e.Path)
		if err != nil {
			return err
		}
		if !same || slices.Contains(status.Staged, e.Path) {
			continue
		}
		if err := r.indexLine(ctx, &undo, head, e.Path); err != nil {
			return err
		}
		fmt.Fprintf(&stage, "%s %s\t%s\x00", e.Mode, e.ID, e.Path)
		equal = append(equal, e.Path)
	}
	if err := r.stage(ctx, dir, stage.Bytes()); err != nil {
		return err
	}
	err = r.fastForward(ctx, dir, commit, equal)
	if err != nil {
		return errors.Join(err, r.stage(context.WithoutCancel(ctx), dir, undo.Bytes()))
	}
	return nil
}

// indexLine adds the line that gives the index what a commit has at a path.
func (r *Repo) indexLine(ctx context.Context, b *bytes.Buffer, commit, path string) error {
	e, err := r.Entry(ctx, commit, path)
	switch {
	case errors.Is(err, ErrNotFound):
		fmt.Fprintf(b, "0 %s\t%s\x00", r.zero(), path)
	case err != nil:
		return err
	default:
		fmt.Fprintf(b, "%s %s\t%s\x00", e.Mode, e.ID, path)
	}
	return nil
}

// stage puts lines into the index of a worktree.
func (r *Repo) stage(ctx context.Context, dir string, lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	env, err := r.at(dir)
	if err != nil {
		return err
	}
	return r.again(ctx, func() error {
		_, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{"update-index", "-z", "--index-info"}, stdin: bytes.NewReader(lines)})
		return err
	})
}
