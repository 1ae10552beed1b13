package landing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/truth"
)

// Repair appends what git holds and the record does not: landing files in the target's
// tree that have no landing.recorded. It returns the tasks that it mended, oldest
// landing first. A landing file that does not read is left to whoever names faults.
func (s *Station) Repair(ctx context.Context, b *board.Board) ([]string, error) {
	head, err := s.head(ctx)
	if err != nil {
		return nil, err
	}
	files, _, err := truth.Landings(ctx, s.Repo, head)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(files, func(a, b truth.LandingFile) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Path, b.Path))
	})
	var mended []string
	for _, f := range files {
		if t := b.Tasks[f.Task]; t != nil && t.Landing != nil && t.Landing.Path == f.Path {
			continue
		}
		did, err := s.mend(ctx, head, f)
		if err != nil {
			return mended, fmt.Errorf("recording %s, which git holds: %w", f.Path, err)
		}
		if did {
			mended = append(mended, f.Task)
		}
	}
	return mended, nil
}

// mend records one landing file that git holds; false when the record holds it, or the
// file does not read.
func (s *Station) mend(ctx context.Context, head string, f truth.LandingFile) (bool, error) {
	known, _, err := s.known(ctx, f.Task, f.Path)
	if err != nil || known {
		return false, err
	}
	l, reads, err := s.read(ctx, f)
	if err != nil || !reads {
		return false, err
	}
	p, err := s.found(ctx, head, f.Path, l)
	if err != nil {
		return false, err
	}
	return true, s.observe(ctx, l.Task, l.Attempt, p)
}

// read reads a landing file; reads is false where its content is broken, which whoever
// names faults names.
func (s *Station) read(ctx context.Context, f truth.LandingFile) (l carrier.Landing, reads bool, err error) {
	data, err := s.Repo.Blob(ctx, f.Blob)
	if err != nil {
		return l, false, err
	}
	l, err = carrier.ReadLanding(f.Path, data)
	return l, err == nil, nil
}

// found is a landing file as the record says it, its work commit as this clone has it.
func (s *Station) found(ctx context.Context, head, path string, l carrier.Landing) (record.Landed, error) {
	work, err := s.workCommit(ctx, head, path, l)
	return record.Landed{
		Path: path, Target: cmp.Or(l.Target, s.Target), Base: l.Base, Onto: l.Onto, Commit: work,
		Tree: l.Tree, Contract: l.Contract, Reverts: l.Reverts, Attested: l.Attested, Observed: true,
	}, err
}

// workCommit finds the work commit by its sha, else by its trailers, else by the commit
// that first added the landing file on this line.
func (s *Station) workCommit(ctx context.Context, head, path string, l carrier.Landing) (string, error) {
	if on, err := s.onLine(ctx, l.Commit, head); err != nil || on {
		return l.Commit, err
	}
	c, err := s.Repo.ByTrailer(ctx, head, "Torve-Task", l.Task)
	if err == nil && c.Trailers()["Torve-Attempt"] == strconv.Itoa(l.Attempt) {
		return c.ID, nil
	}
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return "", err
	}
	c, err = s.Repo.FirstAdding(ctx, head, path)
	return c.ID, err
}

// onLine reports whether a commit is head or before it; one that is not in this
// repository is not.
func (s *Station) onLine(ctx context.Context, id, head string) (bool, error) {
	_, err := s.Repo.Resolve(ctx, id+"^{commit}")
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.Repo.IsAncestor(ctx, id, head)
}

// already is the landing of a task that a head holds; the record is told of it.
func (s *Station) already(ctx context.Context, head, task string) (*Already, error) {
	files, _, err := truth.Landings(ctx, s.Repo, head)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Task != task {
			continue
		}
		if _, err := s.mend(ctx, head, f); err != nil {
			return nil, err
		}
		l, _, err := s.read(ctx, f)
		if err != nil {
			return nil, err
		}
		return &Already{Path: f.Path, Commit: l.Commit}, nil
	}
	return nil, nil
}
