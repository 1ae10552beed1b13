package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// flagged lists the tracked paths among those given that status does not look at, for a
// person flagged them (assume-unchanged, skip-worktree), and whose files are there and
// not what the index says.
func (r *Repo) flagged(ctx context.Context, dir string, paths map[string]bool) ([]string, error) {
	env, err := r.at(dir)
	if err != nil {
		return nil, err
	}
	out, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{"ls-files", "-v", "-s", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("listing what git is told not to look at in %s: %w", dir, err)
	}
	var changed []string
	for _, f := range fields(out) { // h 100644 <id> 0\tpath
		head, path, ok := strings.Cut(f, "\t")
		part := strings.Fields(head)
		if !ok || len(part) < 3 || part[0] != strings.ToLower(part[0]) && part[0] != "S" || !paths[path] {
			continue
		}
		if st, err := os.Lstat(filepath.Join(dir, path)); err != nil || !st.Mode().IsRegular() {
			continue
		}
		id, _, err := r.git(ctx, call{dir: dir, env: env, args: []string{"hash-object", "--", path}})
		if err != nil {
			return nil, fmt.Errorf("reading %s in %s: %w", path, dir, err)
		}
		if strings.TrimSpace(string(id)) != part[2] {
			changed = append(changed, path)
		}
	}
	return changed, nil
}
