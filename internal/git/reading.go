package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A ref that is one file or one line of packed-refs is read here, with no program started:
// it is asked at every step of a run. git writes both by renaming a whole file, and puts a
// ref into packed-refs before it takes the loose one away, so that they are read in that
// order. What is of another shape (a symbolic ref, another store of refs, a link) and what
// is not found is git's to answer.

// quickRef is the value of a ref by its full name; "" where git must be asked.
func (r *Repo) quickRef(name string) string {
	if !r.plainRefs() || !plainRef(name) {
		return ""
	}
	id, err := firstLine(filepath.Join(r.Common, filepath.FromSlash(name)))
	switch {
	case err == nil && r.idOf(id):
		return id
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return ""
	}
	return r.packedRef(name)
}

// plainRefs reports whether refs are files in this repository; asked once.
func (r *Repo) plainRefs() bool {
	r.lazily.mu.Lock()
	defer r.lazily.mu.Unlock()
	if r.lazily.plain == nil {
		_, err := os.Lstat(filepath.Join(r.Common, "reftable"))
		plain := errors.Is(err, fs.ErrNotExist)
		r.lazily.plain = &plain
	}
	return *r.lazily.plain
}

// plainRef reports whether a name is one of a ref that all worktrees share, and no way out
// of the folder.
func plainRef(name string) bool {
	shared := false
	for _, prefix := range []string{"refs/heads/", "refs/remotes/", "refs/tags/", "refs/torve/"} {
		shared = shared || strings.HasPrefix(name, prefix)
	}
	if !shared || strings.ContainsAny(name, "\x00\n\\:~^?*[ ") || strings.HasSuffix(name, ".lock") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.Contains(part, "..") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// idOf reports whether a text is an object id of this repository.
func (r *Repo) idOf(s string) bool { return isID(s) && len(s) == 2*r.idSize() }

// firstLine is the line that a small ordinary file holds, and nothing else.
func firstLine(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<12 {
		return "", nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text, one := strings.CutSuffix(string(data), "\n")
	if !one || strings.Contains(text, "\n") {
		return "", nil
	}
	return text, nil
}

// packedRef looks a name up in packed-refs; "" when it is not there.
func (r *Repo) packedRef(name string) string {
	data, err := os.ReadFile(filepath.Join(r.Common, "packed-refs"))
	if err != nil {
		return ""
	}
	for text := string(data); text != ""; {
		one, rest, _ := strings.Cut(text, "\n")
		if id, of, is := strings.Cut(one, " "); is && of == name && r.idOf(id) {
			return id
		}
		text = rest
	}
	return ""
}

// quickResolve resolves what needs no program: a plain ref, and an id with or without the
// word that it is a commit's. "" where git must be asked.
func (r *Repo) quickResolve(ctx context.Context, rev string) string {
	id, commit := strings.CutSuffix(rev, "^{commit}")
	if strings.HasPrefix(id, "refs/") {
		id = r.quickRef(id)
	}
	if !r.idOf(id) {
		return ""
	}
	kind, _, err := r.object(ctx, id)
	if err != nil || kind == "tag" || commit && kind != "commit" {
		return ""
	}
	return id
}

// quickHead is HEAD of a worktree: the branch ("" when detached) and its commit, "" where
// git must be asked.
func (r *Repo) quickHead(dir string) (branch, commit string) {
	admin := r.gitDir
	if dir != r.Dir {
		link, err := firstLine(filepath.Join(dir, ".git"))
		if admin, _ = strings.CutPrefix(link, "gitdir: "); err != nil || admin == link || !filepath.IsAbs(admin) || filepath.Dir(filepath.Dir(admin)) != r.Common {
			return "", ""
		}
	}
	head, err := firstLine(filepath.Join(admin, "HEAD"))
	if err != nil {
		return "", ""
	}
	if name, symbolic := strings.CutPrefix(head, "ref: refs/heads/"); symbolic {
		return name, r.quickRef("refs/heads/" + name)
	}
	if r.plainRefs() && r.idOf(head) {
		return "", head
	}
	return "", ""
}
