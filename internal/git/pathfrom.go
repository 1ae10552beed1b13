package git

import (
	"fmt"
	"path/filepath"
	"strings"
)

// PathFrom gives a path that was named from dir as the repository's trees have it. A
// path that is outside the work tree is an error; so is any in a bare repository.
func (r *Repo) PathFrom(dir, path string) (string, error) {
	if r.Worktree == "" {
		return "", fmt.Errorf("placing %s: %w", path, ErrNotFound)
	}
	full, err := filepath.Abs(filepath.Join(dir, path))
	if filepath.IsAbs(path) {
		full, err = filepath.Clean(path), nil
	}
	if err != nil {
		return "", fmt.Errorf("placing %s: %w", path, err)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(real, filepath.Base(full))
	}
	inside, err := filepath.Rel(r.Worktree, full)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s is outside the work tree %s", path, r.Worktree)
	}
	return filepath.ToSlash(inside), nil
}
