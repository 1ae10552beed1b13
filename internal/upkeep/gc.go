package upkeep

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/truth"
)

// Wish is what may go besides what is safe.
type Wish struct {
	Ignored bool          // what git ignores in kept worktrees
	Caches  bool          // of build tools
	Refs    bool          // kept trees of tasks that landed
	Keep    time.Duration // how long ago at least, for Refs
}

// The kinds of what goes or stays.
const (
	KindWorktree = "worktree"
	KindIgnored  = "ignored"
	KindCaches   = "caches"
	KindRef      = "ref"
	KindState    = "state"
	KindLock     = "lock"
	KindHalf     = "half"
)

// Item is one thing that goes, or that stays although it is not needed any more.
type Item struct {
	Kind, Name string
	Why        string // it goes, or stays
	Size       git.Bytes
	Stuck      bool   // it stays because it cannot be removed
	Mend       string // what frees it, where that is known

	room       *Room
	registered bool // of a worktree nothing but the registration is left
	paths      []string
	ref        git.RefUpdate
	state      carrier.State // as it was read
}

// Plan is what a clearing would do.
type Plan struct {
	Goes  []Item
	Stays []Item    // what is not needed, and why it stays
	Kept  int       // worktrees of tasks that have not ended
	Loose git.Bytes // what git ignores in those
	// Objects is what git frees with its own gc once the refs are gone.
	Objects git.Bytes
	wish    Wish
}

// Lost reports whether something goes that nothing can make again.
func (p Plan) Lost() bool {
	return slices.ContainsFunc(p.Goes, func(i Item) bool { return i.Kind == KindIgnored || i.Kind == KindRef })
}

// Gather reads the carriers as they are now.
type Gather func(context.Context) (*truth.Reading, error)

// Plan says what may go and what stays; it changes nothing. The rooms are listed before
// the board is read: a room that is being cut has its claim there by then.
func (h Home) Plan(ctx context.Context, gather Gather, w Wish) (Plan, error) {
	p := Plan{wish: w}
	rooms, err := h.rooms()
	if err != nil {
		return p, err
	}
	places, err := h.registered(ctx, []string{filepath.Clean(h.Root)})
	if err != nil {
		return p, err
	}
	rd, err := gather(ctx)
	if err != nil {
		return p, err
	}
	for _, r := range rooms {
		if !r.foreign(places) {
			h.planRoom(ctx, rd, r, &p)
		}
	}
	if err := h.planRegistered(ctx, rd, rooms, places, &p); err != nil {
		return p, err
	}
	h.planFiles(rd, rooms, &p)
	if w.Caches && (there(h.Caches) || len(beside(h.Caches, ".going-*")) > 0) {
		h.planCaches(rd, &p)
	}
	if w.Refs {
		return p, h.planRefs(ctx, rd, rooms, &p)
	}
	return p, nil
}

// aMoment is far longer than a file is being written.
const aMoment = time.Minute

// planFiles finds what dead runs left besides worktrees: locks of claims, halves of
// files, and the states of tasks that are over.
func (h Home) planFiles(rd *truth.Reading, rooms []Room, p *Plan) {
	open := map[string]bool{}
	for _, id := range rd.Tasks() {
		if c := claimOf(rd, id); c != nil {
			open[c.ID] = true
		}
		if st, host := rd.States[id]; host && over(rd, id) != "" && !stays(rooms, *p, id) {
			path := carrier.StateFile(h.States, id)
			p.Goes = append(p.Goes, Item{Kind: KindState, Name: h.fromHere(path), Why: string(over(rd, id)), Size: git.Size(path), paths: []string{id}, state: st})
		}
	}
	for _, name := range matching(h.locks(), claimLock+"*.lock") {
		run := strings.TrimSuffix(strings.TrimPrefix(name, claimLock), ".lock")
		if path := filepath.Join(h.locks(), name); !open[run] && !h.Repo.Held(claimLock+run) { // who holds one is just about to claim, or has just let go
			p.Goes = append(p.Goes, Item{Kind: KindLock, Name: h.fromHere(path), Why: "no claim has it", paths: []string{run}})
		}
	}
	for folder, pattern := range map[string]string{h.States: ".tmp-*", h.Root: ".*.json.*"} {
		for _, name := range matching(folder, pattern) {
			path := filepath.Join(folder, name)
			if folder == h.Root && !halfName(name) { // the folder may be a person's own
				continue
			}
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && h.Now.Sub(info.ModTime()) > aMoment {
				p.Goes = append(p.Goes, Item{Kind: KindHalf, Name: h.fromHere(path), Why: "half of a file", Size: git.Size(path), paths: []string{path}})
			}
		}
	}
}

// halfName reports whether a file is called as an inventory is while it is being written:
// .T-0001-2.json.123456.
func halfName(name string) bool {
	of, _, cut := strings.Cut(strings.TrimPrefix(name, "."), ".json.")
	return cut && attemptName(of)
}

// stays reports whether a room of a task is not among what goes.
func stays(rooms []Room, p Plan, task string) bool {
	return slices.ContainsFunc(rooms, func(r Room) bool {
		return r.Task == task && !slices.ContainsFunc(p.Goes, func(i Item) bool { return i.Kind == KindWorktree && i.Name == r.Name() })
	})
}

// matching are the names in a folder that a pattern fits; none where it does not read.
func matching(folder, pattern string) []string {
	names, err := fs.Glob(os.DirFS(folder), pattern)
	if err != nil {
		return nil
	}
	return names
}

// planCaches lets the caches go unless a run uses them.
func (h Home) planCaches(rd *truth.Reading, p *Plan) {
	item := Item{Kind: KindCaches, Name: h.fromHere(h.Caches), Why: "made again when they are needed", Size: git.Size(h.Caches)}
	if id := h.Runs(rd); id != "" {
		item.Why = id + " is running, and may use them"
		p.Stays = append(p.Stays, item)
		return
	}
	if s := git.Hindered(h.Caches); s != nil {
		item.Stuck, item.Why, item.Mend = true, s.Path+": "+s.Why, s.Mend
		p.Stays = append(p.Stays, item)
		return
	}
	p.Goes = append(p.Goes, item)
}
