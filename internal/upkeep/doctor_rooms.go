package upkeep

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"torve/internal/git"
	"torve/internal/truth"
)

// examineClaims names open claims whose holder is gone, and those of other hosts.
func (h Home) examineClaims(rd *truth.Reading, f *findings) {
	for _, id := range rd.Tasks() {
		c := claimOf(rd, id)
		if c == nil {
			continue
		}
		switch lives, known := h.lives(c); {
		case lives:
			f.add(OK, "claims", "", "%s is held by process %d", id, c.PID)
		case !known:
			who := "this machine"
			if c.Host == h.Host {
				who = "it is another clone's, and this one"
			}
			f.add(Note, "claims", "", "%s is held on %s since %s: %s cannot ask whether that run lives", id, c.Host, c.At.UTC().Format("2 Jan 15:04 UTC"), who)
		default:
			f.add(Odd, "claims", "torve dispatch "+id, "the run that held %s died; the next one takes it up", id)
		}
	}
	open := map[string]bool{}
	for _, id := range rd.Tasks() {
		if c := claimOf(rd, id); c != nil {
			open[c.ID] = true
		}
	}
	n := 0
	for _, name := range matching(h.locks(), claimLock+"*.lock") {
		if run := name[len(claimLock) : len(name)-len(".lock")]; !open[run] && !h.Repo.Held(claimLock+run) {
			n++
		}
	}
	if n > 0 && rd.Board != nil {
		f.add(Odd, "claims", "torve gc", "locks in %s that no claim has and nobody holds: %d", h.fromHere(h.locks()), n)
	}
}

// examineRooms names worktrees that are left over, and those that cannot be removed.
func (h Home) examineRooms(ctx context.Context, rd *truth.Reading, f *findings) {
	rooms, err := h.rooms()
	f.broke("worktrees", err)
	places, err := h.registered(ctx, h.roots(rd))
	f.broke("worktrees", err)
	for _, r := range rooms {
		h.examineRoom(rd, r, places, f)
	}
	for dir := range places {
		known := slices.ContainsFunc(rooms, func(r Room) bool { return r.Name() == filepath.Base(dir) })
		switch {
		case !there(dir):
			f.add(Odd, "worktrees", "torve gc", "%s is registered with git, and its folder is gone", filepath.Base(dir))
		case !known && made(rd, dir):
			f.add(Odd, "worktrees", "git worktree list", "%s stands where worktrees used to be cut", h.fromHome(dir))
		}
	}
}

func (h Home) examineRoom(rd *truth.Reading, r Room, places map[string]git.Place, f *findings) {
	state, s := over(rd, r.Task), r.hindered()
	_, registered := places[realFolder(r.Dir)]
	size := r.Size()
	switch {
	case r.foreign(places):
		f.add(OK, "worktrees", "", "%s has the name of an attempt's, and torve did not make it", h.fromHome(r.Dir))
	case s != nil:
		f.add(Odd, "worktrees", s.Mend, "%s (%s) cannot be removed: %s: %s", r.Name(), size, h.fromHome(s.Path), s.Why)
	case claimOf(rd, r.Task) != nil, h.running(rd, r):
	case state != "":
		f.add(Odd, "worktrees", "torve gc", "%s (%s) is left of a task that is %s", r.Name(), size, state)
	case r.Task == headRoom:
		f.add(Odd, "worktrees", "torve gc", "%s (%s) is of a run that died while it asked the target's own tests", r.Name(), size)
	case !rd.Settled(r.Task).Known():
		f.add(Odd, "worktrees", "torve recover", "%s (%s) is of a task that no carrier knows", r.Name(), size)
	case !r.Agent:
		f.add(Odd, "worktrees", "torve gc", "%s (%s) was cut, and no agent was given it", r.Name(), size)
	case r.There() && !registered:
		f.add(Odd, "worktrees", "torve recover", "%s (%s) is not registered with git any more", r.Name(), size)
	default:
		f.add(OK, "worktrees", "", "%s (%s) is kept: %s", r.Name(), size, rd.Settled(r.Task).State())
	}
}

// Disk is what torve takes here.
type Disk struct {
	Record, Wal git.Bytes
	Rooms       []Sized // the largest first
	Worktrees   git.Bytes
	Caches      git.Bytes
	Refs        int
	Objects     git.Bytes // that only those refs lead to
}

// Sized is a name and what it takes.
type Sized struct {
	Name string
	Size git.Bytes
}

// Uses measures it.
func (h Home) Uses(ctx context.Context) (Disk, error) {
	d := Disk{Caches: git.Size(h.Caches)}
	if h.Record != "" {
		d.Record, d.Wal = git.Size(h.Record), git.Size(h.Record+"-wal")
	}
	rooms, err := h.rooms()
	if err != nil {
		return d, err
	}
	for _, r := range rooms {
		d.Rooms = append(d.Rooms, Sized{r.Name(), r.Size()})
		d.Worktrees += r.Size()
	}
	slices.SortStableFunc(d.Rooms, func(a, b Sized) int { return int(b.Size - a.Size) })
	refs, err := h.Repo.Refs(ctx, "refs/torve")
	if err != nil || len(refs) == 0 {
		return d, err
	}
	d.Refs = len(refs)
	var tips []string
	for _, id := range refs {
		tips = append(tips, id)
	}
	if d.Objects, err = h.onlyIn(ctx, tips, []string{"--exclude=refs/torve/*"}); err != nil {
		return d, fmt.Errorf("measuring the kept trees: %w", err)
	}
	return d, nil
}
