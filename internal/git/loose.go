package git

import (
	"context"
	"os"
	"path/filepath"
)

// What was just written stands in files of its own, and what it leads to can be listed from
// them. Where a part of it does not stand so git is asked: it is packed, or it is not here.

// mostNew is how many commits are walked before git is asked.
const mostNew = 16

// looseFile is where an object stands that is in no pack.
func (r *Repo) looseFile(id string) string { return filepath.Join(r.Common, "objects", id[:2], id[2:]) }

// looseObjects gathers the files of loose objects, each once.
type looseObjects struct {
	repo  *Repo
	seen  map[string]bool
	files []string
}

// newObjects are the files of all that a commit leads to and its base does not; false where
// that is not known without git.
func (r *Repo) newObjects(ctx context.Context, id, base string) ([]string, bool) {
	if r.format != "sha1" || base == "" || !isID(id) || !isID(base) {
		return nil, false
	}
	_, data, err := r.object(ctx, base)
	if err != nil {
		return nil, false
	}
	from, err := decodeCommit(base, data)
	if err != nil {
		return nil, false
	}
	l := looseObjects{repo: r, seen: map[string]bool{base: true}}
	todo := []string{id}
	for n := 0; len(todo) > 0; n++ {
		at := todo[0]
		todo = todo[1:]
		if l.seen[at] {
			continue
		}
		if n >= mostNew || !l.add(at) {
			return nil, false
		}
		kind, data, err := r.object(ctx, at)
		if err != nil || kind != "commit" {
			return nil, false
		}
		c, err := decodeCommit(at, data)
		if err != nil || len(c.Parents) == 0 || !l.tree(ctx, from.Tree, c.Tree) {
			return nil, false
		}
		todo = append(todo, c.Parents...)
	}
	return l.files, true
}

// add enters an object; false where it is not loose.
func (l *looseObjects) add(id string) bool {
	file := l.repo.looseFile(id)
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	l.seen[id] = true
	l.files = append(l.files, file)
	return true
}

// tree enters what a tree holds that another does not at the same place.
func (l *looseObjects) tree(ctx context.Context, base, id string) bool {
	if id == base || l.seen[id] {
		return true
	}
	if !l.add(id) {
		return false
	}
	nodes, err := l.repo.nodes(ctx, id)
	if err != nil {
		return false
	}
	before, err := l.repo.nodes(ctx, base)
	if err != nil {
		return false
	}
	was := make(map[string]node, len(before))
	for _, n := range before {
		was[n.name] = n
	}
	for _, n := range nodes {
		old := was[n.name]
		switch {
		case n.id == old.id || n.mode == modeModule || l.seen[n.id]:
		case n.tree():
			if !old.tree() {
				old.id = ""
			}
			if !l.tree(ctx, old.id, n.id) {
				return false
			}
		case !l.add(n.id):
			return false
		}
	}
	return true
}

// stored reports whether all that a tree holds and a base's tree does not is here.
func (r *Repo) stored(ctx context.Context, base, tree string) bool {
	l := looseObjects{repo: r, seen: map[string]bool{}}
	return r.format == "sha1" && l.tree(ctx, base, tree)
}
