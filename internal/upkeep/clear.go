package upkeep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"torve/internal/carrier"
	"torve/internal/failpoint"
	"torve/internal/git"
)

// Clear removes what a plan lets go and gives what went and what did not, with why. Each
// thing is asked again when its turn comes: others may be at work meanwhile. An error is
// of the carriers; what cannot be removed is none.
func (h Home) Clear(ctx context.Context, gather Gather, p Plan) (went, left []Item, err error) {
	rd, err := gather(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range p.Goes {
		if i.Kind == KindRef {
			continue
		}
		if ctx.Err() != nil {
			return went, left, context.Cause(ctx)
		}
		if i.room != nil && claimOf(rd, i.room.Task) != nil || i.Kind == KindState && over(rd, i.paths[0]) == "" {
			i.Why = claimed
			left = append(left, i)
			continue
		}
		if why := h.remove(ctx, gather, &i); why != "" {
			i.Why, i.Stuck = why, why != claimed && why != held
			left = append(left, i)
			continue
		}
		went = append(went, i)
		failpoint.Hit(failpoint.GCRemoved)
	}
	gone, stay, err := h.clearRefs(ctx, gather, p)
	return append(went, gone...), append(left, stay...), err
}

// Why something stays that somebody needs, or needs again.
const (
	claimed = "its task was claimed meanwhile"
	held    = "a run holds it"
)

// clearRefs deletes the refs together, right after it asked that nothing runs: between a
// claim and the moment when its agent's guard reads the refs a worktree is cut.
func (h Home) clearRefs(ctx context.Context, gather Gather, p Plan) (went, left []Item, err error) {
	var moves []git.RefUpdate
	for _, i := range p.Goes {
		if i.Kind == KindRef {
			went, moves = append(went, i), append(moves, i.ref)
		}
	}
	if len(moves) == 0 {
		return nil, nil, nil
	}
	rd, err := gather(ctx)
	if err != nil {
		return nil, nil, err
	}
	why, stuck := "", false
	if id := h.Runs(rd); id != "" {
		why = id + " is running"
	} else if err := h.Repo.UpdateRefs(ctx, moves...); err != nil {
		why, stuck = err.Error(), true
	}
	if why == "" {
		return went, nil, nil
	}
	for k := range went {
		went[k].Why, went[k].Stuck = why, stuck
	}
	return nil, went, nil
}

// remove removes one thing; it says why that stays.
func (h Home) remove(ctx context.Context, gather Gather, i *Item) (why string) {
	var err error
	switch i.Kind {
	case KindWorktree, KindIgnored:
		return h.fromRoom(ctx, gather, i)
	case KindCaches:
		err = h.dropCaches(ctx, gather)
	case KindState:
		if now, lost := carrier.ReadState(h.States, i.paths[0]); lost != nil || !reflect.DeepEqual(now, i.state) {
			return claimed // whoever holds the task writes its own
		}
		err = carrier.RemoveState(h.States, i.paths[0])
	case KindLock:
		var free bool
		if free, err = h.still(claimLock+i.paths[0], func() { _ = os.Remove(h.lockFile(claimLock + i.paths[0])) }); err == nil && !free {
			return held
		}
	case KindHalf:
		if err = os.Remove(i.paths[0]); os.IsNotExist(err) {
			err = nil
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// fromRoom removes a room, or what git ignores in it, while nobody can go on with its run.
// Whether its task is claimed is asked once more when it is noted that it goes.
func (h Home) fromRoom(ctx context.Context, gather Gather, i *Item) (why string) {
	taken, lost := false, error(nil)
	unclaimed := func() bool {
		rd, err := gather(ctx)
		lost = err
		taken = err == nil && claimOf(rd, i.room.Task) != nil
		return err == nil && !taken
	}
	free, err := h.still(i.room.lock(), func() {
		switch {
		case i.Kind == KindIgnored:
			if why = h.Hands.Strip(*i.room, unclaimed); why == "" {
				why = dropPaths(i.room.Dir, i.paths)
			}
		case i.registered && unclaimed():
			why = h.unregister(ctx, i.room.Dir)
		case i.registered:
		default:
			why = h.Hands.PutAway(ctx, *i.room, unclaimed)
		}
	})
	switch err = errors.Join(err, lost); {
	case err != nil:
		return err.Error()
	case !free:
		return held
	case taken:
		return claimed
	case why == "" && i.Kind == KindWorktree && !i.registered && (there(i.room.Dir) || there(i.room.Side) || there(i.room.Ledger)):
		return "it is still there"
	}
	return why
}

// unregister takes the registration of a worktree away whose folder is gone.
func (h Home) unregister(ctx context.Context, dir string) (why string) {
	if there(dir) {
		return "its folder is there again"
	}
	if err := h.Repo.RemoveWorktree(ctx, h.Root, dir); err != nil {
		return err.Error()
	}
	return ""
}

// dropPaths removes paths in a worktree; none that a link leads out of it.
func dropPaths(dir string, paths []string) (why string) {
	for _, p := range paths {
		full := filepath.Join(dir, p)
		parent, err := filepath.EvalSymlinks(filepath.Dir(full))
		if os.IsNotExist(err) {
			continue
		}
		if within, lost := filepath.Rel(realFolder(dir), parent); err != nil || lost != nil || !filepath.IsLocal(within) {
			return fmt.Sprintf("%s is reached through a link", p)
		}
		if err := git.RemoveTree(full); err != nil {
			return err.Error()
		}
		failpoint.Hit(failpoint.GCPath)
	}
	return ""
}

func realFolder(dir string) string {
	if got, err := filepath.EvalSymlinks(dir); err == nil {
		return got
	}
	return dir
}

// dropCaches moves them aside first, right after it asked that nothing runs: a run that
// starts from then on makes its own.
func (h Home) dropCaches(ctx context.Context, gather Gather) error {
	rd, err := gather(ctx)
	if err != nil {
		return err
	}
	if id := h.Runs(rd); id != "" {
		return fmt.Errorf("%s is running, and may use them", id)
	}
	going := fmt.Sprintf("%s.going-%d", h.Caches, os.Getpid())
	if err := os.Rename(h.Caches, going); err != nil && !os.IsNotExist(err) {
		return err
	}
	failpoint.Hit(failpoint.GCAside)
	for _, left := range matching(filepath.Dir(going), filepath.Base(h.Caches)+".going-*") { // a clearing that died left its own
		if err := git.RemoveTree(filepath.Join(filepath.Dir(going), left)); err != nil {
			return err
		}
	}
	return nil
}
