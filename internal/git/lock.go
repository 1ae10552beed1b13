package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"

	"torve/internal/process"
)

// Lock waits for a lock of the repository by name, held until release or the process
// ends. A name may hold slashes, as a branch's does.
func (r *Repo) Lock(ctx context.Context, name string) (release func(), err error) {
	release, err = process.Lock(ctx, r.lockPath(name))
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", name, readOnly(err))
	}
	return release, nil
}

// TryLock is Lock that does not wait.
func (r *Repo) TryLock(name string) (release func(), held bool, err error) {
	release, held, err = process.TryLock(r.lockPath(name))
	if err != nil {
		return nil, false, fmt.Errorf("locking %s: %w", name, readOnly(err))
	}
	return release, held, nil
}

// Held reports whether somebody holds a lock of the repository, and takes none.
func (r *Repo) Held(name string) bool { return process.Held(r.lockPath(name)) }

// longest is how long a lock's file name may be before its end becomes a digest: file
// systems take 255 bytes.
const longest = 200

// lockPath is the file of a lock, the name escaped so that it is one file name.
func (r *Repo) lockPath(name string) string {
	file := url.QueryEscape(name)
	if len(file) > longest {
		sum := sha256.Sum256([]byte(name))
		file = file[:longest-2*len(sum)] + hex.EncodeToString(sum[:])
	}
	return filepath.Join(r.Common, "torve", "lock", file+".lock")
}
