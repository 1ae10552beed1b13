package upkeep

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

	room  *Room
	paths []string
	ref   git.RefUpdate
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
	rooms, err := h.Hands.Rooms()
	if err != nil {
		return p, err
	}
	rd, err := gather(ctx)
	if err != nil {
		return p, err
	}
	for _, r := range rooms {
		if err := h.planRoom(ctx, rd, r, &p); err != nil {
			return p, err
		}
	}
	if err := h.planRegistered(ctx, rd, rooms, &p); err != nil {
		return p, err
	}
	h.planFiles(rd, rooms, &p)
	if w.Caches && there(h.Caches) {
		h.planCaches(rd, &p)
	}
	if w.Refs {
		return p, h.planRefs(ctx, rd, rooms, &p)
	}
	return p, nil
}

// planRoom decides over one room. What is claimed is its holder's, or the next
// dispatch's that takes it over.
func (h Home) planRoom(ctx context.Context, rd *truth.Reading, r Room, p *Plan) error {
	if claimOf(rd, r.Task) != nil || h.running(rd, r) {
		p.Kept++
		return nil
	}
	item := Item{Kind: KindWorktree, Name: r.Name(), Size: r.Size(), room: &r}
	if s := r.hindered(); s != nil {
		item.Stuck, item.Why, item.Mend = true, s.Path+": "+s.Why, s.Mend
	}
	state := over(rd, r.Task)
	free := !r.Agent && rd.Recorded(r.Task)
	if state == "" && !free {
		p.Kept++
		item.Kind = KindIgnored
		return h.planIgnored(ctx, r, item, p)
	}
	if item.Stuck {
		p.Stays = append(p.Stays, item)
		return nil
	}
	why := h.Hands.Stays(ctx, r, p.wish.Ignored)
	switch {
	case why != "":
		item.Why = string(state) + "; " + why
		if !p.wish.Ignored && h.Hands.Stays(ctx, r, true) == "" {
			item.Mend = "torve gc --ignored"
		}
		p.Stays = append(p.Stays, item)
		return nil
	case free:
		item.Why = "no agent was given it"
	default:
		item.Why = string(state)
	}
	if p.wish.Ignored {
		if loose, _, err := h.Hands.Ignored(ctx, r); err == nil && len(loose) > 0 {
			p.Goes = append(p.Goes, h.ignored(r, loose))
		}
	}
	p.Goes = append(p.Goes, item)
	return nil
}

// planIgnored decides over what git ignores in a worktree that stays.
func (h Home) planIgnored(ctx context.Context, r Room, stuck Item, p *Plan) error {
	if !r.There() {
		return nil
	}
	loose, made, err := h.Hands.Ignored(ctx, r)
	all := slices.Concat(loose, made)
	switch item := h.ignored(r, all); {
	case err != nil && p.wish.Ignored:
		p.Stays = append(p.Stays, Item{Kind: KindIgnored, Name: r.Name(), Why: err.Error()})
	case len(all) == 0:
	case !p.wish.Ignored:
		p.Loose += item.Size
	case stuck.Stuck:
		stuck.Size = item.Size
		p.Stays = append(p.Stays, stuck)
	default:
		p.Goes = append(p.Goes, item)
	}
	return nil
}

func (h Home) ignored(r Room, paths []string) Item {
	i := Item{Kind: KindIgnored, Name: r.Name(), Why: strings.Join(paths, ", "), room: &r, paths: paths}
	for _, p := range paths {
		i.Size += git.Size(filepath.Join(r.Dir, p))
	}
	return i
}

// planRegistered finds registrations whose folder is gone, and all that torve kept beside
// it: they go where each commit that was made there is on a ref.
func (h Home) planRegistered(ctx context.Context, rd *truth.Reading, rooms []Room, p *Plan) error {
	places, err := h.registered(ctx, []string{filepath.Clean(h.Root)})
	if err != nil {
		return err
	}
	for dir, place := range places {
		if there(dir) || slices.ContainsFunc(rooms, func(r Room) bool { return r.Name() == filepath.Base(dir) }) {
			continue
		}
		item := Item{Kind: KindWorktree, Name: filepath.Base(dir), Why: "registered, its folder is gone", room: &Room{Dir: dir}}
		loose, err := h.loosened(ctx, dir, rd.Head)
		switch {
		case err != nil:
			return err
		case place.Locked:
			item.Why = "registered, its folder is gone; somebody locked it"
			p.Stays = append(p.Stays, item)
		case loose != "":
			item.Why = "registered, its folder is gone; the commit " + loose[:7] + " made in it is on no ref"
			item.Mend = "git branch recovered " + loose[:7]
			p.Stays = append(p.Stays, item)
		default:
			p.Goes = append(p.Goes, item)
		}
	}
	return nil
}

