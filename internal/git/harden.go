package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Git leaves loose objects to the disk's own pace, and so does go-git; a ref it syncs. So
// that no ref outlives the objects that it leads to, they are synced first: the data of
// each is written out, and one sync then makes all of it durable, as git's own
// core.fsyncMethod=batch has it.

// Hard is what Harden made durable.
type Hard struct {
	id, base string
	files    []string // of the loose objects
}

// Harden makes a commit durable with all that it leads to beyond a base ("" for all), before
// a ref is moved to it. ErrNotFound says that a part of it is not in the repository: what no
// ref holds yet a person's git may prune at any moment.
func (r *Repo) Harden(ctx context.Context, id, base string) (Hard, error) {
	h := Hard{id: id, base: base}
	if files, ok := r.newObjects(ctx, id, base); ok {
		var err error
		for i := 0; i < len(files) && err == nil; i++ {
			err = writeOut(files[i])
		}
		if h.files = files; err == nil {
			return h, h.sync()
		}
		if !errors.Is(err, fs.ErrNotExist) { // else it was packed or pruned meanwhile: git says which
			return h, fmt.Errorf("making %s durable: %w", short(id), err)
		}
		h.files = nil
	}
	args := []string{"rev-list", "--objects", "--no-object-names", "--missing=allow-promisor", id}
	if base != "" {
		args = append(args, "--not", base)
	}
	out, err := r.text(ctx, args...)
	if err != nil {
		whole, again := r.Whole(ctx, id, base)
		if again == nil && !whole {
			return h, fmt.Errorf("making %s durable: %w: a part of it is not here: %w", short(id), ErrNotFound, err)
		}
		return h, fmt.Errorf("making %s durable: %w", short(id), err)
	}
	for _, object := range strings.Fields(out) {
		file := r.looseFile(object)
		switch err := writeOut(file); {
		case err == nil:
			h.files = append(h.files, file)
		case !errors.Is(err, fs.ErrNotExist): // one that is not loose is in a pack, which git syncs
			return h, fmt.Errorf("making %s durable: %w", short(id), err)
		}
	}
	return h, h.sync()
}

// sync makes what was written out durable: one sync of a file makes the disk keep all of it.
func (h Hard) sync() error {
	for _, file := range h.files[max(0, len(h.files)-1):] {
		if err := errors.Join(syncPath(file), syncPath(filepath.Dir(file))); err != nil {
			return fmt.Errorf("making %s durable: %w", short(h.id), err)
		}
	}
	return nil
}

// Stands reports whether what was made durable is still there, after a ref was moved to it.
func (r *Repo) Stands(ctx context.Context, h Hard) (bool, error) {
	for _, file := range h.files {
		if _, err := os.Lstat(file); err != nil { // packed meanwhile, or pruned
			return r.Whole(ctx, h.id, h.base)
		}
	}
	return true, nil
}

// syncPath syncs a file or a folder.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
