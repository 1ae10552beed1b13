package answer

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/failpoint"
	"torve/internal/git"
	"torve/internal/truth"
)

// pushed commits on the remote's head as it was fetched and pushes that. Where the
// remote refuses, the commit stays on a branch for a person to propose.
func (s *Station) pushed(ctx context.Context, head string, w Widening, settled truth.Settled, edit git.Edit) (string, error) {
	sha, err := s.onTop(ctx, head, w, edit)
	if err != nil {
		return "", fmt.Errorf("committing the widened contract of %s: %w", w.Task, err)
	}
	if sha == head { // it stands there already
		return sha, nil
	}
	_, refused := s.Repo.Run(ctx, "push", "--quiet", "--no-verify", s.Push, sha+":refs/heads/"+s.Target)
	if refused == nil {
		failpoint.Hit(failpoint.AnswerPushed)
		return sha, nil
	}
	branch := "torve/widen-" + w.Task
	was, err := s.Repo.Refs(ctx, "refs/heads/"+branch)
	if err != nil {
		return "", errors.Join(refused, err)
	}
	ref := "refs/heads/" + branch
	if err := s.Repo.UpdateRefs(ctx, git.RefUpdate{Ref: ref, Old: was[ref], New: sha}); err != nil {
		return "", errors.Join(refused, err)
	}
	failpoint.Hit(failpoint.AnswerProposed)
	return "", not(settled, fmt.Sprintf("git push %s %s", s.Push, branch),
		"%s refuses the push to %s, and the edit is on branch %s: %v", s.Push, s.Target, branch, refused)
}

// onTop is a commit of the person on top of a head that changes one file; the head
// itself when it changes nothing.
func (s *Station) onTop(ctx context.Context, head string, w Widening, edit git.Edit) (string, error) {
	old, err := s.Repo.TreeID(ctx, head)
	if err != nil {
		return "", err
	}
	tree, err := s.Repo.EditTree(ctx, old, edit)
	if err != nil || tree == old {
		return head, err
	}
	person, err := s.Repo.Identity(ctx)
	if err != nil {
		return "", err
	}
	sign, err := s.Repo.Signs(ctx)
	if err != nil {
		return "", err
	}
	return s.Repo.WriteCommit(ctx, git.Commit{
		Tree: tree, Parents: []string{head}, Author: person, Committer: person, At: s.Now(), Message: w.title() + "\n",
	}, sign)
}