// loosened is a commit that was made in a worktree and is on no ref; "" when there is none.
func (h Home) loosened(ctx context.Context, dir, base string) (string, error) {
	tips, err := h.Repo.Visited(ctx, dir, base)
	if err != nil {
		return "", err
	}
	for _, id := range tips {
		if loose, err := h.unheld(ctx, id); err != nil || loose {
			return id, err
		}
	}
	return "", nil
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
		if _, host := rd.States[id]; host && over(rd, id) != "" && !stays(rooms, *p, id) {
			path := carrier.StateFile(h.States, id)
			p.Goes = append(p.Goes, Item{Kind: KindState, Name: h.fromHere(path), Why: string(over(rd, id)), Size: git.Size(path), paths: []string{id}})
		}
	}
	for _, name := range matching(h.locks(), claimLock+"*.lock") {
		run := strings.TrimSuffix(strings.TrimPrefix(name, claimLock), ".lock")
		if path := filepath.Join(h.locks(), name); !open[run] {
			p.Goes = append(p.Goes, Item{Kind: KindLock, Name: h.fromHere(path), Why: "no claim has it", paths: []string{run}})
		}
	}
	for folder, pattern := range map[string]string{h.States: ".tmp-*", h.Root: ".*.json.*"} {
		for _, name := range matching(folder, pattern) {
			path := filepath.Join(folder, name)
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && h.Now.Sub(info.ModTime()) > aMoment {
				p.Goes = append(p.Goes, Item{Kind: KindHalf, Name: h.fromHere(path), Why: "half of a file", Size: git.Size(path), paths: []string{path}})
			}
		}
	}
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

// planRefs lets the kept trees of tasks go that landed long enough ago: those up to the
// attempt that landed, whose number the landing file carries on. While anything runs they
// stay: a ref that goes looks like its agent's doing.
func (h Home) planRefs(ctx context.Context, rd *truth.Reading, rooms []Room, p *Plan) error {
	trees, err := h.refs(ctx, rd)
	if err != nil {
		return err
	}
	busy := h.Runs(rd)
	for _, t := range trees {
		file := rd.Settled(t.Task).Landing()
		if file == nil || !landed(rd, t.Task) || claimOf(rd, t.Task) != nil || stays(rooms, *p, t.Task) {
			continue
		}
		if h.Now.Sub(file.At) < p.wish.Keep || file.Attempt > 0 && t.N > file.Attempt {
			continue
		}
		item := Item{
			Kind: KindRef, Name: t.Ref, Why: "landed " + file.At.Format("2 Jan 2006"),
			ref: git.RefUpdate{Ref: t.Ref, Old: t.Commit},
		}
		if busy != "" {
			item.Why = busy + " is running"
			p.Stays = append(p.Stays, item)
			continue
		}
		p.Goes = append(p.Goes, item)
	}
	if p.Objects, err = h.objects(ctx, p.Goes); err != nil {
		return err
	}
	slices.SortStableFunc(p.Goes, func(a, b Item) int {
		if a.Kind == KindRef && b.Kind == KindRef {
			return strings.Compare(a.Name, b.Name)
		}
		return 0
	})
	return nil
}

// objects is what only the refs among these items hold.
func (h Home) objects(ctx context.Context, items []Item) (git.Bytes, error) {
	var tips, others []string
	for _, i := range items {
		if i.Kind == KindRef {
			tips, others = append(tips, i.ref.Old), append(others, "--exclude="+i.ref.Ref)
		}
	}
	if len(tips) == 0 {
		return 0, nil
	}
	return h.onlyIn(ctx, tips, others)
}

// onlyIn is what the objects take that tips lead to and no other ref does.
func (h Home) onlyIn(ctx context.Context, tips, but []string) (git.Bytes, error) {
	args := slices.Concat([]string{"rev-list", "--disk-usage", "--objects", "--ignore-missing"}, tips, []string{"--not", "--single-worktree"}, but, []string{"--all"})
	out, err := h.Repo.Run(ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("asking how much the kept trees take: %w", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	return git.Bytes(n), err
}
