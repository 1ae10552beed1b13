package attempt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"torve/internal/process"
)

// furnish brings what copy names, runs setup, and remembers what both made. A
// setup line that does not pass is a fact of the base: red says so.
func (s *Station) furnish(ctx context.Context, r *room, task string, n int) (red *BaseRed, err error) {
	if err := s.bring(ctx, r, task, n); err != nil {
		return nil, err
	}
	ran, err := s.setup(ctx, r, task, n)
	if err != nil {
		return nil, err
	}
	if ran.line != "" {
		return &BaseRed{Line: ran.line, Why: ran.why(s.Settings.SetupLimit), Mend: "worktree.setup in .torve/config.yaml: the line must pass in a fresh worktree", Head: r.Base}, nil
	}
	if r.SetupTree, err = s.Repo.TreeID(ctx, r.Base); err != nil {
		return nil, fmt.Errorf("reading the base's tree: %w", err)
	}
	if len(s.Settings.Setup)+len(s.Settings.Copy) == 0 {
		return nil, nil // it was verified when it was cut, and nothing has been in it since
	}
	if r.Setup, err = s.loose(ctx, r); err != nil {
		return nil, err
	}
	return nil, r.save()
}

// ranLine is one line and what became of it.
type ranLine struct {
	line string
	res  process.Result
}

func (l ranLine) why(limit time.Duration) string { return whyNot(l.line, l.res, -1, limit) }

// setup runs the setup lines in order and gives the first that does not pass; its
// line is empty when all of them do.
func (s *Station) setup(ctx context.Context, r *room, task string, n int) (ranLine, error) {
	for _, line := range s.Settings.Setup {
		res, err := s.shell(ctx, r, line, s.Settings.SetupLimit, task, n)
		if err != nil || !res.OK() {
			return ranLine{line, res}, err
		}
	}
	return ranLine{}, nil
}

// shell runs one line with /bin/sh in the worktree: in the clean environment, with
// limits. An error is a line that could not be started at all, or the context's.
func (s *Station) shell(ctx context.Context, r *room, line string, limit time.Duration, task string, n int) (process.Result, error) {
	r.used, r.wild = true, true
	res := process.Run(ctx, process.Cmd{
		Argv:  []string{"/bin/sh", "-c", line},
		Dir:   r.dir,
		Env:   s.environ(r, task, n),
		Limit: limit,
		Grace: s.Settings.Grace,
		Cap:   outputCap,
		Mark:  r.Run,
	})
	switch res.End {
	case process.Failed:
		return res, fmt.Errorf("starting %q: %w", line, res.Err)
	case process.Cancelled:
		return res, fmt.Errorf("running %q: %w", line, cause(ctx))
	}
	return res, nil
}

// outputCap is how much of a line's output is kept to count tests in and to show;
// all of it is digested.
const outputCap = 4 << 20

// cause is why a context ended; one that has not ended was cancelled inside.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return context.Canceled
}

// bring copies what copy names from the main work tree: files that git ignores,
// such as .env. Nothing outside the main work tree is read, nothing outside the
// worktree is written.
func (s *Station) bring(ctx context.Context, r *room, task string, n int) error {
	if len(s.Settings.Copy) == 0 {
		return nil
	}
	if s.Repo.Main == "" {
		s.note("warn", task, n, "worktree.copy brings nothing: a bare repository has no main work tree")
		return nil
	}
	from, err := os.OpenRoot(s.Repo.Main)
	if err != nil {
		return fmt.Errorf("opening the main work tree: %w", err)
	}
	defer from.Close()
	to, err := os.OpenRoot(r.dir)
	if err != nil {
		return fmt.Errorf("opening the worktree: %w", err)
	}
	defer to.Close()
	for _, pattern := range s.Settings.Copy {
		if err := s.bringOne(from, to, pattern, task, n); err != nil {
			return fmt.Errorf("copying %s from the main work tree: %w", pattern, err)
		}
	}
	return nil
}

// bringOne copies what one pattern names; what it names is never outside.
func (s *Station) bringOne(from, to *os.Root, pattern, task string, n int) error {
	if !filepath.IsLocal(pattern) {
		return errors.New("it leads outside the work tree")
	}
	found, err := fs.Glob(from.FS(), path.Clean(pattern))
	if err != nil {
		return err
	}
	if _, there := from.Lstat(pattern); len(found) == 0 && there == nil {
		return errors.New("it is a link that leads outside the work tree, or to nothing")
	}
	if len(found) == 0 {
		s.note("warn", task, n, "worktree.copy: there is no "+pattern+" in the main work tree")
	}
	for _, name := range found {
		if err := copyTree(from, to, name); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies a file, or a folder with all that is in it. What is in the
// worktree already comes from the commit and stays.
func copyTree(from, to *os.Root, name string) error {
	return fs.WalkDir(from.FS(), name, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(gitNames, d.Name()) {
			return errors.New("it would bring git's own files")
		}
		if d.IsDir() {
			return to.MkdirAll(at, 0o755)
		}
		if _, err := to.Lstat(at); err == nil {
			return nil
		}
		if err := to.MkdirAll(path.Dir(at), 0o755); err != nil {
			return err
		}
		return copyFile(from, to, at)
	})
}

var gitNames = []string{".git"}

// copyFile copies content and permissions. A link is followed inside the main
// work tree and nowhere else: the root refuses what leads out.
func copyFile(from, to *os.Root, name string) error {
	src, err := from.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	st, err := src.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	dst, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}
