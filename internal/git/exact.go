package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"golang.org/x/sys/unix"
)

// An index says of each file how it stood when git last saw it equal to its blob. Where every
// file of a worktree still stands so and there is none beside, git has nothing to tell of it,
// and is not started. What is believed is an index that this process made and holds in its
// own memory, never one that somebody else could write; a file's time of change is nobody's
// to set back.

const (
	mostIndexed = 512 << 10 // bytes of an index that is held: some five thousand files
	mostRead    = 1 << 20   // bytes of a file that is read because its times do not tell
)

// held is an index that this process made, as it was written, and when.
type held struct {
	tree    string
	at      time.Time
	data    []byte
	files   map[string]*index.Entry
	folders map[string]bool
}

// hold reads an index of a tree; nil for one that only git reads rightly, or that is large.
func hold(data []byte, at time.Time, tree string) *held {
	if len(data) > mostIndexed {
		return nil
	}
	var idx index.Index
	if err := index.NewDecoder(bytes.NewReader(data)).Decode(&idx); err != nil {
		return nil
	}
	h := &held{tree: tree, at: at, data: data, files: map[string]*index.Entry{}, folders: map[string]bool{}}
	for _, e := range idx.Entries {
		if e.Stage != 0 || e.SkipWorktree || e.IntentToAdd || e.Mode == filemode.Submodule {
			return nil
		}
		h.files[e.Name] = e
		for at := path.Dir(e.Name); at != "." && !h.folders[at]; at = path.Dir(at) {
			h.folders[at] = true
		}
	}
	return h
}

// holdFile is hold of a file, as old as the file says.
func holdFile(file, tree string) *held {
	info, err := os.Stat(file)
	if err != nil || info.Size() > mostIndexed {
		return nil
	}
	data, err := whole(file)
	if err != nil {
		return nil
	}
	return hold(data, info.ModTime(), tree)
}

var errOther = errors.New("it is not as the index has it")

// exact reports whether the files at dir are those of the index, byte for byte, and no file
// and no folder stands there beside them but the link to the repository. No is no answer:
// git is to be asked.
func (h *held) exact(ctx context.Context, dir string) bool {
	if h == nil {
		return false
	}
	dir = real(dir)
	met := 0
	err := filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == dir {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(full, dir+string(filepath.Separator)))
		if d.IsDir() {
			if !h.folders[rel] {
				return errOther
			}
			return ctx.Err()
		}
		if rel == ".git" {
			return nil
		}
		if e := h.files[rel]; e == nil || !h.same(full, e) {
			return errOther
		}
		met++
		return nil
	})
	return err == nil && met == len(h.files)
}

// same reports whether a file is the one that git saw. One that was changed within the tick
// of the clock in which the index was written has the times that it had: it is read.
func (h *held) same(full string, e *index.Entry) bool {
	var st unix.Stat_t
	if unix.Lstat(full, &st) != nil || kindOf(uint32(st.Mode)) != e.Mode {
		return false
	}
	mtime, ctime := time.Unix(0, st.Mtim.Nano()), time.Unix(0, st.Ctim.Nano())
	if uint32(st.Size) != e.Size || uint32(st.Ino) != e.Inode || !mtime.Equal(e.ModifiedAt) || !ctime.Equal(e.CreatedAt) {
		return false
	}
	if mtime.Before(h.at) && ctime.Before(h.at) {
		return true
	}
	if e.Mode == filemode.Symlink || st.Size > mostRead {
		return false
	}
	data, err := whole(full)
	return err == nil && blobID(data) == e.Hash.String()
}

// kindOf is the mode of an entry for what stands in a folder.
func kindOf(mode uint32) filemode.FileMode {
	switch {
	case mode&unix.S_IFMT == unix.S_IFLNK:
		return filemode.Symlink
	case mode&unix.S_IFMT != unix.S_IFREG:
		return filemode.Empty
	case mode&0o100 != 0:
		return filemode.Executable
	}
	return filemode.Regular
}

// blobID is the id of a blob where ids are SHA-1.
func blobID(data []byte) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", len(data))
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil))
}

// own is the index of a worktree where it is byte for byte as this process made it.
func (r *Repo) own(admin string) *held {
	if r.indexOf(admin) == "" {
		return nil
	}
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	return r.lazily.memory.indexes[admin].held
}

// taken is what a snapshot of a worktree's files was last taken against, and the index that
// it was taken with.
type taken struct {
	base, except string
	held         *held
}

// lastTaken is the last snapshot of a worktree whose index is still the one that it began with.
func (r *Repo) lastTaken(admin string) taken {
	if r.indexOf(admin) == "" {
		return taken{}
	}
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	return r.lazily.memory.indexes[admin].taken
}

// noteTaken remembers it beside the index.
func (r *Repo) noteTaken(admin string, t taken) {
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	if k, there := r.lazily.memory.indexes[admin]; there {
		k.taken = t
		r.lazily.memory.indexes[admin] = k
	}
}

// forget drops what is remembered of a worktree that is gone.
func (r *Repo) forget(admin string) {
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	delete(r.lazily.memory.indexes, admin)
	maps.DeleteFunc(r.lazily.memory.admins, func(_, known string) bool { return known == admin })
}

// against lists the paths of other files than the index's own: those that are changed or
// gone, and those that it does not have. Both are sorted.
func (h *held) against(files *held) (changed, untracked []string) {
	if h == files {
		return nil, nil
	}
	for name, e := range h.files {
		if now := files.files[name]; now == nil || now.Hash != e.Hash || now.Mode != e.Mode {
			changed = append(changed, name)
		}
	}
	for name := range files.files {
		if h.files[name] == nil {
			untracked = append(untracked, name)
		}
	}
	slices.Sort(changed)
	slices.Sort(untracked)
	return changed, untracked
}

// edited is the tree of what git's add made of an index that was the base's, written without
// a program; false where git itself must say what it comes to, as for a repository inside or
// a file that is only stored otherwise.
func (s *scratch) edited(ctx context.Context, own *held) (string, bool) {
	now := holdFile(s.file, "")
	if now == nil {
		return "", false
	}
	var edits []Edit
	for name, e := range now.files {
		was := own.files[name]
		if was != nil && was.Hash == e.Hash && was.Mode == e.Mode {
			continue
		}
		if was != nil && was.Mode == e.Mode && e.Mode != filemode.Symlink {
			if same, err := s.repo.sameBytes(ctx, s.dir, name, was.Hash.String()); err != nil || same {
				return "", false
			}
		}
		edits = append(edits, Edit{Path: name, Mode: fmt.Sprintf("%o", uint32(e.Mode)), ID: e.Hash.String()})
	}
	for name := range own.files {
		if now.files[name] == nil {
			edits = append(edits, Edit{Path: name})
		}
	}
	tree, err := s.repo.EditTree(ctx, own.tree, edits...)
	return tree, err == nil
}
