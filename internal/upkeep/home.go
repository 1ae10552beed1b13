package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/process"
	"torve/internal/truth"
)

// Home is one repository and the places where torve keeps things for it on this host.
type Home struct {
	Repo   *git.Repo
	Host   string
	Shared bool // the record is one that other hosts and clones write to
	Now    time.Time
	Target string // the branch
	Ref    string // the target's full name
	States string // the .wt folder
	Record string // the record's file; "" where the record is in a database, elsewhere
	Root   string // of the worktrees
	Own    bool   // Root is torve's own folder, and not one that the configuration names
	Caches string // of build tools; torve's own folder
	Temp   string // where temporary folders are made
	Hands  Hands
}

// Hands are what the attempts' station knows of its rooms.
type Hands struct {
	Rooms   func() ([]Room, error)
	Stays   func(ctx context.Context, r Room, drop bool) string           // why it may not be removed, what git ignores apart where drop is set; "" when it may
	PutAway func(ctx context.Context, r Room, free func() bool) string    // removes it, if free says so last; why it stays
	Strip   func(r Room, free func() bool) string                         // notes that what git ignores in it is to go; why it stays
	Ignored func(context.Context, Room) (loose, made []string, err error) // what git ignores in it: what nobody holds, and what setup, copy and acceptance made
	Save    func(context.Context, Room) (ref string, err error)           // keeps its files on the attempt's ref
}

// Room is the room of one attempt under the root, whole or as a crash left it.
type Room struct {
	Task   string
	N      int
	Dir    string // the worktree
	Side   string // the folder beside it
	Ledger string // the inventory
	Run    string // the claim that it was cut under; "" where the inventory does not say
	Base   string
	Agent  bool   // an agent was given it
	Lost   string // why its inventory does not read; "" when it does
}

// foreign reports whether a folder only has the name of an attempt's: nothing says that
// torve made it.
func (r Room) foreign(places map[string]git.Place) bool {
	_, registered := places[realFolder(r.Dir)]
	return r.There() && r.Lost != "" && !registered && !there(r.Side)
}

// rooms are those of which something stands. Where a registration with git is all that is
// left, that is asked by itself.
func (h Home) rooms() ([]Room, error) {
	rooms, err := h.Hands.Rooms()
	return slices.DeleteFunc(rooms, func(r Room) bool { return !there(r.Dir) && !there(r.Side) && !there(r.Ledger) }), err
}

// Name is what people call a room: its worktree's folder.
func (r Room) Name() string { return filepath.Base(r.Dir) }

// Size is what it takes with all that stands beside it.
func (r Room) Size() git.Bytes {
	return git.Size(r.Dir) + git.Size(r.Side) + git.Size(r.Ledger)
}

// There reports whether the worktree's folder is.
func (r Room) There() bool { return there(r.Dir) }

