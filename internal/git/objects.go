package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// objects reads and writes whole objects. There are two makers: go-git, in process and
// with no program started, and the git program's batch protocol, which answers for the
// repositories that go-git cannot read or would read wrongly. A missing object is ErrNotFound.
type objects interface {
	read(ctx context.Context, id string) (kind string, data []byte, err error)
	write(ctx context.Context, kind string, data []byte) (id string, err error)
	close() error
}

// store is the maker for this repository, chosen at first use.
func (r *Repo) store() (objects, error) {
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	if r.lazily.objects == nil {
		simple, err := r.simple()
		if err != nil {
			return nil, err
		}
		if simple {
			r.lazily.objects = openInProcess(r.Common)
		} else {
			r.lazily.objects = openBatch(r)
		}
	}
	return r.lazily.objects, nil
}

// harmless are the extensions of a repository that say nothing about its objects.
var harmless = []string{"worktreeconfig", "noop", "preciousobjects", "relativeworktrees", "refstorage"}

// biggest is how many bytes of pack indexes go-git may load: it takes them into memory
// whole, which costs ten milliseconds a megabyte, and git itself starts in three.
const biggest = 4 << 20

// simple reports whether go-git reads this repository rightly. What it does not: SHA-256,
// alternates, shallow and partial clones; and what it would write with other permissions
// than a shared repository asks for.
func (r *Repo) simple() (bool, error) {
	if r.format != "sha1" || r.Shallow {
		return false, nil
	}
	cfg, err := configFiles(filepath.Join(r.Common, "config"))
	if err != nil {
		return false, err
	}
	for _, o := range cfg.Section("extensions").Options {
		if !slices.Contains(harmless, strings.ToLower(o.Key)) {
			return false, nil
		}
	}
	shared := strings.ToLower(cfg.Section("core").Option("sharedRepository"))
	if shared != "" && shared != "umask" && shared != "false" && shared != "0" {
		return false, nil
	}
	if _, err := os.Stat(filepath.Join(r.Common, "objects", "info", "alternates")); !errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return r.smallPacks()
}

// smallPacks reports whether the pack indexes are few bytes and no pack is a partial clone's.
func (r *Repo) smallPacks() (bool, error) {
	packs, err := os.ReadDir(filepath.Join(r.Common, "objects", "pack"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("reading the packs: %w", err)
	}
	var total int64
	for _, p := range packs {
		switch filepath.Ext(p.Name()) {
		case ".promisor":
			return false, nil
		case ".idx":
			if info, err := p.Info(); err == nil {
				total += info.Size()
			}
		}
	}
	return total <= biggest, nil
}

// openPacks is how many packs are kept open: opening one anew for every object costs
// several times the reading, and a repository may have thousands.
const openPacks = 32

// inProcess is go-git's object storage alone: it sees no ref and no configuration.
type inProcess struct {
	mu    sync.Mutex // go-git's storage is not safe for several at once
	store *filesystem.ObjectStorage
}

func openInProcess(common string) *inProcess {
	dir := dotgit.New(osfs.New(common))
	return &inProcess{store: filesystem.NewObjectStorageWithOptions(dir, cache.NewObjectLRU(16*cache.MiByte),
		filesystem.Options{MaxOpenDescriptors: openPacks})}
}

func (p *inProcess) read(ctx context.Context, id string) (string, []byte, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, context.Cause(ctx)
	}
	if !plumbing.IsHash(id) {
		return "", nil, fmt.Errorf("reading %q: no object id: %w", id, ErrNotFound)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kind, data, err := p.get(plumbing.NewHash(id))
	if err != nil { // packs come and go under us: look again
		p.store.Reindex()
		kind, data, err = p.get(plumbing.NewHash(id))
	}
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = ErrNotFound
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading object %s: %w", id, err)
	}
	return kind, data, nil
}

func (p *inProcess) get(h plumbing.Hash) (string, []byte, error) {
	obj, err := p.store.EncodedObject(plumbing.AnyObject, h)
	if err != nil {
		return "", nil, err
	}
	from, err := obj.Reader()
	if err != nil {
		return "", nil, err
	}
	defer from.Close()
	var b bytes.Buffer
	b.Grow(int(obj.Size()))
	_, err = b.ReadFrom(from)
	return obj.Type().String(), b.Bytes(), err
}

func (p *inProcess) write(ctx context.Context, kind string, data []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", context.Cause(ctx)
	}
	typ, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return "", fmt.Errorf("writing a %s: %w", kind, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	obj := p.store.NewEncodedObject()
	obj.SetType(typ)
	obj.(*plumbing.MemoryObject).Write(data)
	h := obj.Hash()
	if p.store.HasEncodedObject(h) == nil {
		return h.String(), nil
	}
	h, err = p.store.SetEncodedObject(obj)
	for n := 1; errors.Is(err, os.ErrNotExist) && n < fannedOut; n++ { // its folder was pruned
		h, err = p.store.SetEncodedObject(obj)
	}
	if err != nil {
		return "", fmt.Errorf("writing a %s: %w", kind, readOnly(err))
	}
	return h.String(), nil
}

func (p *inProcess) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.store.Close()
}

// readOnly puts the sentinel beside an error of a place that cannot be written.
func readOnly(err error) error {
	if err != nil && (errors.Is(err, os.ErrPermission) || strings.Contains(err.Error(), "read-only file system")) {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return err
}
