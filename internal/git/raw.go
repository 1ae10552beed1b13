package git

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// One file can keep git's own add from taking any: an encoding that its attributes name
// and that does not hold, a name that no tree may have, a repository inside that does not
// read. The files are then taken as their bytes are, past attributes and filters.

// raw is the tree of the files as they are. Forced are tracked although ignored. A name
// that no tree may have is left out.
func (s *scratch) raw(ctx context.Context, own string, forced []string) (string, error) {
	r := rawFiles{scratch: s, base: map[string]Entry{}, forced: map[string]bool{}}
	entries, err := s.repo.Tree(ctx, s.base, "")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		r.base[e.Path] = e
	}
	for _, p := range forced {
		r.forced[p] = true
	}
	if r.index, err = s.settled(ctx, own); err != nil {
		return "", err
	}
	if err := r.find(ctx); err != nil {
		return "", err
	}
	for _, e := range entries { // what is not taken from the files
		if s.excepted(e.Path) || e.Mode == modeModule || r.index[e.Path].left {
			r.edits = append(r.edits, Edit{Path: e.Path, Mode: e.Mode, ID: e.ID})
		}
	}
	return s.repo.EditTree(ctx, "", r.edits...)
}

// rawFiles gathers the files.
type rawFiles struct {
	*scratch
	base   map[string]Entry
	index  map[string]known
	forced map[string]bool
	found  []string
	edits  []Edit
}

// known is what the worktree's index knows of a path: its entry, where the file has not
// changed since, or that a sparse checkout left it out.
type known struct {
	Entry
	left bool
}

// settled reads the worktree's index; what cannot be read knows nothing.
func (s *scratch) settled(ctx context.Context, own string) (map[string]known, error) {
	out := map[string]known{}
	side := *s
	side.file = s.file + ".own"
	side.env = append(s.env[:len(s.env)-1:len(s.env)-1], "GIT_INDEX_FILE="+side.file)
	if own == "" || copyIndex(own, side.file) != nil {
		return out, nil
	}
	all, err := side.git(ctx, nil, "ls-files", "-z", "--stage", "-v")
	if err != nil {
		return out, ctx.Err()
	}
	dirty, err := side.git(ctx, nil, "diff-files", "-z", "--name-only", "--ignore-submodules=all")
	if err != nil {
		return out, ctx.Err()
	}
	changed := map[string]bool{}
	for _, p := range fields(dirty) {
		changed[p] = true
	}
	for _, f := range fields(all) {
		head, name, _ := strings.Cut(f, "\t")
		e := strings.Fields(head) // tag mode id stage
		switch {
		case len(e) != 4 || e[3] != "0":
		case e[0] == "S":
			_, err := os.Lstat(filepath.Join(s.dir, name))
			out[name] = known{left: err != nil}
		case e[0] == "H" && !changed[name]:
			out[name] = known{Entry: Entry{Path: name, Mode: e[1], ID: e[2]}}
		}
	}
	return out, nil
}

// find walks the worktree, past repositories' own folders and what is excepted.
func (r *rawFiles) find(ctx context.Context) error {
	err := filepath.WalkDir(r.dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == r.dir {
			return err
		}
		rel, err := filepath.Rel(r.dir, full)
		if err != nil {
			return err
		}
		switch name := filepath.ToSlash(rel); {
		case !holdable(d.Name()) || r.excepted(name):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() && r.base[name].Mode == modeModule:
			return fs.SkipDir
		case d.Type().IsRegular() || d.Type()&os.ModeSymlink != 0 && !strings.EqualFold(d.Name(), ".gitmodules"):
			r.found = append(r.found, name)
		}
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("looking for the files of %s: %w", r.dir, err)
	}
	ignored, err := r.ignored(ctx)
	if err != nil {
		return err
	}
	for _, name := range r.found {
		if ignored[name] {
			continue
		}
		e, err := r.entry(ctx, name)
		if err != nil {
			return err
		}
		r.edits = append(r.edits, e)
	}
	return nil
}

// holdable reports whether a tree may have a name: git refuses what some file system
// takes for .git, trailing dots and spaces, streams and backslashes thought of.
func holdable(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(name), `\`) {
		part, _, stream := strings.Cut(part, ":")
		part = strings.TrimRight(part, ". ")
		if part == ".git" || part == "git~1" {
			return false
		}
		if stream {
			break
		}
	}
	return true
}

// ignored are the found paths that git ignores and nobody tracks.
func (r *rawFiles) ignored(ctx context.Context) (map[string]bool, error) {
	var ask bytes.Buffer
	for _, name := range r.found {
		if _, tracked := r.base[name]; !tracked && !r.forced[name] {
			ask.WriteString(name + "\x00")
		}
	}
	out := map[string]bool{}
	if ask.Len() == 0 {
		return out, nil
	}
	said, _, err := r.repo.git(ctx, call{dir: r.dir, env: r.env, stdin: &ask, codes: []int{1}, args: []string{"check-ignore", "--no-index", "-z", "--stdin"}})
	if err != nil {
		return nil, err
	}
	for _, name := range fields(said) {
		out[name] = true
	}
	return out, nil
}

// entry is a file as it stands: what is known of it where it has not changed, else its bytes.
func (r *rawFiles) entry(ctx context.Context, name string) (Edit, error) {
	if k := r.index[name]; k.ID != "" {
		return Edit{Path: name, Mode: k.Mode, ID: k.ID}, nil
	}
	full := filepath.Join(r.dir, name)
	info, err := os.Lstat(full)
	if err != nil {
		return Edit{}, err
	}
	e := Edit{Path: name, Mode: modeFile}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		to, err := os.Readlink(full)
		if err != nil {
			return Edit{}, err
		}
		e.Mode = modeSymlink
		e.ID, err = r.repo.WriteBlob(ctx, []byte(to))
		return e, err
	case info.Mode()&0o100 != 0:
		e.Mode = modeExec
	}
	if was := r.base[name]; was.ID != "" {
		same, err := r.repo.sameBytes(ctx, r.dir, name, was.ID)
		if err != nil || same {
			e.ID = was.ID
			return e, err
		}
	}
	e.ID, err = r.hash(ctx, name)
	return e, err
}

// hash stores a file past all filters, by git, which reads no large one into memory.
func (r *rawFiles) hash(ctx context.Context, name string) (string, error) {
	f, err := regular(filepath.Join(r.dir, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	out, err := r.git(ctx, f, "hash-object", "-w", "-t", "blob", "--no-filters", "--stdin")
	if err != nil {
		return "", fmt.Errorf("storing %s: %w", path.Clean(name), err)
	}
	return line(string(out)), nil
}
