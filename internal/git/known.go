package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// What this process has read of a repository and what stands still since is not read again:
// each program of git's costs some milliseconds, and an attempt asked the same many times.

// memory is what is remembered of a repository; the lock is lazily's.
type memory struct {
	config  *knownConfig
	indexes map[string]knownIndex // by the worktree's own git dir
	admins  map[string]string     // the registrations that were found: root → folder
	seen    *seen                 // the main work tree, as git last said that it stands
	asked   bool                  // git was asked how that stands: who asks once more will ask again
	vast    bool                  // it holds so many names that git is asked each time
}

// knownConfig is what git said is configured, and the files that it read for it and those
// that it would read, as they stood.
type knownConfig struct {
	listed []string // scope, then key and value
	files  map[string]stamp
	mu     sync.Mutex
	person Person   // who commits here; zero while nobody asked
	env    []string // git's environment when that was asked, which outranks the configuration
}

// identity is who commits here as long as the configuration stands and the environment is the
// same, noted where it is given.
func (k *knownConfig) identity(p *Person) Person {
	env := environ()
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case p != nil:
		k.person, k.env = *p, env
	case !slices.Equal(k.env, env):
		return Person{}
	}
	return k.person
}

// stamp is all that tells that a file is the one that was read: its time of change cannot
// be set back by who writes to it. The zero one is of a file that is not there.
type stamp struct {
	dev, ino     uint64
	size         int64
	mtime, ctime int64 // nanoseconds
}

func stampOf(path string) (stamp, bool) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return stamp{}, true
	}
	if err != nil {
		return stamp{}, false
	}
	return stamp{uint64(st.Dev), st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano()}, true
}

// settled is how old a change must be for its time to tell it from one that comes now: as the
// coarsest of file systems count, and where a time shows that it is counted in less than a
// thousandth of a second, some ticks of the kernel's clock.
const (
	settled     = 2 * time.Second
	settledFine = 100 * time.Millisecond
)

// settledBy reports whether a change from then on would show another time.
func (s stamp) settledBy(then time.Time) bool {
	age := settled
	if s.ctime%int64(time.Millisecond) != 0 {
		age = settledFine
	}
	return s.ctime < then.Add(-age).UnixNano()
}

// configList is what is configured here, scope and then key and value, our own settings too.
// While the files of configuration stand as they stood it is not asked again; where one
// brings in another it always is.
func (r *Repo) configList(ctx context.Context) ([]string, error) {
	k, err := r.configuration(ctx)
	if err != nil {
		return nil, err
	}
	return k.listed, nil
}

func (r *Repo) configuration(ctx context.Context) (*knownConfig, error) {
	if k := r.knownConfiguration(); k != nil {
		return k, nil
	}
	asked := time.Now()
	out, _, err := r.git(ctx, call{args: []string{"config", "--list", "-z", "--show-scope", "--show-origin"}})
	if err != nil {
		return nil, err
	}
	k := &knownConfig{files: map[string]stamp{}}
	lasts := true
	for all := fields(out); len(all) >= 3; all = all[3:] {
		k.listed = append(k.listed, all[0], all[2])
		lasts = lasts && k.reads(r.Dir, all[1], all[2])
	}
	for _, path := range r.configPaths() {
		lasts = lasts && k.notes(path)
	}
	for _, s := range k.files {
		lasts = lasts && s.settledBy(asked)
	}
	if !lasts {
		k.files = nil
	}
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	r.lazily.memory.config = k
	return k, nil
}

// knownConfiguration is what git said last, as long as it stands; else nil.
func (r *Repo) knownConfiguration() *knownConfig {
	r.lazily.mu.Lock()
	k := r.lazily.memory.config
	r.lazily.mu.Unlock()
	if k == nil || !k.stands() {
		return nil
	}
	return k
}

// stands reports whether every file is as it was.
func (k *knownConfig) stands() bool {
	for path, was := range k.files {
		if now, ok := stampOf(path); !ok || now != was {
			return false
		}
	}
	return len(k.files) > 0
}

// reads notes where an entry comes from; false where that cannot be watched.
func (k *knownConfig) reads(dir, origin, entry string) bool {
	key, _, _ := strings.Cut(strings.ToLower(entry), "\n")
	path, file := strings.CutPrefix(origin, "file:")
	switch {
	case strings.HasPrefix(key, "include.") || strings.HasPrefix(key, "includeif."):
		return false
	case strings.HasPrefix(origin, "command line:"):
		return true
	case !file:
		return false
	case !filepath.IsAbs(path):
		path = filepath.Join(dir, path)
	}
	return k.notes(path)
}

func (k *knownConfig) notes(path string) bool {
	s, ok := stampOf(path)
	k.files[path] = s
	return ok
}

// configPaths are the places that git reads configuration from, whether or not there is any.
func (r *Repo) configPaths() []string {
	home, xdg := os.Getenv("HOME"), os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" {
		xdg = filepath.Join(home, ".config")
	}
	paths := []string{
		"/etc/gitconfig", filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"),
		filepath.Join(r.Common, "config"), filepath.Join(r.Common, "config.worktree"), filepath.Join(r.gitDir, "config.worktree"),
	}
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if path := os.Getenv(name); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// knownIndex is an index as this process made it: its digest, and the tree that it is of.
type knownIndex struct {
	sum   [sha256.Size]byte
	tree  string
	held  *held // nil where only git reads it rightly
	taken taken
}

// remember notes that the index of a worktree was just made, of a tree and with no mark on
// any path, at a time; the zero one is that of the file.
func (r *Repo) remember(admin, tree string, at time.Time) {
	file := filepath.Join(admin, "index")
	info, err := os.Stat(file)
	if err != nil || sparseAt(r.Common, admin) {
		return
	}
	data, err := whole(file)
	if err != nil {
		return
	}
	if at.IsZero() {
		at = info.ModTime()
	}
	k := knownIndex{sum: sha256.Sum256(data), tree: tree}
	if r.format == "sha1" {
		k.held = hold(data, at, tree)
	}
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	if r.lazily.memory.indexes == nil {
		r.lazily.memory.indexes = map[string]knownIndex{}
	}
	r.lazily.memory.indexes[admin] = k
}

// rememberIndex is remember of what a revision holds, where no path of it was marked.
func (r *Repo) rememberIndex(ctx context.Context, admin, rev string, at time.Time, plain bool) error {
	if !plain {
		return nil
	}
	tree, err := r.TreeID(ctx, rev)
	if err != nil {
		return err
	}
	r.remember(admin, tree, at)
	return nil
}

// indexOf is the tree that the index of a worktree is of, where it is byte for byte as this
// process made it; "" where it is not.
func (r *Repo) indexOf(admin string) string {
	r.lazily.mu.Lock()
	k, there := r.lazily.memory.indexes[admin]
	r.lazily.mu.Unlock()
	if !there {
		return ""
	}
	data, err := whole(filepath.Join(admin, "index"))
	if sum := sha256.Sum256(data); err != nil || !bytes.Equal(sum[:], k.sum[:]) {
		return ""
	}
	return k.tree
}

// whole reads a file that is one.
func whole(path string) ([]byte, error) {
	f, err := regular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// sparseAt reports whether the checkout of a worktree is sparse, or may be.
func sparseAt(common, admin string) bool {
	cfg, err := configFiles(filepath.Join(common, "config"), filepath.Join(admin, "config.worktree"))
	return err != nil || truthy(cfg.Section("core").Option("sparseCheckout"))
}
