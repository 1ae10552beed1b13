package answer

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/failpoint"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// Widened is what became of a task whose scope was widened.
type Widened struct {
	Commit string
	Mode   string // how it goes on: Ask, Fresh where no kept work of it is left, "" where it was never tried
	There  string // the clone that has the kept work, where this one has not
}

// Commit commits the edit on the target, re-mints, and requeues what was escalated: its
// kept tree is asked again, with no agent, in the clone that has it. What else is said of
// the task by then stays as it is: a re-mint alone queues what was accepted.
func (s *Station) Commit(ctx context.Context, w Widening, note string) (Widened, error) {
	out := Widened{Mode: Ask}
	after, err := contract.Parse(w.Path, w.After)
	if err != nil {
		return out, fmt.Errorf("reading the widened contract of %s: %w", w.Task, err)
	}
	if out.Commit, err = s.commit(ctx, w); err != nil {
		return out, err
	}
	failpoint.Hit(failpoint.AnswerCommitted)
	if err := s.Remint(ctx, w.Task); err != nil {
		return out, fmt.Errorf("%s is committed as %.7s, and minting it: %w", w.Path, out.Commit, err)
	}
	failpoint.Hit(failpoint.AnswerReminted)
	return out, s.settledAnew(ctx, w.Task, func(_ *truth.Reading, settled truth.Settled) error {
		t := settled.Board()
		if t == nil || t.Digest != after.Digest() {
			return not(settled, "torve mint "+w.Task, "the edit is committed as %.7s and is not in force yet", out.Commit)
		}
		work := kept(t)
		there, err := s.there(ctx, work)
		switch {
		case err != nil:
			return fmt.Errorf("looking for the kept work of %s: %w", w.Task, err)
		case work == nil && settled.State() != board.Escalated:
			out.Mode = ""
		case work == nil || !there && !record.Shared(s.Log):
			out.Mode = Fresh
		case !there:
			out.There = work.Place()
		}
		if settled.State() != board.Escalated {
			return nil
		}
		return s.append(ctx, w.Task, t.Last, record.Resolved{Answer: "requeued", Mode: out.Mode, Note: note})
	})
}

// commit makes the commit while torve's own landings stay off the target, if the file
// is still the one that was shown.
func (s *Station) commit(ctx context.Context, w Widening) (string, error) {
	release, err := s.Repo.Lock(ctx, "target-"+s.Target)
	if err != nil {
		return "", fmt.Errorf("waiting for %s: %w", s.Target, err)
	}
	defer release()
	r, err := s.Gather(ctx)
	if err != nil {
		return "", err
	}
	settled := r.Settled(w.Task)
	if no := mayWiden(settled); no != nil {
		return "", no
	}
	now, err := s.Repo.File(ctx, r.Head, w.Path)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", w.Path, err)
	}
	if !bytes.Equal(now, w.Before) {
		return "", not(settled, "torve widen "+w.Task, "%s has changed on %s since the edit was shown", w.Path, s.Target)
	}
	edit, err := s.edited(ctx, r.Head, w)
	if err != nil {
		return "", err
	}
	if s.Push != "" {
		return s.pushed(ctx, r.Head, w, settled, edit)
	}
	sha, err := s.Repo.CommitOn(ctx, s.Target, w.title(), s.Now(), edit)
	if errors.Is(err, git.ErrBlocked) || errors.Is(err, git.ErrBusy) {
		return "", not(settled, "git status", "%v", err)
	}
	return sha, err
}

// edited stores the file's new bytes; the file keeps its mode.
func (s *Station) edited(ctx context.Context, head string, w Widening) (git.Edit, error) {
	e, err := s.Repo.Entry(ctx, head, w.Path)
	if err != nil {
		return git.Edit{}, fmt.Errorf("reading %s: %w", w.Path, err)
	}
	blob, err := s.Repo.WriteBlob(ctx, w.After)
	return git.Edit{Path: w.Path, Mode: e.Mode, ID: blob}, err
}
