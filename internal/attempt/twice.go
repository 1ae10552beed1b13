package attempt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"torve/internal/board"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/process"
)

// A line of acceptance that is red is run once more on the same tree, in the room as it
// was before its first run: what that run made is put aside. Green then is green, and
// flaky, which is said wherever the line is shown. What cannot come out otherwise, or
// would cost its whole limit again, is run once: a line that could not start, that ran no
// test, or that did not end.

// tried is one line as it counts: its last run; of two that were both red for another
// reason, what the first one showed.
type tried struct {
	gate.Ran
	res   process.Result
	first string
}

// try runs one line, and a red one once more. Tree is what the room's files were made;
// begun says that a line ran in it since.
func (s *Station) try(ctx context.Context, r *room, tree, line string, begun bool, task string, n int) (tried, error) {
	was, err := s.stood(ctx, r, tree, begun)
	if err != nil {
		return tried{}, err
	}
	once, err := s.once(ctx, r, tree, line, task, n)
	if err != nil || !once.mayPass() {
		return once, err
	}
	if err := s.asItStood(ctx, r, was); err != nil {
		return tried{}, err
	}
	again, err := s.once(ctx, r, tree, line, task, n)
	if err != nil {
		return tried{}, err
	}
	again.Flaky = again.Why == ""
	if again.Flaky || !board.SameReason(once.because(), again.because()) {
		again.First = once.because()
		again.first = shown(line, once.Ran, once.res)
	}
	return again, nil
}

// once runs a line one time.
func (s *Station) once(ctx context.Context, r *room, tree, line, task string, n int) (tried, error) {
	res, err := s.shell(ctx, r, line, s.Settings.AcceptanceLimit, task, n)
	if err != nil {
		return tried{}, err
	}
	return tried{Ran: ranOf(line, tree, res, gate.CountTests(line, res.Output), s.Settings.AcceptanceLimit), res: res}, nil
}

// mayPass reports whether a line that is red may be green when it is run once more.
func (t tried) mayPass() bool {
	return t.Why != "" && t.res.End == process.Exited && t.res.Exit != 0 && !cannotStart(t.res)
}

// because is why a line is not green, with its telling line.
func (t tried) because() string {
	if t.Last == "" || strings.Contains(t.Why, t.Last) {
		return t.Why
	}
	return t.Why + ": " + t.Last
}

// shown is what the place showed of a line: its last run, and a first one that came to
// something else.
func (t tried) shown() string {
	text := shown(t.Line, t.Ran, t.res)
	if t.first == "" || t.Flaky {
		return text
	}
	return t.first + "\n\nRun once more on the same files it came to something else:\n\n" + text
}

// flakily says for people what a flaky line did.
func flakily(r gate.Ran) string {
	return oneLine(r.Line) + " " + oneLine(r.First) + "; run once more on the same tree it passed"
}

// stood is how a room was before a line ran in it.
type stood struct {
	hand    bool   // the room is a person's work tree: nothing in it is put back
	tree    string // its files
	index   []byte // its index; nil: it is equal to the tree
	ignored []string
	temps   []string
}

// stood takes it. Before the first line the files are the tree's, and of what git
// ignores only what stays is there.
func (s *Station) stood(ctx context.Context, r *room, tree string, begun bool) (was stood, err error) {
	if r.side == "" {
		return stood{hand: true}, nil
	}
	was.tree = tree
	if was.temps, err = names(r.temp()); err != nil {
		return was, err
	}
	if was.ignored, err = s.stays(ctx, r); err != nil || !begun {
		return was, err
	}
	if err := s.readable(ctx, r); err != nil {
		return was, err
	}
	if was.tree, err = s.Repo.Snapshot(ctx, r.dir, r.Base, nil); err != nil {
		return was, fmt.Errorf("noting the files of %s between two lines: %w", r.dir, err)
	}
	loose, err := s.Repo.Ignored(ctx, r.dir)
	if err != nil {
		return was, fmt.Errorf("listing what git ignores in %s: %w", r.dir, err)
	}
	was.ignored = union(was.ignored, loose)
	was.index, err = readCapped(r.index(), ledgerCap)
	return was, err
}

// asItStood puts a room back to how it was before a line: tracked and untracked files are
// what they were, and what the line made beside them is put aside.
func (s *Station) asItStood(ctx context.Context, r *room, was stood) error {
	if was.hand {
		return nil
	}
	if err := s.readable(ctx, r); err != nil {
		return err
	}
	if err := discard(ctx, r.firstRun()); err != nil {
		return fmt.Errorf("making room for what a line made: %w", err)
	}
	loose, err := s.Repo.Ignored(ctx, r.dir)
	if err != nil {
		return fmt.Errorf("listing what git ignores in %s: %w", r.dir, err)
	}
	for _, p := range beyond(loose, was.ignored) {
		if err := r.moveOut(strings.TrimSuffix(p, "/"), was.ignored, filepath.Join(r.firstRun(), "files")); err != nil {
			return fmt.Errorf("putting %s aside, which a line made: %w", p, err)
		}
	}
	if err := s.Repo.Equal(ctx, r.dir, was.tree, was.ignored); err != nil {
		return err
	}
	if was.index != nil {
		if err := replace(r.index(), was.index); err != nil {
			return fmt.Errorf("putting the index of %s back: %w", r.dir, err)
		}
	}
	return r.emptyTemp(was.temps)
}

// readable makes sure that a git may go over a room where a line has run. A line that
// took away what ties the room to its repository broke out of it.
func (s *Station) readable(ctx context.Context, r *room) error {
	faults, err := s.Repo.Unblock()
	if err != nil {
		return err
	}
	bond, err := s.Repo.Reattach(ctx, r.dir, r.Link, r.Base, r.aside())
	if err != nil {
		return err
	}
	if faults = append(faults, bond...); len(faults) > 0 {
		return &Broken{faults}
	}
	return s.sweep(ctx, r)
}

// emptyTemp moves what was not there before out of the folder for temporary files.
func (r *room) emptyTemp(before []string) error {
	now, err := names(r.temp())
	if err != nil {
		return err
	}
	for _, name := range now {
		if slices.Contains(before, name) {
			continue
		}
		if err := move(filepath.Join(r.temp(), name), filepath.Join(r.firstRun(), "tmp", name)); err != nil {
			return fmt.Errorf("putting a temporary file aside: %w", err)
		}
	}
	return os.MkdirAll(r.temp(), 0o700)
}

// discard removes a folder, shut ones in it too.
func discard(ctx context.Context, dir string) error {
	if _, _, err := git.Plain(ctx, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(dir)
}

// firstRun is where what the first of two runs of a line made is put.
func (r *room) firstRun() string { return filepath.Join(r.side, "first-run") }

// index is the index of the worktree's own.
func (r *room) index() string { return filepath.Join(r.admin(), "index") }

// admin is the worktree's own git dir, as it was when the worktree was made.
func (r *room) admin() string { return strings.TrimSpace(strings.TrimPrefix(r.Link, "gitdir: ")) }

// names are what stands in a folder; one that is not there is empty.
func names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, nil
}
