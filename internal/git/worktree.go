package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"torve/internal/failpoint"
)

// Place is one worktree of the repository.
type Place struct {
	Dir, Head, Branch      string // Branch "" when detached; Head "" when it is bare or unborn
	Bare, Locked, Prunable bool
}

// Worktrees lists them, the main one first.
func (r *Repo) Worktrees(ctx context.Context) ([]Place, error) {
	var out []byte
	err := r.whole(ctx, func() (err error) {
		out, _, err = r.git(ctx, call{args: []string{"worktree", "list", "--porcelain", "-z"}})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing worktrees: %w", err)
	}
	places := parsePlaces(out, r.zero())
	if len(places) > 0 && r.Main != "" && !places[0].Bare {
		places[0].Dir = r.Main // git takes it from the git dir's place, which may be elsewhere
	}
	return places, nil
}

// parsePlaces reads attributes, one a field, an empty field ending each worktree.
func parsePlaces(out []byte, zero string) []Place {
	var places []Place
	var now *Place
	for _, f := range strings.Split(string(out), "\x00") {
		key, value, _ := strings.Cut(f, " ")
		switch {
		case key == "worktree":
			places = append(places, Place{Dir: value})
			now = &places[len(places)-1]
		case now == nil:
		case key == "HEAD" && value != zero:
			now.Head = value
		case key == "branch":
			now.Branch = strings.TrimPrefix(value, "refs/heads/")
		case key == "bare":
			now.Bare = true
		case key == "locked":
			now.Locked = true
		case key == "prunable":
			now.Prunable = true
		case key == "":
			now = nil
		}
	}
	return places
}

// real is a path with its symlinks resolved as far as it exists.
func real(path string) string {
	path = filepath.Clean(path)
	if got, err := filepath.EvalSymlinks(path); err == nil {
		return got
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(real(parent), filepath.Base(path))
	}
	return path
}

// under reports whether a path is a folder or inside it.
func under(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// at is the environment that binds git to a worktree and its registration.
func (r *Repo) at(dir string) ([]string, error) {
	admin, err := r.adminOf(dir)
	if err != nil {
		return nil, err
	}
	if admin == "" {
		return nil, fmt.Errorf("%s is no worktree of this repository: %w", dir, ErrNotFound)
	}
	return bound(admin, dir), nil
}

func bound(admin, dir string) []string {
	return []string{"GIT_DIR=" + admin, "GIT_WORK_TREE=" + dir}
}

// AddWorktree makes a detached worktree at dir, outside every other, and fills it.
// Administration is serialised over the repository; filling is not. A worktree that
// could not be filled is taken away again.
func (r *Repo) AddWorktree(ctx context.Context, dir, commit string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("adding a worktree: %w", err)
	}
	if err := r.outside(dir); err != nil {
		return fmt.Errorf("adding the worktree %s: %w", dir, err)
	}
	id, err := r.Resolve(ctx, commit)
	if err != nil {
		return fmt.Errorf("adding the worktree %s: %w", dir, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("adding the worktree %s: %w", dir, readOnly(err))
	}
	if err := r.register(ctx, dir, id); err != nil {
		return fmt.Errorf("adding the worktree %s: %w", dir, err)
	}
	failpoint.Hit(failpoint.WorktreeRegistered)
	if err := r.fill(ctx, dir, id); err != nil {
		undo := r.RemoveWorktree(context.WithoutCancel(ctx), filepath.Dir(dir), dir)
		return errors.Join(fmt.Errorf("filling the worktree %s: %w", dir, err), undo)
	}
	failpoint.Hit(failpoint.WorktreeFilled)
	return nil
}

// outside refuses a place inside another worktree or the git dir, or around one.
func (r *Repo) outside(dir string) error {
	here := real(dir)
	admins, err := r.admins()
	if err != nil {
		return err
	}
	taken := []string{real(r.Common)}
	if r.Main != "" {
		taken = append(taken, real(r.Main))
	}
	for root := range admins {
		if root != here { // its own registration is git's to judge
			taken = append(taken, root)
		}
	}
	for _, t := range taken {
		if under(here, t) || under(t, here) {
			return fmt.Errorf("it would meet %s", t)
		}
	}
	return nil
}

// register makes the folder and its registration, empty, with no checkout: `git worktree
// add` races with itself. Sparse patterns are taken over from where it runs.
func (r *Repo) register(ctx context.Context, dir, commit string) error {
	release, err := r.Lock(ctx, "worktree")
	if err != nil {
		return err
	}
	defer release()
	from := r.Dir
	if r.Main != "" {
		from = r.Main
	}
	args := []string{"worktree", "add", "--quiet", "--detach", "--no-checkout"}
	leftOver, err := r.leftOver(dir)
	if err != nil {
		return err
	}
	if leftOver {
		args = append(args, "--force", "--force") // once for its registration, once for its lock
	}
	return r.again(ctx, func() error {
		_, _, err := r.git(ctx, call{dir: from, args: append(args, "--", dir, commit)})
		return err
	})
}

// leftOver reports whether a registration stands for a folder that is not there, as a run
// that died while it was made or removed leaves it. One that a person locked is theirs.
func (r *Repo) leftOver(dir string) (bool, error) {
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	admin, err := r.adminOf(dir)
	return admin != "" && personsLock(admin) == "", err
}

// personsLock is why a person locked a worktree; git itself locks one while it makes it.
func personsLock(admin string) string {
	data, err := os.ReadFile(filepath.Join(admin, "locked"))
	if why := line(string(data)); err == nil && why != "initializing" {
		return fmt.Sprintf("it is locked: %q", why)
	}
	return ""
}

// Registered are the names of the worktrees that are registered in a folder, whether they
// are there or not.
func (r *Repo) Registered(folder string) ([]string, error) {
	admins, err := r.admins()
	var names []string
	for root := range admins {
		if filepath.Dir(root) == real(folder) {
			names = append(names, filepath.Base(root))
		}
	}
	return names, err
}

// fill writes index and files of a worktree that has neither.
func (r *Repo) fill(ctx context.Context, dir, commit string) error {
	env, err := r.at(dir)
	if err != nil {
		return err
	}
	if _, _, err = r.git(ctx, call{dir: dir, env: env, args: []string{"read-tree", "-m", "-u", commit}}); err != nil {
		return err
	}
	admin, err := r.adminOf(dir)
	if err != nil {
		return err
	}
	return r.rememberIndex(ctx, admin, commit, time.Time{}, true)
}

// VerifyWorktree asks that dir is what AddWorktree made: its toplevel, git dir, HEAD,
// index and files; the error says what is not.
func (r *Repo) VerifyWorktree(ctx context.Context, dir, commit string) error {
	if err := r.verify(ctx, dir, commit); err != nil {
		return fmt.Errorf("the worktree %s: %w", dir, err)
	}
	return nil
}

func (r *Repo) verify(ctx context.Context, dir, commit string) error {
	admin, err := r.adminOf(dir)
	if err != nil {
		return err
	}
	if !r.linked(admin, dir) {
		if err := r.seenFrom(ctx, admin, dir); err != nil {
			return err
		}
	}
	branch, head, err := r.headAt(ctx, dir)
	switch {
	case err != nil:
		return err
	case branch != "":
		return fmt.Errorf("its HEAD is on the branch %s, and not detached", branch)
	case head != commit:
		return fmt.Errorf("its HEAD is %s, and not %s", short(head), short(commit))
	}
	return r.verifyFiles(ctx, dir, commit)
}

// linked reports whether a folder and its registration lead to each other and to this
// repository, by the very files that git reads, with no configuration that leads elsewhere.
// No is no answer: git is to be asked.
func (r *Repo) linked(admin, dir string) bool {
	if admin == "" || real(filepath.Dir(admin)) != real(filepath.Join(r.Common, "worktrees")) {
		return false
	}
	cfg, err := configFiles(filepath.Join(r.Common, "config"), filepath.Join(r.Common, "config.worktree"))
	if err != nil || cfg.Section("core").HasOption("worktree") || there(filepath.Join(admin, "config.worktree")) {
		return false
	}
	for _, l := range []struct{ file, begins, in, to string }{
		{filepath.Join(dir, ".git"), "gitdir: ", dir, admin},
		{filepath.Join(admin, "gitdir"), "", admin, filepath.Join(dir, ".git")},
		{filepath.Join(admin, "commondir"), "", admin, r.Common},
	} {
		info, err := os.Lstat(l.file)
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		data, err := whole(l.file)
		to, begins := strings.CutPrefix(line(string(data)), l.begins)
		if err != nil || !begins || to == "" {
			return false
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(l.in, to)
		}
		if real(to) != real(l.to) {
			return false
		}
	}
	return true
}

// seenFrom asks git what it makes of a folder that is to be a worktree of this repository.
func (r *Repo) seenFrom(ctx context.Context, admin, dir string) error {
	seen, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	switch {
	case real(seen.Worktree) != real(dir):
		return fmt.Errorf("its toplevel is %q", seen.Worktree)
	case real(seen.Common) != real(r.Common):
		return fmt.Errorf("it belongs to the repository %s", seen.Common)
	case admin == "" || real(seen.gitDir) != real(admin) || real(filepath.Dir(admin)) != real(filepath.Join(r.Common, "worktrees")):
		return fmt.Errorf("its git dir is %s, which is not the one registered for it", seen.gitDir)
	}
	return nil
}

// verifyFiles asks that index and files are the commit's. Git calls some files changed
// right after a checkout (stored with other line ends than its attributes ask for): their
// bytes decide.
func (r *Repo) verifyFiles(ctx context.Context, dir, commit string) error {
	status, err := r.Status(ctx, dir)
	if err != nil {
		return err
	}
	if len(status.Staged) > 0 {
		return fmt.Errorf("its index differs from the commit at %q", first(status.Staged))
	}
	if len(status.Untracked) > 0 {
		return fmt.Errorf("it holds files that the commit does not: %q", first(status.Untracked))
	}
	for _, path := range status.Paths {
		same, err := r.untouched(ctx, dir, commit, path)
		if err != nil {
			return err
		}
		if !same {
			return fmt.Errorf("its files differ from the commit at %q", path)
		}
	}
	return nil
}

// first are the first few of a list.
func first(list []string) []string { return list[:min(len(list), 5)] }
