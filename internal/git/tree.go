package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Entry is one path in a tree.
type Entry struct {
	Path string
	Mode string // 100644, 100755, 120000, 160000
	ID   string
}

// object reads one object by its id.
func (r *Repo) object(ctx context.Context, id string) (kind string, data []byte, err error) {
	store, err := r.store()
	if err != nil {
		return "", nil, err
	}
	return store.read(ctx, id)
}

// idSize is how many bytes an object id has here.
func (r *Repo) idSize() int {
	if r.format == "sha256" {
		return 32
	}
	return 20
}

// zero is the id that stands for no object.
func (r *Repo) zero() string { return strings.Repeat("0", 2*r.idSize()) }

// TreeID is the tree of a commit, a tag or a tree.
func (r *Repo) TreeID(ctx context.Context, rev string) (string, error) {
	id, err := r.Resolve(ctx, rev)
	if err != nil {
		return "", err
	}
	kind, data, err := r.object(ctx, id)
	if err != nil {
		return "", err
	}
	switch kind {
	case "tree":
		return id, nil
	case "commit":
		c, err := decodeCommit(id, data)
		return c.Tree, err
	}
	return "", fmt.Errorf("reading the tree of %s: it is a %s: %w", rev, kind, ErrNotFound)
}

// nodes reads one tree object; "" is the empty tree.
func (r *Repo) nodes(ctx context.Context, id string) ([]node, error) {
	if id == "" {
		return nil, nil
	}
	kind, data, err := r.object(ctx, id)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		return nil, fmt.Errorf("reading tree %s: it is a %s", id, kind)
	}
	return decodeTree(data, r.idSize())
}

// lookup finds a path in a tree; ErrNotFound when it is not there.
func (r *Repo) lookup(ctx context.Context, tree, path string) (node, error) {
	here := node{mode: modeTree, id: tree}
	for _, name := range strings.Split(strings.Trim(path, "/"), "/") {
		if !here.tree() {
			return node{}, fmt.Errorf("%s: %w", path, ErrNotFound)
		}
		nodes, err := r.nodes(ctx, here.id)
		if err != nil {
			return node{}, err
		}
		found := false
		for _, n := range nodes {
			if n.name == name {
				here, found = n, true
				break
			}
		}
		if !found {
			return node{}, fmt.Errorf("%s: %w", path, ErrNotFound)
		}
	}
	return here, nil
}

// Tree lists the blobs (and submodules) under a prefix of a commit or tree, sorted by
// path. The prefix is a folder or one file; "" is all, and what is not there lists nothing.
func (r *Repo) Tree(ctx context.Context, rev, prefix string) ([]Entry, error) {
	tree, err := r.TreeID(ctx, rev)
	if err != nil {
		return nil, err
	}
	prefix = strings.Trim(prefix, "/")
	if prefix == "" {
		return r.walk(ctx, tree, "", nil)
	}
	at, err := r.lookup(ctx, tree, prefix)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("listing %s at %s: %w", prefix, rev, err)
	case !at.tree():
		return []Entry{{Path: prefix, Mode: plainMode(at.mode), ID: at.id}}, nil
	}
	return r.walk(ctx, at.id, prefix+"/", nil)
}

// TreeOf is Tree of a whole tree object, for who knows about how many files to expect: of
// a large tree that changes often git finds the present form in a fraction of go-git's time.
func (r *Repo) TreeOf(ctx context.Context, tree string, about int) ([]Entry, error) {
	if about >= bigTree {
		return r.listed(ctx, tree, "", nil)
	}
	return r.walk(ctx, tree, "", nil)
}

// bigTree is from how many files on a program is started to list them.
const bigTree = 1000

