package attempt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"torve/internal/contract"
	"torve/internal/failpoint"
)

// Acceptance asks the tree that would land, and what git ignores is in no tree: by such
// a file an agent could make a line pass. So it is set aside while lines run, but for
// what stays in a room, and put back afterwards. Nothing of it is removed.

// ignored is where a room's ignored files are while they are set aside.
func (r *room) ignored() string { return filepath.Join(r.side, "ignored.set-aside") }

// stays are the paths that stay when a room's files are made equal to a tree: what
// setup and copy made, and what worktree.keep names, by path or by glob.
func (s *Station) stays(ctx context.Context, r *room) ([]string, error) {
	if !slices.ContainsFunc(s.Settings.Keep, isGlob) {
		return s.staysOf(r, nil), nil
	}
	loose, err := s.loose(ctx, r)
	return s.staysOf(r, loose), err
}

func isGlob(k string) bool { return strings.ContainsAny(k, "*?[") }

// staysOf is stays where it is known what is in no tree.
func (s *Station) staysOf(r *room, loose []string) []string {
	stay, globs := slices.Clone(r.Setup), []string{}
	for _, k := range s.Settings.Keep {
		if isGlob(k) {
			globs = append(globs, k)
		} else {
			stay = append(stay, k)
		}
	}
	for _, p := range loose {
		if slices.ContainsFunc(globs, func(g string) bool { return contract.Match(g, inside(p)) }) {
			stay = append(stay, p)
		}
	}
	return stay
}

// inside is a path, or something in it where it is a folder: dir/** is about what is in it.
func inside(p string) string {
	if strings.HasSuffix(p, "/") {
		return p + "x"
	}
	return p
}

// setAside moves a room's ignored files out of the worktree, those in stay excepted.
func (r *room) setAside(ignored, stay []string) error {
	for _, p := range ignored {
		if err := r.moveOut(strings.TrimSuffix(p, "/"), stay, r.ignored()); err != nil {
			return fmt.Errorf("setting %s aside, which git ignores: %w", p, err)
		}
	}
	return nil
}

// setTempsAside moves what the agent left in its temporary folder out of the way of
// acceptance, which works in the same: by it a line could pass that would not elsewhere.
func (r *room) setTempsAside() error {
	if r.side == "" || !r.Agent {
		return nil
	}
	now, err := names(r.temp())
	if err != nil {
		return err
	}
	for _, name := range now {
		if slices.Contains(r.Temps, name) {
			continue
		}
		to := filepath.Join(r.side, "tmp.set-aside", name)
		for n := 2; ; n++ {
			free, err := absent(to)
			if err != nil {
				return err
			}
			if free {
				break
			}
			to = filepath.Join(r.side, fmt.Sprintf("tmp.set-aside.%d", n), name)
		}
		if err := move(filepath.Join(r.temp(), name), to); err != nil {
			return fmt.Errorf("setting %s aside, which the agent left in its temporary folder: %w", name, err)
		}
	}
	return nil
}

// moveOut moves one path into a folder, but for what in it stays.
func (r *room) moveOut(p string, stay []string, to string) error {
	if len(beyond([]string{p}, stay)) == 0 || len(beyond([]string{p + "/"}, stay)) == 0 {
		return nil
	}
	holds := slices.ContainsFunc(stay, func(k string) bool { return strings.HasPrefix(path.Clean(k), p+"/") })
	if !holds {
		return move(filepath.Join(r.dir, p), filepath.Join(to, p))
	}
	entries, err := os.ReadDir(filepath.Join(r.dir, p))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := r.moveOut(p+"/"+e.Name(), stay, to); err != nil {
			return err
		}
	}
	return nil
}

// putBack puts what was set aside back where it stood. What a line has made there
// meanwhile gives way.
func (r *room) putBack() error {
	if err := over(r.ignored(), r.dir); err != nil {
		return fmt.Errorf("putting back what was set aside in %s: %w", r.ignored(), err)
	}
	return nil
}

// over moves what is in one folder into another, over what is there, and takes the
// emptied folder away.
func over(from, to string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		there, err := os.Lstat(dst)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = move(src, dst)
		case err != nil:
		case e.IsDir() && there.IsDir():
			err = over(src, dst)
		default:
			if err = os.RemoveAll(dst); err == nil {
				err = move(src, dst)
			}
		}
		if err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// move renames, making the folders above. A folder that its owner may not write to, as
// caches have them, is opened for it.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	err := os.Rename(from, to)
	failpoint.Hit(failpoint.AttemptMoved)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	st, serr := os.Lstat(from)
	if serr != nil || !st.IsDir() {
		return err
	}
	if err := os.Chmod(from, st.Mode().Perm()|0o700); err != nil {
		return err
	}
	return errors.Join(os.Rename(from, to), os.Chmod(to, st.Mode().Perm()))
}
