package landing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"torve/internal/failpoint"
	"torve/internal/git"
)

// swapTime bounds what is not interrupted once the target is being moved.
const swapTime = 2 * time.Minute

// head is the target's head as it is now: the local branch, or with a remote to push to
// that remote's branch, just fetched.
func (s *Station) head(ctx context.Context) (string, error) {
	if s.Push == "" {
		return s.Repo.Resolve(ctx, s.branch())
	}
	tracking := "refs/remotes/" + s.Push + "/" + s.Target
	if err := s.Repo.Fetch(ctx, s.Push, "+"+s.branch()+":"+tracking); err != nil {
		return "", err
	}
	return s.Repo.Resolve(ctx, tracking)
}

func (s *Station) branch() string { return "refs/heads/" + s.Target }

// advance makes l the target's head if the head is still the one it was built on. It is
// not interrupted half way.
func (s *Station) advance(ctx context.Context, l landable) (b *Blocked, moved bool, err error) {
	head, err := s.head(ctx)
	if err != nil || head != l.onto {
		return nil, err == nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), swapTime)
	defer cancel()
	hard, err := s.Repo.Harden(ctx, l.commit, l.onto)
	if errors.Is(err, git.ErrNotFound) { // a person's git pruned what no ref held: it is written anew
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	b, moved, err = s.move(ctx, l)
	if b != nil || moved {
		return b, moved, err
	}
	switch stands, serr := s.Repo.Stands(ctx, hard); {
	case err != nil && serr == nil && !stands:
		return nil, true, nil
	case err != nil || serr != nil:
		return nil, false, errors.Join(err, serr)
	case !stands:
		return nil, false, errPruned
	}
	return nil, false, nil
}

// errPruned is returned when the target has moved, and a person's git pruned a part of what
// it was moved to at that very moment.
var errPruned = errors.New("a part of what the target was moved to was pruned meanwhile")

// move is the compare-and-swap.
func (s *Station) move(ctx context.Context, l landable) (b *Blocked, moved bool, err error) {
	if s.Push != "" {
		return s.push(ctx, l)
	}
	dir, err := s.Repo.CheckedOut(ctx, s.Target)
	if err != nil {
		return nil, false, err
	}
	if dir != "" {
		return s.forward(ctx, dir, l)
	}
	err = s.Repo.UpdateRefs(ctx, git.RefUpdate{Ref: s.branch(), Old: l.onto, New: l.commit})
	switch {
	case errors.Is(err, git.ErrRefMoved):
		return nil, true, nil
	case errors.Is(err, git.ErrLocked):
		return locked(err, l.task), false, nil
	}
	if err == nil {
		failpoint.Hit(failpoint.LandingMoved)
	}
	return nil, false, err
}

// locked blocks a landing while another git holds a lock of the target, or one that
// crashed has left it behind: git's words name the file, and whose it is a person knows.
func locked(err error, task string) *Blocked {
	return &Blocked{Why: "the target is locked: " + said(err), Next: "torve land " + task}
}

// forward moves a target that is checked out at dir, touching no changed file there.
func (s *Station) forward(ctx context.Context, dir string, l landable) (b *Blocked, moved bool, err error) {
	busy, err := s.Repo.Busy(ctx, dir)
	if err != nil {
		return nil, false, err
	}
	if busy != "" {
		return inProgress(busy, dir, l.task), false, nil
	}
	err = s.Repo.FastForward(ctx, dir, l.commit)
	if err == nil {
		failpoint.Hit(failpoint.LandingForwarded)
		return nil, false, nil
	}
	if head, herr := s.head(ctx); herr != nil || head != l.onto {
		return nil, herr == nil, herr
	}
	if errors.Is(err, git.ErrLocked) {
		return locked(err, l.task), false, nil
	}
	paths, perr := s.Repo.WouldBlock(ctx, dir, l.onto, l.commit)
	if perr != nil || len(paths) == 0 {
		return nil, false, errors.Join(err, perr)
	}
	st, serr := s.Repo.Status(ctx, dir)
	if serr != nil {
		return nil, false, serr
	}
	return inTheWay(dir, l.task, paths, st), false, nil
}

// inProgress blocks a landing while the person's own operation is not at its end.
func inProgress(busy, dir, task string) *Blocked {
	end := "git -C " + quote(dir) + " " + busy + " --continue"
	if busy == "bisect" {
		end = "git -C " + quote(dir) + " bisect reset"
	}
	return &Blocked{
		Why:  fmt.Sprintf("a %s is in progress in %s", busy, dir),
		Next: end + " && torve land " + task,
	}
}

// inTheWay blocks a landing that would touch what a person changed: tracked changes are
// stashed, and what git does not track is moved aside, for a stash leaves it.
func inTheWay(dir, task string, paths []string, st git.Status) *Blocked {
	var steps []string
	tracked := slices.ContainsFunc(paths, func(p string) bool {
		return slices.Contains(st.Paths, p) && !slices.Contains(st.Untracked, p)
	})
	if tracked {
		steps = append(steps, "git -C "+quote(dir)+" stash")
	}
	for _, p := range paths {
		if !slices.Contains(st.Paths, p) || slices.Contains(st.Untracked, p) {
			full := filepath.Join(dir, p)
			steps = append(steps, "mv "+quote(full)+" "+quote(free(full)))
		}
	}
	return &Blocked{
		Why:  fmt.Sprintf("in %s the landing would touch what is changed there: %s", dir, some(paths)),
		Next: strings.Join(append(steps, "torve land "+task), " && "),
	}
}

// free is a name beside a file that nothing has.
func free(full string) string {
	name := full + ".mine"
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s.mine%d", full, n)
	}
}

// some names the first few of a list and how many more there are.
func some(paths []string) string {
	const shown = 3
	if len(paths) <= shown {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:shown], ", "), len(paths)-shown)
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote gives a word as a shell reads it back.
func quote(word string) string {
	if bare.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
