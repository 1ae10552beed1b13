package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"torve/internal/failpoint"
)

// Equal makes the files at dir equal to a tree: untracked files that are not ignored go.
// The paths in keep, and what is under them, stay as they are. HEAD and refs stay; the
// index is made equal to the tree. The worktree's own index is not believed: every file
// is read. It is for worktrees that AddWorktree made, and refuses the main one.
func (r *Repo) Equal(ctx context.Context, dir, tree string, keep []string) error {
	return r.EqualNoted(ctx, dir, tree, keep, func() error { return nil })
}

// EqualNoted is Equal that calls note before it changes a file; where they all are the tree's
// already it does not, and an error of it ends it there.
func (r *Repo) EqualNoted(ctx context.Context, dir, tree string, keep []string, note func() error) error {
	if err := r.equal(ctx, dir, tree, keep, note); err != nil {
		return fmt.Errorf("making %s equal to %s: %w", dir, short(tree), err)
	}
	return nil
}

func (r *Repo) equal(ctx context.Context, dir, tree string, keep []string, note func() error) error {
	admin, err := r.adminOf(dir)
	if err != nil {
		return err
	}
	if admin == "" || filepath.Dir(admin) != filepath.Join(r.Common, "worktrees") {
		return fmt.Errorf("it is no linked worktree of this repository: %w", ErrNotFound)
	}
	if done, err := r.equalAlready(ctx, admin, dir, tree); done || err != nil {
		return err
	}
	if err := note(); err != nil {
		return err
	}
	s, err := r.newScratch(admin, dir)
	if err != nil {
		return err
	}
	defer s.drop()
	if err := s.load(ctx, admin, tree); err != nil {
		return err
	}
	kept, err := s.hold(ctx, keep)
	if err != nil {
		return err
	}
	if err := s.write(ctx); err != nil {
		return err
	}
	if err := s.clean(ctx, keep); err != nil {
		return err
	}
	if err := s.flag(ctx, "--no-skip-worktree", kept); err != nil {
		return err
	}
	info, err := os.Stat(s.file)
	if err != nil {
		return fmt.Errorf("installing the index: %w", err)
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		return fmt.Errorf("installing the index: %w", err)
	}
	if err := install(data, filepath.Join(admin, "index")); err != nil {
		return err
	}
	return r.rememberIndex(ctx, admin, tree, info.ModTime(), len(kept) == 0)
}

// equalAlready is Equal where every file stands as in an index that is held of that tree,
// the worktree's own or the one of the snapshot that was taken last, and none beside them.
func (r *Repo) equalAlready(ctx context.Context, admin, dir, rev string) (done bool, err error) {
	tree, err := r.TreeID(ctx, rev)
	if err != nil {
		return false, err
	}
	if own := r.own(admin); own != nil && own.tree == tree && own.exact(ctx, dir) {
		return true, unlockIndex(filepath.Join(admin, "index"))
	}
	last := r.lastTaken(admin).held
	if last == nil || last.tree != tree || !last.exact(ctx, dir) {
		return false, nil
	}
	if err := install(last.data, filepath.Join(admin, "index")); err != nil {
		return false, err
	}
	return true, r.rememberIndex(ctx, admin, tree, last.at, true)
}

// load reads the tree into the scratch index. Where the checkout is sparse git says which
// paths are left out only while it writes files, so it writes them to a scratch folder.
func (s *scratch) load(ctx context.Context, admin, tree string) error {
	cfg, err := configFiles(filepath.Join(s.repo.Common, "config"), filepath.Join(admin, "config.worktree"))
	if err != nil {
		return err
	}
	if !truthy(cfg.Section("core").Option("sparseCheckout")) {
		_, err = s.git(ctx, nil, "read-tree", "-m", tree)
		return err
	}
	folder := filepath.Join(filepath.Dir(s.file), "files")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	aside := *s
	aside.dir, aside.env = folder, append(bound(admin, folder), "GIT_INDEX_FILE="+s.file)
	_, err = aside.git(ctx, nil, "read-tree", "-m", "-u", tree)
	return errors.Join(err, os.RemoveAll(folder))
}

