package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// registrations are the administrative folders of the linked worktrees: folder → root.
func (r *Repo) registrations() (map[string]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.Common, "worktrees"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the worktrees: %w", err)
	}
	found := make(map[string]string, len(entries))
	for _, e := range entries {
		admin := filepath.Join(r.Common, "worktrees", e.Name())
		if root := worktreeOf(admin); root != "" {
			found[admin] = root
		}
	}
	return found, nil
}

// admins is registrations by the worktree's root, its links resolved: root → folder.
func (r *Repo) admins() (map[string]string, error) {
	all, err := r.registrations()
	if err != nil {
		return nil, err
	}
	found, parents := make(map[string]string, len(all)), map[string]string{}
	for admin, root := range all {
		root = realIn(parents, root)
		found[root] = max(found[root], admin) // of two for one worktree the same each time
	}
	return found, nil
}

// realIn is real where many stand in few folders: a folder is resolved once.
func realIn(parents map[string]string, path string) string {
	path = filepath.Clean(path)
	parent := filepath.Dir(path)
	if info, err := os.Lstat(path); parent == path || err == nil && info.Mode()&os.ModeSymlink != 0 {
		return real(path)
	}
	if parents[parent] == "" {
		parents[parent] = real(parent)
	}
	return filepath.Join(parents[parent], filepath.Base(path))
}

// adminOf is the git dir of a worktree by the repository's own registration: the .git
// file in it is under the hand of whoever works there. "" when it is not registered. The one
// that was found before is looked at first, and believed while it names the worktree.
func (r *Repo) adminOf(dir string) (string, error) {
	dir = real(dir)
	if r.Main != "" && dir == real(r.Main) {
		return r.Common, nil
	}
	r.lazily.mu.Lock()
	last := r.lazily.memory.admins[dir]
	r.lazily.mu.Unlock()
	if last != "" {
		if root := worktreeOf(last); root == dir || root != "" && real(root) == dir {
			return last, nil
		}
	}
	admins, err := r.admins()
	if err != nil {
		return "", err
	}
	if admin := admins[dir]; admin != "" {
		r.noteAdmin(dir, admin)
		return admin, nil
	}
	if r.Worktree != "" && dir == real(r.Worktree) {
		return r.gitDir, nil
	}
	return "", nil
}

// noteAdmin remembers the registration of a worktree.
func (r *Repo) noteAdmin(dir, admin string) {
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	if r.lazily.memory.admins == nil {
		r.lazily.memory.admins = map[string]string{}
	}
	r.lazily.memory.admins[dir] = admin
}
