package attempt

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"torve/internal/git"
)

// watch is what an agent must leave alone, as it was before it started.
type watch struct {
	guard git.Guard
	main  []string // what had changed in the main work tree already
}

// watch takes it. Where no wall is up it is all that says isolation held.
func (s *Station) watch(ctx context.Context) (watch, error) {
	return s.watchWith(ctx, func() ([]string, error) { return s.main(ctx, nil) })
}

// watchWith is watch where the main work tree is read, or was read, as main does.
func (s *Station) watchWith(ctx context.Context, main func() ([]string, error)) (watch, error) {
	g, err := s.Repo.Guarded(ctx)
	if err != nil {
		return watch{}, fmt.Errorf("taking what the agent must leave alone: %w", err)
	}
	w := watch{guard: g}
	w.main, err = main()
	return w, err
}

// mainSoon begins to read the main work tree, and gives how to wait for what was read.
func (s *Station) mainSoon(ctx context.Context) func() ([]string, error) {
	var paths []string
	var err error
	wait := beside(func() { paths, err = s.main(ctx, nil) })
	return func() ([]string, error) {
		wait()
		return paths, err
	}
}

// watchOn is watch where something has run in a room: what was seen when that had ended is
// what must be as it was, and only the refs, which the host moves itself, are read anew.
func (s *Station) watchOn(ctx context.Context, r *room) (watch, error) {
	if r.seen == nil {
		return s.watch(ctx)
	}
	w := *r.seen
	var err error
	if w.guard.Refs, err = s.Repo.Refs(ctx, ""); err != nil {
		return watch{}, fmt.Errorf("taking what the agent must leave alone: %w", err)
	}
	return w, nil
}

// landingTime is how long is waited for a landing that is just moving the target.
const landingTime = 5 * time.Second

// main is what has changed in the main work tree. Where that is not what is expected, it is
// read once more while nothing lands: a landing of this run's own, half way, is nobody's
// edit.
func (s *Station) main(ctx context.Context, expected []string) ([]string, error) {
	paths, err := s.mainPaths(ctx)
	if err != nil || slices.Equal(paths, expected) {
		return paths, err
	}
	wait, cancel := context.WithTimeout(ctx, landingTime)
	defer cancel()
	if release, err := s.Repo.Lock(wait, "target-"+s.Settings.Target); err == nil {
		defer release()
	}
	return s.mainPaths(ctx)
}

func (s *Station) mainPaths(ctx context.Context) ([]string, error) {
	if s.Repo.Main == "" {
		return nil, nil
	}
	st, err := s.Repo.Status(ctx, s.Repo.Main)
	if err != nil {
		return nil, fmt.Errorf("reading the main work tree: %w", err)
	}
	return st.Paths, nil
}

// Broken is returned when acceptance, which is the agent's code, changed what is not its
// own: there is no verdict then.
type Broken struct{ Faults []string }

// Error names what was changed.
func (b *Broken) Error() string { return strings.Join(b.Faults, "; ") }

// broken says what was changed outside an attempt's tree by what ran in its room; empty
// when isolation held. The main work tree is reported and never attributed: people edit
// there.
func (s *Station) broken(ctx context.Context, r *room, a about, before watch) ([]string, error) {
	warn := func(text string) { s.note("warn", a.task, a.n, text) }
	faults, err := s.Repo.Unblock() // first: no git may run over what was put there
	if err != nil {
		return nil, err
	}
	bond, err := s.Repo.Reattach(ctx, r.dir, r.Link, r.Base, r.aside())
	if err != nil {
		return nil, err
	}
	faults = append(faults, bond...)
	now, err := s.Repo.Guarded(ctx)
	if err != nil {
		return nil, fmt.Errorf("comparing what the agent must leave alone: %w", err)
	}
	s.Repo.Disarm(before.guard, now) // before any git takes files here
	judge := &explainer{ctx: ctx, station: s, room: r, about: a}
	faults = append(faults, before.guard.Changed(now, judge.explained)...)
	if judge.err != nil {
		return nil, fmt.Errorf("explaining the refs that moved: %w", judge.err)
	}
	for _, ref := range judge.left {
		warn("the agent left " + ref + " behind")
	}
	main, err := s.main(ctx, before.main)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(main, before.main) {
		warn("the main work tree changed meanwhile; people edit there, so nothing is made of it")
	}
	r.seen = &watch{guard: now, main: main}
	return faults, nil
}

