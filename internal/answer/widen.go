package answer

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/truth"
)

// Widening is the edit of a contract that lets more paths in.
type Widening struct {
	Task, Path    string
	Before, After []byte
	Globs         []string
}

// Widen makes the edit of the contract on the target's head and shows it; nothing is
// written.
func (s *Station) Widen(ctx context.Context, task string, globs []string) (Widening, error) {
	var w Widening
	err := s.settledAnew(ctx, task, func(r *truth.Reading, settled truth.Settled) error {
		if no := mayWiden(settled); no != nil {
			return no
		}
		f, committed := r.Contracts[task]
		here := truth.Here{Repo: s.Repo, Log: s.Log, Target: r.Target, Head: r.Head}
		if t := settled.Board(); t != nil && (!committed || f.Digest != t.Digest) {
			switch pulled, err := here.Contract(ctx, t); {
			case err != nil:
				return err
			case !pulled:
				return not(settled, "git pull", "%s", here.Unpulled(t))
			}
		}
		if !committed {
			return not(settled, "torve status", "its contract is not on %s, so that there is nothing to widen", r.Target)
		}
		before, err := s.Repo.File(ctx, r.Head, f.Path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", f.Path, err)
		}
		w = Widening{Task: task, Path: f.Path, Before: before, Globs: globs}
		return w.edit(settled)
	})
	return w, err
}

func mayWiden(s truth.Settled) *NotAllowed {
	id := s.Task()
	if t := s.Board(); t != nil && t.InFlight() && s.Carrier() == truth.Board {
		return not(s, "torve status "+id, "it is being worked on, and its contract stays what it is until that has ended")
	}
	switch s.State() {
	case board.Escalated, board.Queued, board.Ready, board.InReview:
		return nil
	case board.Abandoned, truth.RanHere, truth.Removed:
		return not(s, "torve requeue "+id, "it is not wanted as it stands: requeue it first")
	}
	return elsewhere(s)
}

// edit fills in the bytes after, and refuses an edit that would let nothing more in.
func (w *Widening) edit(settled truth.Settled) error {
	after, err := contract.WidenScope(w.Before, w.Globs)
	if err != nil {
		return not(settled, "", "%s cannot be widened so: %v", w.Path, err)
	}
	c, err := contract.Parse(w.Path, after)
	if err != nil {
		return not(settled, "", "%s cannot be widened so: %v", w.Path, err)
	}
	for _, g := range w.Globs {
		path, literal := asPath(g)
		if ok, clause := c.Scope.Admits(path); literal && !ok {
			return not(settled, "", "%s %s, and deny wins: edit %s by hand", path, clause, w.Path)
		}
	}
	if bytes.Equal(w.Before, after) && c.Digest() == settled.Board().Digest && !widened(settled.Board()) {
		return not(settled, "torve why "+w.Task, "its scope lets %s in already", strings.Join(w.Globs, ", "))
	}
	w.After = after
	return nil
}

// widened reports whether a task still waits for a scope that was widened since its work
// was refused: a widening died between its mint and its requeue, and to ask for it once
// more ends it.
func widened(t *board.Task) bool {
	work := kept(t)
	return t.Escalation != nil && t.Escalation.Reason == "scope" && work != nil && work.Started.Contract != t.Digest
}

// asPath is a glob as the path that it means, and whether it means just one.
func asPath(glob string) (string, bool) {
	return strings.TrimPrefix(glob, "/"), !strings.ContainsAny(glob, `*?[{\`) && !strings.HasSuffix(glob, "/")
}

// title is the first line of the commit.
func (w Widening) title() string {
	title := fmt.Sprintf("Widen %s: %s", w.Task, strings.Join(w.Globs, ", "))
	if r := []rune(title); len(r) > 72 {
		return string(r[:71]) + "…"
	}
	return title
}
