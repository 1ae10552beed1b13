package attempt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"torve/internal/carrier"
	"torve/internal/failpoint"
	"torve/internal/git"
)

// Done puts away what the attempts of a landed task used, up to the nth: each room
// whose tree is held by its ref and that has nothing else in it that nobody holds.
// What stays is said with its reason; that is no error. Nothing outside
// Settings.Root is touched.
func (s *Station) Done(ctx context.Context, task string, n int) error {
	rooms, err := s.rooms(task, n)
	if err != nil {
		return err
	}
	for _, m := range rooms {
		if why := s.putAway(ctx, m); why != "" {
			s.note("warn", task, m.n, "the worktree "+m.dir+" stays: "+why)
		}
	}
	failpoint.Hit(failpoint.AttemptTidied)
	st, there, err := s.read(task)
	if err != nil || !there || st.Attempt > n {
		return err
	}
	return carrier.RemoveState(s.Settings.States, task)
}

// numbered is a room and the attempt that it was cut for.
type numbered struct {
	*room
	task string
	n    int
	lost error // why its inventory does not read; nil when it does
}

// bare reports whether a room was never more than cut: its inventory is written last,
// and what an agent is given after that.
func (m numbered) bare() bool {
	free, err := absent(m.prompt())
	return errors.Is(m.lost, fs.ErrNotExist) && err == nil && free
}

// rooms are the rooms of a task's attempts up to n that stand under the root, whole or
// as a crash left them.
func (s *Station) rooms(task string, n int) ([]numbered, error) {
	return s.named(func(of string, at int) bool { return of == task && at <= n })
}

// roomName is how a room's worktree, its folder and its inventory are called.
var roomName = regexp.MustCompile(`^((.+)-([0-9]+)(?:\.[0-9]+)?)(?:\.json|\.d)?$`)

// named are the rooms under the root whose task and number are wanted.
func (s *Station) named(wanted func(task string, n int) bool) ([]numbered, error) {
	entries, err := os.ReadDir(s.Settings.Root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing the worktrees: %w", err)
	}
	names, err := s.Repo.Registered(s.Settings.Root) // a folder may be gone, and its registration not
	if err != nil {
		return nil, fmt.Errorf("listing the worktrees: %w", err)
	}
	ours := slices.Clone(names)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	var out []numbered
	seen := map[string]bool{}
	for _, name := range names {
		m := roomName.FindStringSubmatch(name)
		if m == nil || seen[m[1]] {
			continue
		}
		n, err := strconv.Atoi(m[3])
		if err != nil || !wanted(m[2], n) {
			continue
		}
		seen[m[1]] = true
		dir := filepath.Join(s.Settings.Root, m[1])
		r, err := known(dir)
		if err != nil {
			r = roomAt(dir)
		}
		if !slices.Contains(ours, m[1]) && s.another(r) {
			continue
		}
		out = append(out, numbered{r, m[2], n, err})
	}
	return out, nil
}

// another reports whether a room that is not registered here is of another repository,
// whose worktrees stand in the same folder: two clones may be told of one.
func (s *Station) another(r *room) bool {
	link := r.Link
	if link == "" {
		text, err := os.ReadFile(filepath.Join(r.dir, ".git"))
		if err != nil {
			return false
		}
		link = string(text)
	}
	admin, is := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
	if !is || !filepath.IsAbs(admin) {
		return false
	}
	common := filepath.Dir(filepath.Dir(admin))
	if there, err := os.Stat(common); err == nil {
		if here, err := os.Stat(s.Repo.Common); err == nil {
			return !os.SameFile(here, there)
		}
	}
	return common != s.Repo.Common
}

// why a room stays; "" when all that is in it is held, or is torve's own.
func (s *Station) why(ctx context.Context, m numbered) string {
	switch {
	case m.bare(): // nothing ran in it
		return s.strange(ctx, m)
	case m.lost == nil && m.Going: // its removal did not come to its end
		return ""
	case m.lost != nil && (exists(m.dir) || !errors.Is(m.lost, fs.ErrNotExist)):
		return m.lost.Error()
	case !exists(m.dir):
		if why := m.leftAside(); why != "" {
			return why
		}
		return s.tells(ctx, m)
	case m.Agent:
		return s.unheld(ctx, m.room, m.task, m.n)
	}
	return "" // where no agent was given it, all that is in it is torve's
}

