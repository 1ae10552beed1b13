package git

import (
	"context"
	"errors"
	"fmt"
)

// Apart lists the blobs (and submodules) under a folder of one commit or tree that do not
// stand so in another: what the other lacks, and what it holds otherwise. What both hold
// alike is not walked, however much it is. The folder "" is all.
func (r *Repo) Apart(ctx context.Context, rev, than, folder string) ([]Entry, error) {
	mine, err := r.folder(ctx, rev, folder)
	if err != nil {
		return nil, err
	}
	theirs, err := r.folder(ctx, than, folder)
	if err != nil {
		return nil, err
	}
	prefix := ""
	if folder != "" {
		prefix = folder + "/"
	}
	list, err := r.apart(ctx, mine, theirs, prefix, nil)
	if err != nil {
		return nil, fmt.Errorf("comparing %s at %s with %s: %w", folder, short(rev), short(than), err)
	}
	return list, nil
}

// folder is the tree of a folder at a commit or tree; "" when there is none.
func (r *Repo) folder(ctx context.Context, rev, folder string) (string, error) {
	tree, err := r.TreeID(ctx, rev)
	if err != nil {
		return "", err
	}
	if folder == "" {
		return tree, nil
	}
	n, err := r.lookup(ctx, tree, folder)
	switch {
	case errors.Is(err, ErrNotFound) || err == nil && !n.tree():
		return "", nil
	case err != nil:
		return "", fmt.Errorf("reading %s at %s: %w", folder, short(rev), err)
	}
	return n.id, nil
}

func (r *Repo) apart(ctx context.Context, tree, other, prefix string, list []Entry) ([]Entry, error) {
	if tree == other {
		return list, nil
	}
	mine, err := r.nodes(ctx, tree)
	if err != nil {
		return nil, err
	}
	theirs, err := r.nodes(ctx, other)
	if err != nil {
		return nil, err
	}
	there := make(map[string]node, len(theirs))
	for _, n := range theirs {
		there[n.name] = n
	}
	for _, n := range mine {
		o := there[n.name]
		switch {
		case n == o:
		case !n.tree():
			list = append(list, Entry{Path: prefix + n.name, Mode: plainMode(n.mode), ID: n.id})
		default:
			if !o.tree() {
				o.id = ""
			}
			if list, err = r.apart(ctx, n.id, o.id, prefix+n.name+"/", list); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