// walk adds what is under a tree to the list. A tree's own order is that of the paths.
func (r *Repo) walk(ctx context.Context, tree, prefix string, list []Entry) ([]Entry, error) {
	nodes, err := r.nodes(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("listing %q: %w", prefix, err)
	}
	if folders(nodes) >= many {
		return r.listed(ctx, tree, prefix, list)
	}
	for _, n := range nodes {
		if !n.tree() {
			list = append(list, Entry{Path: prefix + n.name, Mode: plainMode(n.mode), ID: n.id})
			continue
		}
		if list, err = r.walk(ctx, n.id, prefix+n.name+"/", list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func folders(nodes []node) int {
	n := 0
	for _, one := range nodes {
		if one.tree() {
			n++
		}
	}
	return n
}

// listed is walk by one program, which many folders are worth: go-git reads each tree by itself.
func (r *Repo) listed(ctx context.Context, tree, prefix string, list []Entry) ([]Entry, error) {
	out, _, err := r.git(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", tree}})
	if err != nil {
		return nil, fmt.Errorf("listing %q: %w", prefix, err)
	}
	for text := string(out); text != ""; {
		one, rest, _ := strings.Cut(text, "\x00")
		head, path, named := strings.Cut(one, "\t") // mode kind id
		if mode, id, whole := strings.Cut(head, " "); named && whole {
			list = append(list, Entry{Path: prefix + path, Mode: plainMode(mode), ID: id[strings.IndexByte(id, ' ')+1:]})
		} else {
			return nil, fmt.Errorf("listing %q: %w: %q", prefix, errOdd, one)
		}
		text = rest
	}
	return list, nil
}

// Folder is the tree of a folder at a commit or tree; "" when it is not there or is none.
func (r *Repo) Folder(ctx context.Context, rev, path string) (string, error) {
	return r.folder(ctx, rev, strings.Trim(path, "/"))
}

// Children lists what stands in a folder of a commit or tree, its folders as such and not
// what is below them, and gives the folder's own tree; both are empty when it is not there.
func (r *Repo) Children(ctx context.Context, rev, folder string) (tree string, list []Entry, err error) {
	if tree, err = r.folder(ctx, rev, strings.Trim(folder, "/")); err != nil || tree == "" {
		return "", nil, err
	}
	nodes, err := r.nodes(ctx, tree)
	if err != nil {
		return "", nil, fmt.Errorf("listing %s at %s: %w", folder, short(rev), err)
	}
	list = make([]Entry, len(nodes))
	for i, n := range nodes {
		list[i] = Entry{Path: n.name, Mode: plainMode(n.mode), ID: n.id}
		if n.tree() {
			list[i].Mode = modeTree
		}
	}
	return tree, list, nil
}

// Entry is one path of a commit or tree, a folder's mode being 40000; ErrNotFound when
// it is not there.
func (r *Repo) Entry(ctx context.Context, rev, path string) (Entry, error) {
	tree, err := r.TreeID(ctx, rev)
	if err != nil {
		return Entry{}, err
	}
	n, err := r.lookup(ctx, tree, path)
	if err != nil {
		return Entry{}, fmt.Errorf("reading %s at %s: %w", path, rev, err)
	}
	if n.tree() {
		return Entry{Path: path, Mode: modeTree, ID: n.id}, nil
	}
	return Entry{Path: path, Mode: plainMode(n.mode), ID: n.id}, nil
}

// File reads one path of a commit or tree; ErrNotFound when it is not there or no file.
// A symlink's content is where it leads.
func (r *Repo) File(ctx context.Context, rev, path string) ([]byte, error) {
	e, err := r.Entry(ctx, rev, path)
	if err != nil {
		return nil, err
	}
	if e.Mode == modeTree || e.Mode == modeModule {
		return nil, fmt.Errorf("reading %s at %s: it is no file: %w", path, rev, ErrNotFound)
	}
	return r.Blob(ctx, e.ID)
}

// Blob reads one blob.
func (r *Repo) Blob(ctx context.Context, id string) ([]byte, error) {
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	return blob(ctx, store, id)
}

func blob(ctx context.Context, from objects, id string) ([]byte, error) {
	kind, data, err := from.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if kind != "blob" {
		return nil, fmt.Errorf("reading blob %s: it is a %s: %w", id, kind, ErrNotFound)
	}
	return data, nil
}

// WriteBlob stores a blob and gives its id.
func (r *Repo) WriteBlob(ctx context.Context, data []byte) (string, error) {
	return r.write(ctx, "blob", data)
}

func (r *Repo) write(ctx context.Context, kind string, data []byte) (string, error) {
	store, err := r.store()
	if err != nil {
		return "", err
	}
	return store.write(ctx, kind, data)
}