// putAway removes a room, or says why it stays.
func (s *Station) putAway(ctx context.Context, m numbered) string {
	if why := s.ready(ctx, m); why != "" {
		return why
	}
	return reason(s.clear(ctx, m.room))
}

// ready says why a room stays; "" once it may go and the teardown lines have run in it.
func (s *Station) ready(ctx context.Context, m numbered) string {
	why := s.why(ctx, m)
	if why == "" && m.lost == nil && !m.Going && exists(m.dir) {
		why = s.tearDown(ctx, m.room, m.task, m.n)
	}
	return why
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// tearDown runs the teardown lines in a room; the first that does not pass keeps it.
func (s *Station) tearDown(ctx context.Context, r *room, task string, n int) string {
	for _, line := range s.Settings.Teardown {
		res, err := s.shell(ctx, r, line, s.Settings.SetupLimit, task, n)
		if err != nil {
			return err.Error()
		}
		if !res.OK() {
			return "teardown: " + line + " " + whyNot(line, res, -1, s.Settings.SetupLimit)
		}
	}
	return ""
}

// leftAside says what was set aside of a room; empty when nothing was.
func (r *room) leftAside() string {
	for _, aside := range []string{r.aside(), r.ignored()} {
		if free, err := absent(aside); err != nil || !free {
			return "what stood in it was set aside at " + aside
		}
	}
	return ""
}

// unheld is what in a room nobody holds; empty when all of it is held by the
// attempt's ref, or was made by torve.
func (s *Station) unheld(ctx context.Context, r *room, task string, n int) string {
	held, err := s.Repo.TreeID(ctx, ref(task, n))
	if err != nil {
		return "no ref holds its tree: " + err.Error()
	}
	if link, err := os.ReadFile(filepath.Join(r.dir, ".git")); err != nil || string(link) != r.Link {
		return "its .git is not the one that was made"
	}
	if !s.untouched(ctx, r, held) {
		return "there are files in it that its ref does not hold"
	}
	if why := r.leftAside(); why != "" {
		return why
	}
	stay, err := s.stays(ctx, r)
	if err != nil {
		return err.Error()
	}
	loose, err := s.Repo.Ignored(ctx, r.dir)
	if err != nil {
		return err.Error()
	}
	if extra := beyond(loose, slices.Concat(stay, r.Made)); len(extra) > 0 {
		return "git ignores files in it that nobody holds: " + listed(extra)
	}
	tips, err := s.Repo.Visited(ctx, r.dir, r.Base)
	if err != nil {
		return err.Error()
	}
	for _, id := range tips {
		if ok, err := s.Repo.IsAncestor(ctx, id, ref(task, n)); err != nil || !ok {
			return "the commit " + short(id) + " in it is on no ref of the attempt"
		}
	}
	return ""
}

// beyond are the paths that are not among the known ones or in a folder of them.
func beyond(paths, known []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return slices.ContainsFunc(known, func(k string) bool {
			return p == k || strings.HasPrefix(p, strings.TrimSuffix(k, "/")+"/")
		})
	})
}

// listed names at most four paths and counts the rest.
func listed(paths []string) string {
	const most = 4
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}

// clear removes a room, which must stand under the root: the worktree with its
// registration, then its folder and its inventory. That it was to go is noted first: a
// crash leaves half of it, and half of it looks like somebody's change.
func (s *Station) clear(ctx context.Context, r *room) error {
	if filepath.Dir(r.dir) != filepath.Clean(s.Settings.Root) {
		return fmt.Errorf("%s does not stand in %s", r.dir, s.Settings.Root)
	}
	if err := r.going(true); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AttemptGoing)
	if err := s.Repo.RemoveWorktree(ctx, s.Settings.Root, r.dir); err != nil {
		var stuck *git.Stuck
		if errors.As(err, &stuck) && stuck.Begun { // half of it is gone, and looks like somebody's change: it still is to go
			return err
		}
		return errors.Join(err, r.going(false))
	}
	failpoint.Hit(failpoint.AttemptRemoved)
	if err := git.RemoveTree(r.side); err != nil { // the inventory last: it says that the rest was to go
		return err
	}
	failpoint.Hit(failpoint.AttemptCleared)
	if err := os.Remove(r.ledger()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// going notes in the inventory, where there is one, that a room's removal begins, or that
// it could not be removed after all.
func (r *room) going(yes bool) error {
	if r.Base == "" || r.Going == yes {
		return nil
	}
	r.Going = yes
	return r.save()
}
