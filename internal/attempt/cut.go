package attempt

import (
	"context"
	"fmt"
	"slices"

	"torve/internal/git"
)

// cut is what an attempt starts from: the commit that HEAD stands at, the tree
// that its files are, and the evidence of the place that the agent is given.
type cut struct {
	base, tree string
	evidence   string
}

// goesOn reports whether an attempt begins with the files of a kept tree.
func (j Job) goesOn() bool { return j.From != "" && (j.Mode == "repair" || j.Mode == "continue") }

// cutFrom says what the attempt starts from. A first or fresh one is the head as
// it is, and is told of nothing that was there before.
func (s *Station) cutFrom(ctx context.Context, j Job) (cut, error) {
	tree, err := s.Repo.TreeID(ctx, j.Head)
	if err != nil {
		return cut{}, fmt.Errorf("reading the tree of the target's head %s: %w", short(j.Head), err)
	}
	if !j.goesOn() {
		return cut{base: j.Head, tree: tree}, nil
	}
	c, err := s.onto(ctx, j.From, j.Head)
	c.evidence = joined(j.Evidence, c.evidence)
	return c, err
}

// onto cuts kept work again on a head. Where it does not merge, what does merge is
// in place, the head's own text stands at the conflicting paths, and the hunks are
// evidence: on the old base no answer could ever merge.
func (s *Station) onto(ctx context.Context, kept, head string) (cut, error) {
	was, err := s.baseOf(ctx, kept)
	if err != nil {
		return cut{}, err
	}
	m, err := s.Repo.Merge(ctx, was, head, kept)
	if err != nil {
		return cut{}, fmt.Errorf("merging the kept work %s onto %s: %w", short(kept), short(head), err)
	}
	if len(m.Conflicts) == 0 {
		return cut{base: head, tree: m.Tree}, nil
	}
	rest, err := s.without(ctx, kept, was, m.Conflicts)
	if err != nil {
		return cut{}, err
	}
	clean, err := s.Repo.Merge(ctx, was, head, rest)
	if err != nil {
		return cut{}, fmt.Errorf("merging the part of the kept work that does not conflict: %w", err)
	}
	if len(clean.Conflicts) == 0 {
		return cut{base: head, tree: clean.Tree, evidence: conflicting(s.Settings.Target, m.Hunks)}, nil
	}
	tree, err := s.Repo.TreeID(ctx, kept)
	return cut{base: was, tree: tree, evidence: m.Hunks}, err // nothing of it merges: its own files stand
}

// without is the kept tree with some paths put back to what the base has there.
func (s *Station) without(ctx context.Context, kept, base string, paths []string) (string, error) {
	old, err := s.Repo.Tree(ctx, base, "")
	if err != nil {
		return "", fmt.Errorf("reading the tree of %s: %w", short(base), err)
	}
	at := make(map[string]git.Entry, len(paths))
	for _, e := range old {
		if slices.Contains(paths, e.Path) {
			at[e.Path] = e
		}
	}
	edits := make([]git.Edit, 0, len(paths))
	for _, p := range paths {
		edits = append(edits, git.Edit{Path: p, Mode: at[p].Mode, ID: at[p].ID})
	}
	tree, err := s.Repo.TreeID(ctx, kept)
	if err != nil {
		return "", fmt.Errorf("reading the kept tree %s: %w", short(kept), err)
	}
	rest, err := s.Repo.EditTree(ctx, tree, edits...)
	if err != nil {
		return "", fmt.Errorf("taking the conflicting paths out of the kept tree: %w", err)
	}
	return rest, nil
}

// baseOf is the commit that kept work was cut from: its first parent.
func (s *Station) baseOf(ctx context.Context, kept string) (string, error) {
	c, err := s.Repo.ReadCommit(ctx, kept)
	if err != nil {
		return "", fmt.Errorf("reading the kept commit %s: %w", short(kept), err)
	}
	if len(c.Parents) == 0 {
		return "", fmt.Errorf("the kept commit %s has no base", short(kept))
	}
	return c.Parents[0], nil
}

// joined is both texts, one after the other, with a blank line between.
func joined(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return a + "\n\n" + b
}

// lockFiles are what a change of means that setup must run again.
var lockFiles = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
	"go.sum", "go.mod", "Cargo.lock", "poetry.lock", "uv.lock", "Pipfile.lock", "requirements.txt", "Gemfile.lock", "composer.lock",
}

// locksDiffer reports whether a lock file differs between two trees.
func (s *Station) locksDiffer(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return false, nil
	}
	deltas, err := s.Repo.Diff(ctx, a, b)
	if err != nil {
		return false, fmt.Errorf("comparing the lock files of two trees: %w", err)
	}
	return slices.ContainsFunc(deltas, func(d git.Delta) bool { return slices.Contains(lockFiles, baseName(d.Path)) }), nil
}
