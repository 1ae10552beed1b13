package audit

import (
	"context"
	"slices"
	"strings"

	"torve/internal/git"
)

// arrived asks that what arrived is what was gated. The merge that torve made is asked
// whole: its tree without its one landing file is G. Where other commits brought the work
// (a rebase, a squash), it is asked blob by blob at the paths that they changed.
func (i *inquiry) arrived(ctx context.Context, l *loadedLanding) error {
	first, known := i.history.of(l.path).first()
	if !known || l.Tree == "" {
		l.how.unasked = true
		return nil
	}
	by := i.history.commits[first.Commit]
	m, merged := i.history.merge(l.Onto, by.ID)
	if l.Attested != "" && len(by.Parents) == 1 && by.Parents[0] == l.Onto {
		m, merged = by, true
	}
	if merged {
		return i.whole(ctx, l, m)
	}
	if _, on := i.history.commits[l.Onto]; on && len(by.Parents) == 1 && by.Parents[0] == l.Commit {
		// its commits are here as they were made, and the merge that brought them is another
		l.how.rewritten = true
	}
	return i.parts(ctx, l, by)
}

// whole compares the tree of the landing's own merge.
func (i *inquiry) whole(ctx context.Context, l *loadedLanding, m git.Link) error {
	without, err := i.Repo.Without(ctx, m.Tree, l.path)
	if missing(err) {
		without, err = m.Tree, nil // the merge itself dropped its landing, and a later commit has it again
	}
	if err != nil || without == l.Tree {
		return err
	}
	where := ""
	if l.here[l.Tree] == "tree" {
		paths, err := i.apart(ctx, m.Tree, l.Tree, l.path)
		if err != nil {
			return err
		}
		where = ", at " + listed(paths)
	}
	i.unlike(l, m, where)
	return nil
}

// parts compares blobs at the paths that the bringing commits changed.
func (i *inquiry) parts(ctx context.Context, l *loadedLanding, by git.Link) error {
	if l.here[l.Tree] != "tree" || len(by.Parents) == 0 {
		l.how.unasked = true
		return nil
	}
	changed, err := i.brought(ctx, by)
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

// brought are the paths that a commit changed; where it brings torve's own files alone,
// the commit before it is the work, and its paths are meant, too.
func (i *inquiry) brought(ctx context.Context, by git.Link) ([]string, error) {
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