// hold takes tracked paths that are to stay out of the writing, and lists them.
func (s *scratch) hold(ctx context.Context, keep []string) ([]string, error) {
	if len(keep) == 0 {
		return nil, nil
	}
	args := []string{"--literal-pathspecs", "ls-files", "-z", "--"}
	for _, k := range keep {
		args = append(args, filepath.Clean(k))
	}
	out, err := s.git(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, path := range fields(out) {
		if _, err := os.Lstat(filepath.Join(s.dir, path)); err == nil {
			kept = append(kept, path)
		}
	}
	return kept, s.flag(ctx, "--skip-worktree", kept)
}

func (s *scratch) flag(ctx context.Context, flag string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := s.git(ctx, strings.NewReader(strings.Join(paths, "\x00")+"\x00"), "update-index", flag, "-z", "--stdin")
	return err
}

// write compares every file with the index and writes those that differ.
func (s *scratch) write(ctx context.Context) error {
	_, _, err := s.repo.git(ctx, call{dir: s.dir, env: s.env, codes: []int{1}, args: []string{"update-index", "-q", "--refresh"}})
	if err != nil {
		return err
	}
	_, err = s.git(ctx, nil, "checkout-index", "--all", "--force", "--index", "--quiet")
	return err
}

// clean removes untracked files that are neither ignored nor kept; repositories inside too.
func (s *scratch) clean(ctx context.Context, keep []string) error {
	args := []string{"clean", "-ffdq"}
	for _, k := range keep {
		pattern, err := exactly(filepath.Clean(k))
		if err != nil {
			return err
		}
		args = append(args, "-e", pattern)
	}
	_, err := s.git(ctx, nil, args...)
	var fault *Fault
	if !errors.As(err, &fault) || !fault.says("Permission denied") {
		return err
	}
	if err := s.unlock(ctx); err != nil {
		return err
	}
	_, err = s.git(ctx, nil, args...)
	return err
}

// unlock lets the owner write to the folders of untracked files: caches of modules forbid it.
func (s *scratch) unlock(ctx context.Context) error {
	out, err := s.git(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for _, path := range fields(out) {
		for at := filepath.Dir(path); at != "."; at = filepath.Dir(at) {
			full := filepath.Join(s.dir, at)
			if info, err := os.Lstat(full); err == nil && info.IsDir() && info.Mode()&0o200 == 0 {
				if err := os.Chmod(full, info.Mode().Perm()|0o700); err != nil {
					return fmt.Errorf("clearing untracked files: %w", err)
				}
			}
		}
	}
	return nil
}

// exactly is the ignore pattern that matches one path from the root.
func exactly(path string) (string, error) {
	if strings.ContainsAny(path, "\n\x00") {
		return "", fmt.Errorf("%q cannot be kept: its name holds a newline", path)
	}
	var b bytes.Buffer
	b.WriteByte('/')
	for _, c := range []byte(path) {
		if strings.IndexByte(`\*?[] `, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

// install puts an index in the place of the worktree's own, and takes away a lock that a
// killed program left there: nothing else works in this worktree now.
func install(data []byte, index string) error {
	failpoint.Hit(failpoint.FilesEqual)
	if err := os.WriteFile(index+".torve", data, 0o644); err != nil {
		return fmt.Errorf("installing the index: %w", readOnly(err))
	}
	failpoint.Hit(failpoint.IndexWritten)
	if err := os.Rename(index+".torve", index); err != nil {
		return fmt.Errorf("installing the index: %w", readOnly(err))
	}
	return unlockIndex(index)
}

func unlockIndex(index string) error {
	if err := os.Remove(index + ".lock"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing a lock left behind: %w", err)
	}
	return nil
}
