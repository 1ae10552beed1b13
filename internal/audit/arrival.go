package audit

import (
	"context"
	"slices"
	"strings"

	"torve/internal/git"
)

// landed finds the commit that brought each landing, where it came as torve brings it.
func (i *inquiry) landed(ctx context.Context, landings []*loadedLanding) error {
	var ask []git.Part
	var of []*loadedLanding
	var by []git.Link
	for _, l := range landings {
		for _, c := range i.history.brought(l) {
			ask, of, by = append(ask, git.Part{Tree: c.Tree, Path: l.path}), append(of, l), append(by, c)
		}
	}
	found, err := i.Repo.TakeOut(ctx, ask)
	if err != nil {
		return err
	}
	for n, f := range found {
		if l := of[n]; f.ID != "" && l.by.ID == "" {
			l.by, l.left, l.other = by[n], f.Without, f.ID != l.blob
		}
	}
	return nil
}

// arrived asks that a landing is the file that landed, that its work commit is what it
// says, and that what arrived is what was gated. The commit that torve made is asked
// whole: its tree without its one landing file is G. Where other commits brought the work
// (a rebase, a squash), it is asked blob by blob at the paths that they changed.
func (i *inquiry) arrived(ctx context.Context, l *loadedLanding) error {
	var first git.Edited
	if l.by.ID == "" || l.other {
		c, err := i.history.of(ctx, l.path)
		if err != nil {
			return err
		}
		first, _ = c.first()
		if l.by.ID == "" {
			l.other = first.ID != "" && first.ID != l.blob
		}
		if l.other {
			i.differ("edited", l.Task, "%s was changed by %s after it landed", l.path, short(c.edit().Commit)).
				by("git checkout " + short(first.Commit) + " -- " + l.path + ` && git commit -m "Put the landing back"`)
			return nil
		}
	}
	if err := i.worked(ctx, l); err != nil {
		return err
	}
	switch {
	case l.Tree == "" || l.by.ID == "" && first.Commit == "":
		l.how.unasked = true
		return nil
	case l.by.ID != "":
		return i.whole(ctx, l)
	}
	return i.parts(ctx, l, i.history.commits[first.Commit])
}

// whole compares the tree of the landing's own merge.
func (i *inquiry) whole(ctx context.Context, l *loadedLanding) error {
	if l.left == l.Tree {
		return nil
	}
	where := ""
	if l.here[l.Tree] == "tree" {
		paths, err := i.apart(ctx, l.by.Tree, l.Tree, l.path)
		if err != nil {
			return err
		}
		where = ", at " + listed(paths)
	}
	i.unlike(l, l.by, where)
	return nil
}

// parts compares blobs at the paths that the bringing commits changed.
func (i *inquiry) parts(ctx context.Context, l *loadedLanding, by git.Link) error {
	l.how.rewritten = !l.how.workAway
	if l.here[l.Tree] != "tree" || len(by.Parents) == 0 {
		l.how.unasked = true
		return nil
	}
	changed, err := i.changedBy(ctx, by)
	if err != nil {
		return err
	}
	var wrong []string
	for _, path := range changed {
		if path == l.path {
			continue
		}
		same, err := i.same(ctx, by.Tree, l.Tree, path)
		if err != nil {
			return err
		}
		if !same {
			wrong = append(wrong, path)
		}
	}
	if len(wrong) > 0 {
		i.unlike(l, by, ", at "+listed(wrong))
	}
	return nil
}

// changedBy are the paths that a commit changed; where it brings torve's own files alone,
// the commit before it is the work, and its paths are meant, too.
func (i *inquiry) changedBy(ctx context.Context, by git.Link) ([]string, error) {
	from := i.history.commits[by.Parents[0]]
	if from.ID == "" {
		return nil, nil
	}
	paths, err := i.apart(ctx, by.Tree, from.Tree, "")
	if err != nil {
		return nil, err
	}
	own := func(p string) bool { return strings.HasPrefix(p, ".torve/") }
	if !slices.ContainsFunc(paths, func(p string) bool { return !own(p) }) && len(from.Parents) == 1 {
		if work := i.history.commits[from.Parents[0]]; work.ID != "" {
			return i.apart(ctx, by.Tree, work.Tree, "")
		}
	}
	return paths, nil
}

// apart lists the paths at which two trees differ, but for one.
func (i *inquiry) apart(ctx context.Context, a, b, but string) ([]string, error) {
	var paths []string
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		list, err := i.Repo.Apart(ctx, pair[0], pair[1], "")
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if e.Path != but {
				paths = append(paths, e.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// same reports whether two trees hold the same at a path.
func (i *inquiry) same(ctx context.Context, a, b, path string) (bool, error) {
	in := func(tree string) (git.Entry, error) {
		e, err := i.Repo.Entry(ctx, tree, path)
		if missing(err) {
			return git.Entry{}, nil
		}
		return e, err
	}
	one, err := in(a)
	if err != nil {
		return false, err
	}
	other, err := in(b)
	return one == other, err
}

func (i *inquiry) unlike(l *loadedLanding, m git.Link, where string) {
	i.differ("unlike", l.Task, "%s brought it, and that is not the tree that was gated (%s)%s", short(m.ID), short(l.Tree), where).
		by("git show " + short(m.ID))
}
