package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Snapshot is the tree of the files at dir against a base commit: tracked paths (of the
// base, or added to git there) whether ignored or not, untracked ones that are not
// ignored. It writes objects, no index and no ref. Paths in except, and what is under
// them, are taken as the base has them.
//
// What git itself would do otherwise:
//   - A repository inside, which is no submodule of .gitmodules, is taken as its files: a bare
//     link to its commit would lose them. Its own ignore rules hold there.
//   - A file whose bytes are exactly the base's is unchanged, whatever its attributes say of
//     line ends and filters.
func (r *Repo) Snapshot(ctx context.Context, dir, base string, except []string) (string, error) {
	tree, err := r.snapshot(ctx, dir, base, except)
	if err != nil {
		return "", fmt.Errorf("taking the tree of %s: %w", dir, err)
	}
	return tree, nil
}

// scratch is an index of our own beside a worktree's.
type scratch struct {
	repo   *Repo
	dir    string
	file   string
	env    []string
	base   string
	except []string
}

// newScratch makes an index file in a folder of its own, to be removed by drop.
func (r *Repo) newScratch(admin, dir string) (*scratch, error) {
	folder, err := os.MkdirTemp("", "torve-index-")
	if err != nil {
		return nil, fmt.Errorf("making a scratch index: %w", err)
	}
	s := &scratch{repo: r, dir: dir, file: filepath.Join(folder, "index")}
	s.env = append(bound(admin, dir), "GIT_INDEX_FILE="+s.file)
	return s, nil
}

func (s *scratch) drop() { _ = os.RemoveAll(filepath.Dir(s.file)) }

func (s *scratch) git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	out, _, err := s.repo.git(ctx, call{dir: s.dir, env: s.env, stdin: stdin, args: args})
	return out, err
}

func (r *Repo) snapshot(ctx context.Context, dir, base string, except []string) (string, error) {
	admin, err := r.adminOf(dir)
	if err != nil {
		return "", err
	}
	own := filepath.Join(admin, "index")
	if admin == "" { // its registration is gone, its files are not
		admin, own = r.Common, ""
	}
	except = exceptions(except)
	if tree := r.knownTree(ctx, admin, dir, base, except); tree != "" {
		return tree, nil
	}
	s, err := r.newScratch(admin, dir)
	if err != nil {
		return "", err
	}
	defer s.drop()
	s.base, s.except = base, except
	added, ours := s.begin(ctx, own)
	if ours == nil {
		if err := s.reset(ctx); err != nil {
			return "", err
		}
	}
	tree, err := s.taken(ctx, added, ours)
	if err == nil && ours != nil {
		r.noteTaken(admin, taken{base: base, except: strings.Join(except, "\x00"), held: holdFile(s.file, tree)})
	}
	var fault *Fault
	if !errors.As(err, &fault) {
		return tree, err
	}
	if ours != nil { // what git reads besides the files was not read yet
		if err := s.reset(ctx); err != nil {
			return "", err
		}
	}
	return s.raw(ctx, own, added)
}

// reset makes the scratch index the base's, what it knows of the files kept.
func (s *scratch) reset(ctx context.Context) error {
	_, err := s.git(ctx, nil, "read-tree", "--reset", s.base)
	return err
}

// exceptions are paths from the root, without a slash at their ends.
func exceptions(paths []string) []string {
	var out []string
	for _, e := range paths {
		if e = strings.Trim(filepath.ToSlash(filepath.Clean(e)), "/"); e != "" && e != "." {
			out = append(out, e)
		}
	}
	return out
}

// knownTree is the tree of files that all stand as in an index that is held; "" where that
// is not known. What is in the worktree's own index is tracked there; what a snapshot took it
// takes again where it is asked the same.
func (r *Repo) knownTree(ctx context.Context, admin, dir, base string, except []string) string {
	tree, err := r.TreeID(ctx, base)
	if err != nil {
		return ""
	}
	known := r.own(admin)
	if known == nil || len(except) > 0 && known.tree != tree || !known.exact(ctx, dir) {
		last := r.lastTaken(admin)
		if last.base != base || last.except != strings.Join(except, "\x00") || !last.held.exact(ctx, dir) {
			return ""
		}
		known = last.held
	}
	if known.tree != tree && !r.stored(ctx, tree, known.tree) { // a person's git pruned it, or packed it
		return ""
	}
	return known.tree
}

