package git

import (
	"context"
	"fmt"
	"strings"
)

// Edit is one path to set (ID and Mode) or to drop (ID empty). A path that is dropped may
// be a folder; dropping what is not there is no error.
type Edit struct{ Path, Mode, ID string }

// change is what becomes of one name in a folder: itself set or dropped, or something below it.
type change struct {
	leaf  *Edit
	below map[string]*change
}

// EditTree is a tree made of another ("" is the empty one) with edits; parents of new
// paths come by themselves, folders left empty go. A file never takes the place of a
// folder, nor a folder that of a file, unless that is dropped in the same call.
func (r *Repo) EditTree(ctx context.Context, tree string, edits ...Edit) (string, error) {
	root := &change{}
	for i := range edits {
		if err := root.add(&edits[i]); err != nil {
			return "", fmt.Errorf("editing a tree: %w", err)
		}
	}
	if tree != "" {
		id, err := r.TreeID(ctx, tree)
		if err != nil {
			return "", fmt.Errorf("editing a tree: %w", err)
		}
		tree = id
	}
	if len(edits) == 0 && tree != "" {
		return tree, nil
	}
	id, err := r.rebuild(ctx, tree, "", root)
	if err != nil {
		return "", fmt.Errorf("editing a tree: %w", err)
	}
	if id == "" {
		return r.write(ctx, "tree", nil)
	}
	return id, nil
}

// add enters an edit at its place.
func (c *change) add(e *Edit) error {
	if err := validPath(e.Path); err != nil {
		return err
	}
	if e.ID != "" && !isID(e.ID) {
		return fmt.Errorf("%s: %q is no object id", e.Path, e.ID)
	}
	if e.ID != "" && e.Mode != modeFile && e.Mode != modeExec && e.Mode != modeSymlink && e.Mode != modeModule {
		return fmt.Errorf("%s: %q is no mode", e.Path, e.Mode)
	}
	for name := range strings.SplitSeq(e.Path, "/") {
		if c.below == nil {
			c.below = map[string]*change{}
		}
		if c.below[name] == nil {
			c.below[name] = &change{}
		}
		c = c.below[name]
	}
	if c.leaf != nil && *c.leaf != *e {
		return fmt.Errorf("%s is edited twice", e.Path)
	}
	c.leaf = e
	return nil
}

// validPath refuses what git would refuse in an index.
func validPath(path string) error {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") || strings.ContainsRune(name, 0) {
			return fmt.Errorf("%q is no path for a tree", path)
		}
	}
	return nil
}

// rebuild writes one folder anew and gives its id, "" when nothing is left in it.
func (r *Repo) rebuild(ctx context.Context, tree, prefix string, c *change) (string, error) {
	old, err := r.nodes(ctx, tree)
	if err != nil {
		return "", err
	}
	var out []node
	seen := map[string]bool{}
	for _, n := range old {
		todo := c.below[n.name]
		seen[n.name] = true
		if todo == nil {
			out = append(out, n)
			continue
		}
		if out, err = r.place(ctx, out, n, prefix, todo); err != nil {
			return "", err
		}
	}
	for name, todo := range c.below {
		if seen[name] {
			continue
		}
		if out, err = r.place(ctx, out, node{name: name}, prefix, todo); err != nil {
			return "", err
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	data, err := encodeTree(out)
	if err != nil {
		return "", err
	}
	return r.write(ctx, "tree", data)
}

// place adds what becomes of one entry. An entry without an id is not there yet.
func (r *Repo) place(ctx context.Context, out []node, n node, prefix string, todo *change) ([]node, error) {
	path := prefix + n.name
	dropped := todo.leaf != nil && todo.leaf.ID == ""
	if todo.leaf != nil && !dropped {
		if todo.sets() || n.id != "" && n.tree() && !r.cleared(ctx, n.id, todo) {
			return nil, fmt.Errorf("%s would be a file in the place of a folder", path)
		}
		return append(out, node{mode: todo.leaf.Mode, name: n.name, id: todo.leaf.ID}), nil
	}
	if dropped {
		n.id = ""
	}
	if n.id != "" && !n.tree() {
		if !todo.sets() {
			return append(out, n), nil // dropping below a file drops nothing
		}
		return nil, fmt.Errorf("%s is a file, and %s", path, "it would be a folder too")
	}
	id, err := r.rebuild(ctx, n.id, path+"/", todo)
	if err != nil || id == "" {
		return out, err
	}
	return append(out, node{mode: modeTree, name: n.name, id: id}), nil
}

// sets reports whether something below is set, not only dropped.
func (c *change) sets() bool {
	for _, below := range c.below {
		if below.leaf != nil && below.leaf.ID != "" || below.sets() {
			return true
		}
	}
	return false
}

// cleared reports whether the edits below drop everything that a folder holds.
func (r *Repo) cleared(ctx context.Context, tree string, todo *change) bool {
	nodes, err := r.nodes(ctx, tree)
	if err != nil {
		return false
	}
	for _, n := range nodes {
		below := todo.below[n.name]
		gone := below != nil && (below.leaf != nil && below.leaf.ID == "" || n.tree() && r.cleared(ctx, n.id, below))
		if !gone {
			return false
		}
	}
	return true
}
