package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The main work tree is looked at before and after all that nobody vouches for, and mostly
// nobody has been there. What git said of it stands as long as all stands that git read for
// it: the index, HEAD, the configuration, each tracked file and each that says what is
// ignored, and the names of all others.

// mostSeen is how many names are looked at before git is asked and not watched any more.
const mostSeen = 5000

// seen is what git said of a work tree, and how that stood.
type seen struct {
	sum    [sha256.Size]byte
	recent map[string][sha256.Size]byte // files whose times do not tell yet: their bytes
	status Status
}

// look reads a work tree as far as git's status of it does.
type look struct {
	dir    string
	index  *held
	sum    hash.Hash
	recent map[string][sha256.Size]byte
	since  int64 // a change later than that may have the time of another
	names  int
}

var (
	errUnwatched = errors.New("only git can say how it stands")
	errVast      = errors.New("it holds too many names to be watched")
)

// lookAt gives what stands at dir, without a status; false where only git can say.
func (r *Repo) lookAt(ctx context.Context, admin, dir string) (seen, bool) {
	_, head := r.quickHead(dir)
	k := r.knownConfiguration()
	if head == "" || k == nil || r.format != "sha1" {
		return seen{}, false
	}
	l := look{
		dir: dir, index: holdFile(filepath.Join(admin, "index"), ""), sum: sha256.New(),
		recent: map[string][sha256.Size]byte{}, since: time.Now().Add(-settled).UnixNano(),
	}
	if l.index == nil {
		return seen{}, false
	}
	fmt.Fprintf(l.sum, "%s %x %q\n", head, sha256.Sum256(l.index.data), k.listed)
	for _, file := range r.ignoring(k.listed) {
		if !l.file(real(file), file) {
			return seen{}, false
		}
	}
	err := filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == dir {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return l.entry(full, filepath.ToSlash(strings.TrimPrefix(full, dir+string(filepath.Separator))), d)
	})
	if errors.Is(err, errVast) {
		r.lazily.mu.Lock()
		defer r.lazily.mu.Unlock()
		r.lazily.memory.vast = true
	}
	if err != nil {
		return seen{}, false
	}
	s := seen{recent: l.recent}
	l.sum.Sum(s.sum[:0])
	return s, true
}

// ignoring are the files outside a work tree that say what is ignored there, and what
// attributes files have.
func (r *Repo) ignoring(listed []string) []string {
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(os.Getenv("HOME"), ".config")
	}
	files := []string{
		filepath.Join(r.Common, "info", "exclude"), filepath.Join(r.Common, "info", "attributes"),
		filepath.Join(config, "git", "ignore"), filepath.Join(config, "git", "attributes"),
	}
	for i := 0; i+1 < len(listed); i += 2 {
		key, value, _ := strings.Cut(listed[i+1], "\n")
		if !strings.EqualFold(key, "core.excludesFile") && !strings.EqualFold(key, "core.attributesFile") {
			continue
		}
		if home, in := strings.CutPrefix(value, "~/"); in {
			value = filepath.Join(os.Getenv("HOME"), home)
		}
		if !filepath.IsAbs(value) {
			value = filepath.Join(r.Main, value)
		}
		files = append(files, value)
	}
	return files
}

// entry enters one name.
func (l *look) entry(full, rel string, d fs.DirEntry) error {
	if l.names++; l.names > mostSeen {
		return errVast
	}
	fmt.Fprintf(l.sum, "%q %s\n", rel, d.Type())
	switch {
	case rel == ".git" && d.IsDir():
		return fs.SkipDir
	case rel == ".git":
		return nil
	case d.Name() == ".git":
		return errUnwatched // a repository inside
	case d.IsDir() && !l.index.folders[rel] && hidesAll(full):
		return fs.SkipDir
	case d.IsDir():
		return nil
	}
	if l.index.files[rel] == nil && d.Name() != ".gitignore" && d.Name() != ".gitattributes" {
		return nil
	}
	if !l.file(full, rel) {
		return errUnwatched
	}
	return nil
}

// hidesAll reports whether a folder ignores all that is in it, and itself with it.
func hidesAll(folder string) bool {
	data, err := whole(filepath.Join(folder, ".gitignore"))
	return err == nil && string(data) == "*\n"
}

// file enters how a file stands; false where that cannot be said.
func (l *look) file(full, name string) bool {
	var st unix.Stat_t
	err := unix.Lstat(full, &st)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		fmt.Fprintf(l.sum, "%q is not there\n", name)
		return true
	}
	if err != nil {
		return false
	}
	fmt.Fprintf(l.sum, "%q %d %d %d %o %d %d\n", name, st.Dev, st.Ino, st.Size, st.Mode, st.Mtim.Nano(), st.Ctim.Nano())
	if st.Ctim.Nano() < l.since {
		return true
	}
	sum, ok := bytesOf(full, int64(st.Size))
	l.recent[full] = sum
	return ok
}

// bytesOf is the digest of a file's bytes, which are not many.
func bytesOf(full string, size int64) (sum [sha256.Size]byte, ok bool) {
	if size > mostRead {
		return sum, false
	}
	if info, err := os.Lstat(full); err != nil || !info.Mode().IsRegular() {
		return sum, false
	}
	data, err := whole(full)
	return sha256.Sum256(data), err == nil
}

// stands reports whether what was seen is what stands there now.
func (s seen) stands(now seen) bool {
	if s.sum != now.sum {
		return false
	}
	for file, was := range s.recent {
		if is, ok := bytesOf(file, 0); !ok || is != was {
			return false
		}
	}
	return true
}

// watched asks for a status where what was said of dir does not stand any more.
func (r *Repo) watched(ctx context.Context, admin, dir string, ask func() (Status, error)) (Status, error) {
	r.lazily.mu.Lock()
	last, watch := r.lazily.memory.seen, r.lazily.memory.asked && !r.lazily.memory.vast
	r.lazily.memory.asked = true
	r.lazily.mu.Unlock()
	if !watch {
		return ask()
	}
	now, ok := r.lookAt(ctx, admin, dir)
	if ok && last != nil && last.stands(now) {
		return last.status, nil
	}
	status, err := ask()
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	r.lazily.memory.seen = nil
	if ok && err == nil {
		now.status = status
		r.lazily.memory.seen = &now
	}
	return status, err
}