// taken is the tree of the files as git's own add takes them. Own is the index that it began
// with, where that is held and is the base's.
func (s *scratch) taken(ctx context.Context, added []string, own *held) (string, error) {
	if err := s.add(ctx, nil); err != nil {
		return "", err
	}
	if own != nil {
		if tree, ok := s.edited(ctx, own); ok {
			return tree, nil
		}
	}
	if err := s.addForced(ctx, added); err != nil {
		return "", err
	}
	if err := s.correct(ctx); err != nil {
		return "", err
	}
	tree, err := s.git(ctx, nil, "write-tree", "--missing-ok") // a partial clone would fetch
	return line(string(tree)), err
}

// begin starts from a copy of the worktree's own index, so that what it knows of the
// files need not be read again, and gives the paths that were added to it: they are
// tracked, ignored or not. An index that cannot be read knows nothing. One that is held and is
// the base's is given: nothing was added to it since we made it, and nothing in it is hidden.
func (s *scratch) begin(ctx context.Context, own string) (added []string, ours *held) {
	if own == "" || copyIndex(own, s.file) != nil {
		_ = os.Remove(s.file)
		return nil, nil
	}
	if tree, err := s.repo.TreeID(ctx, s.base); err == nil && s.repo.indexOf(filepath.Dir(own)) == tree {
		return nil, s.repo.own(filepath.Dir(own))
	}
	out, err := s.git(ctx, nil, "diff-index", "--cached", "--name-only", "--diff-filter=A", "--no-renames", "--ignore-submodules=all", "-z", s.base)
	if err == nil {
		err = s.unhide(ctx)
	}
	if err != nil {
		_ = os.Remove(s.file)
		return nil, nil
	}
	return fields(out), nil
}

// unhide takes the marks off that make git look away from a file: that it be taken for
// unchanged, or for left out by a sparse checkout although it is there.
func (s *scratch) unhide(ctx context.Context) error {
	out, err := s.git(ctx, nil, "ls-files", "-z", "-v")
	if err != nil {
		return err
	}
	var assumed, skipped []string
	for _, f := range fields(out) {
		tag, name := f[:1], f[min(2, len(f)):]
		if strings.ToLower(tag) == tag {
			assumed = append(assumed, name)
		}
		if strings.EqualFold(tag, "s") {
			skipped = append(skipped, name)
		}
	}
	if len(skipped) > 0 && s.sparse(ctx) {
		skipped = slices.DeleteFunc(skipped, func(name string) bool { return !there(filepath.Join(s.dir, name)) })
	}
	return errors.Join(s.flag(ctx, "--no-assume-unchanged", assumed), s.flag(ctx, "--no-skip-worktree", skipped))
}

// sparse reports whether the checkout is; where that cannot be asked it is not.
func (s *scratch) sparse(ctx context.Context) bool {
	out, err := s.git(ctx, nil, "config", "--type=bool", "--default=false", "--get", "core.sparseCheckout")
	return err == nil && line(string(out)) == "true"
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// copyIndex copies an index with its time: git reads a file again whose time is not
// before the index's, since it may have changed within one tick of the clock.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNoFile
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// add takes the files as they are, but for what is excepted and what is named beside.
func (s *scratch) add(ctx context.Context, beside []string) error {
	args := []string{"-c", "core.safecrlf=false", "-c", "core.untrackedCache=false", "-c", "advice.addEmbeddedRepo=false",
		"add", "--all", "--sparse", "--", "."}
	for _, e := range append(beside, s.except...) {
		args = append(args, ":(top,exclude,literal)"+e)
	}
	_, err := s.git(ctx, nil, args...)
	var fault *Fault
	switch {
	case !errors.As(err, &fault):
		return err
	case fault.Exit == 1 && fault.says("paths are ignored by"):
		return nil // an excepted path that is ignored: git remarks on it when all is added
	case len(beside) > 0 || !fault.says("does not have a commit checked out"):
		return err
	}
	inside, err := s.inside(ctx)
	if err != nil || len(inside) == 0 {
		return errors.Join(fault, err)
	}
	if err := s.add(ctx, inside); err != nil {
		return err
	}
	return s.take(ctx, inside)
}

// addForced adds paths that were put into the worktree's own index although ignored.
func (s *scratch) addForced(ctx context.Context, added []string) error {
	var list bytes.Buffer
	for _, path := range added {
		info, err := os.Lstat(filepath.Join(s.dir, path))
		if err == nil && !info.IsDir() && !s.excepted(path) {
			list.WriteString(path + "\x00")
		}
	}
	if list.Len() == 0 {
		return nil
	}
	_, err := s.git(ctx, &list, "-c", "core.safecrlf=false", "update-index", "--add", "-z", "--stdin")
	return err
}

func (s *scratch) excepted(path string) bool {
	for _, e := range s.except {
		if path == e || strings.HasPrefix(path, e+"/") {
			return true
		}
	}
	return false
}