// hindered says what would keep any part of it from being removed; nil when nothing does.
func (r Room) hindered() *git.Stuck {
	for _, path := range []string{r.Dir, r.Side} {
		if s := git.Hindered(path); s != nil {
			return s
		}
	}
	return nil
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// over is how a task ended for good, so that what its attempts used is not needed any
// more: landed, reverted, abandoned or withdrawn; "" while it has not.
func over(rd *truth.Reading, task string) board.State {
	s := rd.Settled(task)
	switch state := s.State(); {
	case !s.Known() || claimOf(rd, task) != nil:
		return ""
	case state == board.Landed, state == board.Reverted, state == board.Abandoned, state == board.Withdrawn:
		return state
	}
	return ""
}

// landed reports whether a landing of the task is in git, reverted since or not.
func landed(rd *truth.Reading, task string) bool {
	state := rd.Settled(task).State()
	return state == board.Landed || state == board.Reverted
}

// claimOf is a task's open claim; nil when it has none, or no record was read.
func claimOf(rd *truth.Reading, task string) *board.Claim {
	if t := rd.Settled(task).Board(); t != nil {
		return t.Claim
	}
	return nil
}

// away reports whether a claim was made in another clone, on this host or another: in a
// record that they share, the file of its lock is not here then.
func (h Home) away(c *board.Claim) bool {
	if !h.Shared {
		return false
	}
	_, err := os.Lstat(h.lockFile(claimLock + c.ID))
	return errors.Is(err, fs.ErrNotExist)
}

// lives reports whether the very process of a claim runs on this host; known is false
// where the claim is another host's, or another clone's.
func (h Home) lives(c *board.Claim) (lives, known bool) {
	if c.Host != h.Host || h.away(c) {
		return false, false
	}
	return process.Identity{PID: c.PID, Start: c.Start, Boot: c.Boot}.Alive(), true
}

// Runs names a task that is held by a run that lives, or by one that this host cannot
// ask; "" when there is none. A run of another clone uses nothing of this one's.
func (h Home) Runs(rd *truth.Reading) string {
	for _, id := range rd.Tasks() {
		if c := claimOf(rd, id); c != nil && !h.away(c) {
			if lives, known := h.lives(c); lives || !known {
				return id
			}
		}
	}
	return ""
}

const (
	claimLock = "claim-"
	headRoom  = "head" // of a room in which a head's acceptance is asked, and of the lock of who asks
)

// lock is the lock that whoever works in a room holds; "" where nothing says which.
func (r Room) lock() string {
	switch {
	case r.Task == headRoom:
		return headRoom
	case r.Run == "":
		return ""
	}
	return claimLock + r.Run
}

func (h Home) locks() string { return filepath.Join(h.Repo.Common, "torve", "lock") }

func (h Home) lockFile(lock string) string { return filepath.Join(h.locks(), lock+".lock") }

// running reports whether the run that a room was cut under goes on. Without a record
// the lock of its claim alone can say so.
func (h Home) running(rd *truth.Reading, r Room) bool {
	if c := claimOf(rd, r.Task); c != nil && (c.ID == r.Run || r.Run == "") {
		lives, known := h.lives(c)
		return lives || !known
	}
	return r.lock() != "" && h.Repo.Held(r.lock())
}

// still holds a lock while do works on what its holder left, so that nobody goes on with
// it meanwhile; false when somebody holds it. A lock's file that was there stays: it says
// to which host an open claim belongs.
func (h Home) still(lock string, do func()) (bool, error) {
	if lock == "" {
		do()
		return true, nil
	}
	was := there(h.lockFile(lock))
	release, free, err := h.Repo.TryLock(lock)
	if err != nil || !free {
		return false, err
	}
	defer release()
	if !was {
		defer os.Remove(h.lockFile(lock)) //nolint:errcheck // the next sweep takes it
	}
	do()
	return true, nil
}

// roots are the folders where worktrees of this clone stand: the one of now, and those
// that the record names and that are still there.
func (h Home) roots(rd *truth.Reading) []string {
	list := []string{filepath.Clean(h.Root)}
	if rd == nil || rd.Board == nil {
		return list
	}
	for _, t := range rd.Board.Tasks {
		for _, a := range t.Attempts {
			if a.Started.Worktree != "" && h.ours(&a) && there(a.Started.Worktree) {
				list = append(list, filepath.Dir(a.Started.Worktree))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ours reports whether an attempt was made in this clone: in a record that several share,
// what another's left on this host is no business of this one's.
func (h Home) ours(a *board.Attempt) bool {
	return !h.Shared || truth.MadeIn(a, h.Host, h.Repo.Common, h.Root)
}

// registered are the worktrees of the repository that stand directly in a root of
// torve's, by folder.
func (h Home) registered(ctx context.Context, roots []string) (map[string]git.Place, error) {
	places, err := h.Repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var seen []string
	for _, root := range roots {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		seen = append(seen, root)
	}
	found := map[string]git.Place{}
	for _, p := range places {
		if slices.Contains(seen, filepath.Dir(p.Dir)) && attemptName(filepath.Base(p.Dir)) {
			found[p.Dir] = p
		}
	}
	return found, nil
}

// attemptName reports whether a folder is called as the worktree of an attempt is:
// T-0001-2, or T-0001-2.1 where that was taken.
func attemptName(name string) bool {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || name[:i] != headRoom && !carrier.ValidTask(name[:i]) {
		return false
	}
	n, again, twice := strings.Cut(name[i+1:], ".")
	return number(n) && (!twice || number(again))
}

func number(text string) bool {
	_, err := strconv.ParseUint(text, 10, 31)
	return err == nil
}

// made reports whether something says that torve made a worktree: what it keeps beside
// it, or the record.
func made(rd *truth.Reading, dir string) bool {
	if there(dir+".json") || there(dir+".d") {
		return true
	}
	if rd == nil || rd.Board == nil {
		return false
	}
	for _, t := range rd.Board.Tasks {
		for _, a := range t.Attempts {
			if a.Started.Worktree == dir {
				return true
			}
		}
	}
	return false
}

// fromHere is a path as a person in the main work tree reads it.
func (h Home) fromHere(path string) string {
	for _, base := range []string{h.Repo.Main, h.Repo.Common} {
		if rel, err := filepath.Rel(base, path); base != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
			return rel
		}
	}
	return h.fromHome(path)
}

// fromHome is a path with the person's home as ~.
func (h Home) fromHome(path string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) && rel != "." {
		return "~/" + rel
	}
	return path
}

// unheld reports whether a commit is on no ref of the repository.
func (h Home) unheld(ctx context.Context, commit string) (bool, error) {
	out, err := h.Repo.Run(ctx, "rev-list", "--max-count=1", commit, "--not", "--single-worktree", "--all")
	if err != nil {
		return true, fmt.Errorf("asking whether %s is on a ref: %w", commit, err)
	}
	return out != "", nil
}

// inGitDir is what torve keeps in the common git directory: the record with its locks, or,
// where the record is elsewhere, the locks.
func (h Home) inGitDir() string {
	if h.Record == "" {
		return "locks"
	}
	return "the record"
}
