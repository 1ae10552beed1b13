package audit

import (
	"context"
	"fmt"
	"slices"

	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/truth"
)

// askLandings asks of each landing file in the target's tree that it reads and names its
// task, that it was added once and never changed, that no task has two, that its work
// commit is what it says, and that what arrived is what was gated.
func (i *inquiry) askLandings(ctx context.Context) (int, error) {
	landings, err := i.loaded(ctx)
	if err != nil {
		return 0, err
	}
	i.landings = landings
	i.unreadable()
	i.twice()
	var works []string
	for _, l := range landings {
		works = append(works, l.Commit, l.Tree)
	}
	there, err := i.Repo.Present(ctx, works)
	if err != nil {
		return 0, err
	}
	if err := i.landed(ctx, landings); err != nil {
		return 0, err
	}
	for _, l := range landings {
		l.here = there
		if err := i.arrived(ctx, l); err != nil {
			return 0, fmt.Errorf("%s: %w", l.path, err)
		}
	}
	i.told(landings)
	return len(i.r.Landings) + i.unread(), nil
}

// loadedLanding is a landing file with what it says.
type loadedLanding struct {
	carrier.Landing
	path  string
	blob  string
	other bool              // it is not the file that landed
	here  map[string]string // of the objects that landings name: those that are here
	by    git.Link          // the commit that brought it as torve does; zero where none did
	left  string            // the tree of that commit without the file
	how   arrival
}

// arrival is how a landing came to this line, and what could not be asked of it.
type arrival struct {
	workAway, rewritten, unasked bool
}

// loaded reads every landing of the tree, oldest first, and names what does not read.
func (i *inquiry) loaded(ctx context.Context) ([]*loadedLanding, error) {
	files := slices.Clone(i.r.Landings)
	slices.Reverse(files)
	ids := make([]string, len(files))
	for n, f := range files {
		ids[n] = f.Blob
	}
	var out []*loadedLanding
	at := 0
	err := i.Repo.EachBlob(ctx, ids, func(_ string, data []byte) error {
		f := files[at]
		at++
		l, err := carrier.ReadLanding(f.Path, data)
		if err != nil { // its head agrees with its name, and the rest does not read
			i.unreads(f.Path, f.Task, err)
			return nil
		}
		out = append(out, &loadedLanding{Landing: l, path: f.Path, blob: f.Blob})
		return nil
	})
	return out, err
}

func (i *inquiry) unreads(path, task string, err error) {
	subject := task
	if subject == "" {
		subject = path
	}
	i.differ("broken", subject, "%v", err).by("git log -p -- " + path)
}

// unreadable names the files in the landings' folders that are none.
func (i *inquiry) unreadable() {
	for _, f := range i.r.Faults {
		if isLanding(f) {
			i.unreads(f.Path, f.Task, f.Err)
		}
	}
}

func (i *inquiry) unread() int {
	n := 0
	for _, f := range i.r.Faults {
		if isLanding(f) {
			n++
		}
	}
	return n
}

// isLanding reports whether a fault is of a file in the landings' folders.
func isLanding(f truth.Fault) bool {
	return slices.ContainsFunc(carrier.LandingPrefixes(), func(p string) bool { return len(f.Path) > len(p) && f.Path[:len(p)] == p })
}

// twice names the tasks that have more than one landing.
func (i *inquiry) twice() {
	of := map[string][]string{}
	for _, f := range i.r.Landings {
		of[f.Task] = append(of[f.Task], f.Path)
	}
	for _, f := range i.r.Landings {
		paths := of[f.Task]
		if len(paths) > 1 {
			i.differ("twice", f.Task, "it has %d landings in the tree: %s", len(paths), listed(paths)).
				by("git log -- " + paths[0])
			delete(of, f.Task)
		}
	}
}

// worked asks what the work commit says of itself, where it is on this line.
func (i *inquiry) worked(ctx context.Context, l *loadedLanding) error {
	_, on := i.history.commits[l.Commit]
	if !on {
		l.how.workAway = l.here[l.Commit] != "commit"
		l.how.rewritten = !l.how.workAway
		return nil
	}
	if l.Attested != "" {
		return nil
	}
	c, err := i.Repo.ReadCommit(ctx, l.Commit)
	if err != nil {
		return err
	}
	if why := disagree(c.Trailers(), l.Task, l.Attempt, l.Contract); why != "" {
		i.differ("work", l.Task, "%s names %s as its work commit, and %s", l.path, short(l.Commit), why).by("git show " + short(l.Commit))
	}
	return nil
}

// told says once what is true of many landings and no difference of any.
func (i *inquiry) told(landings []*loadedLanding) {
	var away, rewritten, unasked []string
	for _, l := range landings {
		switch {
		case l.how.workAway:
			away = append(away, l.Task)
		case l.how.rewritten:
			rewritten = append(rewritten, l.Task)
		}
		if l.how.unasked {
			unasked = append(unasked, l.Task)
		}
	}
	if len(away) > 0 {
		i.note("landed; the work commit is not in this clone: %s", listed(away))
	}
	if len(rewritten) > 0 {
		i.note("landed, and brought to %s by other commits (rebased or squashed): %s", i.Target, listed(rewritten))
	}
	if len(unasked) > 0 {
		i.note("not asked whether what arrived is what was gated, as that tree is not in this clone: %s", listed(unasked))
	}
}