// explainer says which refs changed for a reason that is not the agent. What it needs
// it reads at the first question: mostly none is asked.
type explainer struct {
	ctx     context.Context
	station *Station
	room    *room
	about   about
	own     map[string]bool // commits made in the attempt's own worktree; nil: not read yet
	left    []string        // branches and tags that the agent made
	err     error
}

// made reports whether a commit was made in the attempt's own worktree.
func (e *explainer) made(id string) bool {
	if e.own == nil {
		e.own = map[string]bool{}
		ids, err := e.station.Repo.Visited(e.ctx, e.room.dir, e.room.Base)
		if err != nil {
			e.err = err
		}
		for _, id := range ids {
			e.own[id] = true
		}
	}
	return e.own[id]
}

// explained is asked of each ref that changed. A ref of torve's is explained by the
// record, the target by a landing, another by its reflog, unless what it moved to was
// made in the attempt's worktree. A branch or tag that is new harms nothing and is told.
func (e *explainer) explained(ref, old, new string) bool {
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	switch {
	case strings.HasPrefix(ref, "refs/torve/attempts/"):
		return old == "" && e.attempt(ref)
	case strings.HasPrefix(ref, "refs/torve/"):
		return false
	case old == "" && (isBranch || strings.HasPrefix(ref, "refs/tags/")):
		if e.made(new) {
			e.left = append(e.left, ref)
		}
		return true
	case e.made(new):
		return false
	case strings.HasPrefix(ref, "refs/remotes/") && new == "":
		return true // a fetch that prunes leaves no reflog; what it removes is the remote's
	}
	if e.reflog(ref, old, new) && (!isBranch || e.where(branch, new)) {
		return true
	}
	return branch == e.station.Settings.Target && e.landed(new)
}

// attempt reports whether the record knows the attempt that a kept ref is named for. The
// ref of this one is torve's to make, and not while something of the agent's runs.
func (e *explainer) attempt(ref string) bool {
	task, n, _ := strings.Cut(strings.TrimPrefix(ref, "refs/torve/attempts/"), "/")
	number, err := strconv.Atoi(n)
	if err != nil || task == e.about.task && number == e.about.n {
		return false
	}
	b, err := e.station.fold(e.ctx)
	if err != nil {
		e.err = err
		return false
	}
	t := b.Tasks[task]
	return t != nil && t.Attempt(number) != nil
}

// landed reports whether the record holds a landing that made the commit the target's
// head. Git is written before the record, so that it is waited for a little.
func (e *explainer) landed(head string) bool {
	for _, pause := range []time.Duration{0, 50 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
		time.Sleep(pause)
		b, err := e.station.fold(e.ctx)
		if err != nil {
			e.err = err
			return false
		}
		for _, t := range b.Tasks {
			if t.Landing != nil && t.Landing.Head == head {
				return true
			}
		}
	}
	return false
}

// reflog reports whether the ref's own log leads from the old value to the new. A symbolic
// one, as a clone has of its remote's HEAD, moves with the ref that it names, whose log it is.
func (e *explainer) reflog(ref, old, new string) bool {
	if new == "" {
		return false
	}
	if to, err := e.station.Repo.Run(e.ctx, "symbolic-ref", "-q", ref); err == nil {
		ref = strings.TrimSpace(to)
	}
	out, err := e.station.Repo.Run(e.ctx, "rev-list", "--walk-reflogs", ref)
	if err != nil {
		return false // it has no reflog
	}
	values := strings.Fields(out)
	at := slices.Index(values, new)
	return at >= 0 && (old == "" || slices.Contains(values[at:], old))
}

// where reports whether a branch that is checked out was moved there: what people do in
// their work tree is in the log of its HEAD, what others do to the ref behind its back
// is not.
func (e *explainer) where(branch, new string) bool {
	dir, err := e.station.Repo.CheckedOut(e.ctx, branch)
	if err != nil {
		e.err = err
		return false
	}
	if dir == "" {
		return true
	}
	saw, err := e.station.Repo.HeadSaw(dir, new)
	if err != nil {
		e.err = err
	}
	return saw
}
