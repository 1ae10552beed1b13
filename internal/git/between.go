package git

import (
	"context"
	"slices"
	"strings"
)

// between lists the paths at which two trees differ ("" is the empty one), with no counts and
// no program: what is the same in both is not read. Sorted by path.
func (r *Repo) between(ctx context.Context, a, b string) ([]Delta, error) {
	list, err := r.unlike(ctx, a, b, "", nil)
	slices.SortFunc(list, func(x, y Delta) int { return strings.Compare(x.Path, y.Path) })
	return list, err
}

func (r *Repo) unlike(ctx context.Context, a, b, prefix string, list []Delta) ([]Delta, error) {
	if a == b {
		return list, nil
	}
	before, err := r.nodes(ctx, a)
	if err != nil {
		return nil, err
	}
	after, err := r.nodes(ctx, b)
	if err != nil {
		return nil, err
	}
	was := make(map[string]node, len(before))
	for _, n := range before {
		was[n.name] = n
	}
	for _, n := range after {
		old := was[n.name]
		delete(was, n.name)
		if list, err = r.differ(ctx, old, n, prefix+n.name, list); err != nil {
			return nil, err
		}
	}
	for _, n := range was {
		if list, err = r.differ(ctx, n, node{}, prefix+n.name, list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// differ adds what one name is in two folders; an empty node is none.
func (r *Repo) differ(ctx context.Context, old, now node, path string, list []Delta) ([]Delta, error) {
	if old.id == now.id && old.mode == now.mode {
		return list, nil
	}
	if old.tree() || now.tree() {
		var from, to string
		if old.tree() {
			from = old.id
		}
		if now.tree() {
			to = now.id
		}
		var err error
		if list, err = r.unlike(ctx, from, to, path+"/", list); err != nil {
			return nil, err
		}
	}
	d := Delta{Path: path, OldMode: noMode, NewMode: noMode}
	if old.id != "" && !old.tree() {
		d.OldMode, d.OldID, d.Status = plainMode(old.mode), old.id, "D"
	}
	if now.id != "" && !now.tree() {
		d.NewMode, d.NewID = plainMode(now.mode), now.id
		switch {
		case d.OldID == "":
			d.Status = "A"
		case typeOf(d.OldMode) != typeOf(d.NewMode):
			d.Status = "T"
		case d.OldID != d.NewID || d.OldMode != d.NewMode:
			d.Status = "M"
		default:
			return list, nil // two spellings of one mode
		}
	}
	if d.Status == "" {
		return list, nil
	}
	return append(list, d), nil
}

// typeOf is what a mode is, but for its permissions.
func typeOf(mode string) string { return mode[:min(len(mode), 3)] }
