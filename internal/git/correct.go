package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// correct mends what git's own `add` takes otherwise than Snapshot promises: files that
// it only normalised, and repositories inside that are no submodules.
func (s *scratch) correct(ctx context.Context) error {
	out, err := s.git(ctx, nil, "diff-index", "--cached", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", s.base)
	if err != nil {
		return err
	}
	deltas, err := parseRaw(fields(out))
	if err != nil {
		return err
	}
	var back bytes.Buffer
	var inside []string
	for _, d := range deltas {
		switch {
		case d.NewMode == modeModule && d.OldMode != modeModule:
			inside = append(inside, d.Path)
		case d.Status == "M" && d.OldMode == d.NewMode && d.NewMode != modeModule && d.NewMode != modeSymlink:
			same, err := s.repo.sameBytes(ctx, s.dir, d.Path, d.OldID)
			if err != nil {
				return err
			}
			if same {
				fmt.Fprintf(&back, "%s %s\t%s\x00", d.OldMode, d.OldID, d.Path)
			}
		}
	}
	if back.Len() > 0 {
		if _, err := s.git(ctx, &back, "update-index", "-z", "--index-info"); err != nil {
			return err
		}
	}
	return s.expand(ctx, inside)
}

// sameBytes reports whether a file holds exactly a blob. One that cannot be read does not.
func (r *Repo) sameBytes(ctx context.Context, dir, name, blob string) (bool, error) {
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	data, err := r.Blob(ctx, blob)
	if err != nil {
		return false, err
	}
	if int64(len(data)) != info.Size() {
		return false, nil
	}
	disk, err := os.ReadFile(filepath.Join(dir, name))
	return err == nil && bytes.Equal(disk, data), nil
}

// untouched reports whether a path on disk is as a commit has it: bytes and mode.
func (r *Repo) untouched(ctx context.Context, dir, commit, name string) (bool, error) {
	e, err := r.Entry(ctx, commit, name)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil || e.Mode != modeFile && e.Mode != modeExec {
		return false, err
	}
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || (info.Mode()&0o100 != 0) != (e.Mode == modeExec) {
		return false, nil
	}
	return r.sameBytes(ctx, dir, name, e.ID)
}

// expand puts the files of repositories inside in the place of the links to them, but
// where .gitmodules makes it a submodule.
func (s *scratch) expand(ctx context.Context, inside []string) error {
	if len(inside) == 0 {
		return nil
	}
	modules, err := configFiles(filepath.Join(s.dir, ".gitmodules"))
	if err != nil {
		return err
	}
	inside = slices.DeleteFunc(inside, func(p string) bool {
		for _, sub := range modules.Section("submodule").Subsections {
			if path.Clean(sub.Option("path")) == p {
				return true
			}
		}
		return false
	})
	if len(inside) == 0 {
		return nil
	}
	drop := strings.NewReader(strings.Join(inside, "\x00") + "\x00")
	if _, err := s.git(ctx, drop, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
		return err
	}
	return s.take(ctx, inside)
}

// inside lists the repositories inside that git does not look into.
func (s *scratch) inside(ctx context.Context) ([]string, error) {
	out, err := s.git(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var list []string
	for _, f := range fields(out) {
		if name, folder := strings.CutSuffix(f, "/"); folder {
			list = append(list, name)
		}
	}
	return list, nil
}

// take adds the files of repositories inside.
func (s *scratch) take(ctx context.Context, inside []string) error {
	var list bytes.Buffer
	for len(inside) > 0 {
		at := inside[0]
		inside = inside[1:]
		if s.excepted(at) {
			continue
		}
		out, _, err := s.repo.git(ctx, call{dir: filepath.Join(s.dir, at), args: []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard"}})
		if err != nil {
			return fmt.Errorf("reading the repository inside at %s: %w", at, err)
		}
		for _, f := range fields(out) {
			name := path.Join(at, f)
			info, err := os.Lstat(filepath.Join(s.dir, name))
			switch {
			case err != nil || s.excepted(name):
			case info.IsDir():
				if _, err := os.Lstat(filepath.Join(s.dir, name, ".git")); err == nil {
					inside = append(inside, name)
				}
			case info.Mode().IsRegular() || info.Mode()&os.ModeSymlink != 0:
				list.WriteString(name + "\x00")
			}
		}
	}
	_, err := s.git(ctx, &list, "-c", "core.safecrlf=false", "update-index", "--add", "-z", "--stdin")
	return err
}
