package truth

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/record"
)

// Here asks what of a record is in this clone. Only a record that several clones share
// tells of what is not: in one of this clone alone, what is not here was lost.
type Here struct {
	Repo         *git.Repo
	Log          record.Log
	Target, Head string

	there map[string]string // objects that were asked for: kind by id, "" for one that is not here
	lines map[string]bool   // commits, by whether they are on the target's line
}

// Here is Here of a reading. What it tells apart of open tasks is asked for at once.
func (r *Reading) Here(ctx context.Context, repo *git.Repo, log record.Log) (Here, error) {
	h := Here{Repo: repo, Log: log, Target: r.Target, Head: r.Head, there: map[string]string{}, lines: map[string]bool{}}
	if r.Board == nil || !record.Shared(log) {
		return h, nil
	}
	var ids []string
	for id, t := range r.Board.Tasks {
		if f, committed := r.Contracts[id]; !t.State.Over() && t.Blob != "" && (!committed || f.Digest != t.Digest) {
			ids = append(ids, t.Blob, t.Commit)
		}
	}
	return h, h.ask(ctx, ids)
}

func (h Here) ask(ctx context.Context, ids []string) error {
	there, err := h.Repo.Present(ctx, ids)
	if err != nil {
		return fmt.Errorf("looking for contracts: %w", err)
	}
	for _, id := range ids {
		h.there[id] = there[id]
	}
	return nil
}

// Contract reports whether the contract in force of a task is one that the target's line
// here has come by. Another clone mints what it has committed, and until that is pushed
// and pulled the line here says nothing of it: neither that it was edited, nor that it is gone.
func (h Here) Contract(ctx context.Context, t *board.Task) (bool, error) {
	if !record.Shared(h.Log) || t.Blob == "" {
		return true, nil
	}
	if h.there == nil {
		h.there, h.lines = map[string]string{}, map[string]bool{}
	}
	if _, asked := h.there[t.Blob]; !asked {
		if err := h.ask(ctx, []string{t.Blob, t.Commit}); err != nil {
			return false, err
		}
	}
	switch {
	case h.there[t.Blob] == "":
		return false, nil
	case h.there[t.Commit] != "commit" || h.Head == "":
		return true, nil
	}
	on, asked := h.lines[t.Commit]
	if asked {
		return on, nil
	}
	on, err := h.onLine(ctx, t.Commit)
	if h.lines[t.Commit] = on; err != nil {
		return false, fmt.Errorf("asking whether %s has %s, from which %s was minted: %w", h.Target, short(t.Commit), t.ID, err)
	}
	return on, nil
}

// onLine reports whether a commit is on the target's line here; one that is on no remote's
// line either was there, and was amended or rebased since.
func (h Here) onLine(ctx context.Context, commit string) (bool, error) {
	on, err := h.Repo.IsAncestor(ctx, commit, h.Head)
	if err != nil || on {
		return on, err
	}
	refs, err := h.Repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return false, err
	}
	for ref, id := range refs {
		if !strings.HasSuffix(ref, "/"+h.Target) || id == h.Head {
			continue
		}
		if fetched, err := h.Repo.IsAncestor(ctx, commit, id); err != nil || fetched {
			return false, err
		}
	}
	return true, nil
}

// Kept reports whether the tree that an attempt kept is in this clone.
func (h Here) Kept(ctx context.Context, a *board.Attempt) (bool, error) {
	if !record.Shared(h.Log) || a.Finished == nil || a.Finished.Head == "" {
		return true, nil
	}
	_, err := h.Repo.Resolve(ctx, a.Finished.Head)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for the tree that attempt %d kept: %w", a.N, err)
	}
	return true, nil
}

// Unpulled says of a contract that Contract does not find here where it is.
func (h Here) Unpulled(t *board.Task) string {
	return fmt.Sprintf("its contract (%s) was minted in another clone, and %s here does not have it yet: pull once it is pushed there", short(t.Digest), h.Target)
}

// MadeIn reports whether an attempt was made in a clone: on that host, in that git directory.
// One of which that was not told yet was made there if its worktree stood in root.
func MadeIn(a *board.Attempt, host, clone, root string) bool {
	if a.Started.Clone != "" {
		return a.Host == host && a.Started.Clone == clone
	}
	return a.Host == host && a.Started.Worktree != "" && filepath.Dir(a.Started.Worktree) == filepath.Clean(root)
}
