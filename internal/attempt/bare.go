package attempt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"torve/internal/git"
)

// strange says what in a room that was never more than cut is not torve's; "" when
// nothing is. The folder of the worktrees may be a person's own, and a worktree in it
// called as an attempt's may be one that a person made. One that torve cut stands at the
// commit that it was cut at, on no branch, and holds that commit's files alone: all of
// them, or those that a crash left, with no index.
func (s *Station) strange(ctx context.Context, m numbered) string {
	switch {
	case !m.bare():
		return ""
	case !exists(m.dir):
		return s.tells(ctx, m)
	}
	place, registered, err := s.registration(ctx, m.dir)
	switch {
	case err != nil:
		return err.Error()
	case place.Branch != "":
		return "it is on the branch " + place.Branch + ", and torve's are on none"
	}
	if registered && place.Head != "" {
		made, err := s.Repo.Visited(ctx, m.dir, place.Head)
		if err != nil || len(made) > 0 {
			return reason(err, errors.New("its HEAD was moved: torve did not do that"))
		}
	}
	extra, err := s.beside(ctx, m.dir, place.Head)
	if err == nil && extra == "" && registered {
		extra, err = s.altered(ctx, m.dir)
	}
	switch {
	case err != nil:
		return err.Error()
	case extra != "":
		return fmt.Sprintf("%s in it is not as torve cut it", extra)
	}
	return ""
}

// registration is the registration of a worktree.
func (s *Station) registration(ctx context.Context, dir string) (git.Place, bool, error) {
	root, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return git.Place{}, false, err
	}
	places, err := s.Repo.Worktrees(ctx)
	for _, p := range places {
		if p.Dir == filepath.Join(root, filepath.Base(dir)) {
			return p, true, err
		}
	}
	return git.Place{}, false, err
}

// beside is a file in a folder that a commit does not hold; "" when there is none.
func (s *Station) beside(ctx context.Context, dir, commit string) (extra string, err error) {
	held := map[string]bool{}
	if commit != "" {
		entries, err := s.Repo.Tree(ctx, commit, "")
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			held[e.Path] = true
		}
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, lost := filepath.Rel(dir, path)
		switch {
		case err != nil || lost != nil:
			return errors.Join(err, lost)
		case d.IsDir(), rel == ".git", held[filepath.ToSlash(rel)]:
			return nil
		}
		extra = rel
		return fs.SkipAll
	})
	return extra, err
}

// altered is a file that is not as the index has it; "" when there is none, or no index.
func (s *Station) altered(ctx context.Context, dir string) (string, error) {
	st, err := s.Repo.Status(ctx, dir)
	if err != nil {
		return "", err
	}
	for _, path := range st.Changed {
		if _, err := os.Lstat(filepath.Join(dir, path)); err == nil {
			return path, nil
		}
	}
	return "", nil
}

// tells says which commit that is on no ref the registration of a room tells of whose
// folder is gone; "" when it tells of none.
func (s *Station) tells(ctx context.Context, m numbered) string {
	made, err := s.Repo.Visited(ctx, m.dir, m.Base)
	if err != nil {
		return err.Error()
	}
	for _, id := range made {
		loose, err := s.Repo.Run(ctx, "rev-list", "--max-count=1", id, "--not", "--single-worktree", "--all")
		if err != nil {
			return err.Error()
		}
		if loose != "" {
			return fmt.Sprintf("its folder is gone, and the commit %s made in it is on no ref: git branch recovered %s", short(id), short(id))
		}
	}
	return ""
}
