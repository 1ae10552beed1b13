package git

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// refFiles are all refs as their files say, each with its id; false where there is anything
// that only git can say rightly: another format, a name or a content that is odd.
func (r *Repo) refFiles() (map[string]string, bool) {
	if !r.plainRefs() || r.ownRefs() {
		return nil, false
	}
	refs, links := map[string]string{}, map[string]string{}
	root := filepath.Join(r.Common, "refs")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist): // it went while it was looked for
			return nil
		case err != nil:
			return err
		case e.IsDir():
			return nil
		case strings.HasSuffix(path, ".lock"):
			return nil
		case !e.Type().IsRegular():
			return errOddRef
		}
		rel, err := filepath.Rel(r.Common, path)
		if err != nil {
			return err
		}
		return readRef(path, filepath.ToSlash(rel), refs, links)
	})
	if err == nil { // after the loose ones: what is packed meanwhile is in one of both
		err = r.packedRefs(refs, links)
	}
	if err != nil {
		return nil, false
	}
	for name, to := range links {
		if id := refs[to]; id != "" {
			refs[name] = id
		} else if links[to] != "" {
			return nil, false
		}
	}
	return refs, true
}

// ownRefs reports whether there are refs that belong to one worktree alone.
func (r *Repo) ownRefs() bool {
	for _, own := range []string{"bisect", "worktree", "rewritten"} {
		if there(filepath.Join(r.Common, "refs", own)) || there(filepath.Join(r.gitDir, "refs", own)) {
			return true
		}
	}
	return false
}

var errOddRef = errors.New("a ref that git has to read")

// readRef enters one ref that stands in a file of its own.
func readRef(path, name string, refs, links map[string]string) error {
	data, err := brief(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, ended := strings.CutSuffix(string(data), "\n")
	to, link := strings.CutPrefix(text, "ref: ")
	switch {
	case !ended || !plainName(name):
		return errOddRef
	case link && plainName(to):
		links[name] = to
	case isID(text) && strings.Trim(text, "0") != "":
		refs[name] = text
	default:
		return errOddRef
	}
	return nil
}

// packedRefs enters the packed refs that no file of their own overrules.
func (r *Repo) packedRefs(refs, links map[string]string) error {
	f, err := regular(filepath.Join(r.Common, "packed-refs"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	for l := range bytes.Lines(data) {
		text := line(string(l))
		if text == "" || text[0] == '#' || text[0] == '^' {
			continue
		}
		id, name, ok := strings.Cut(text, " ")
		if !ok || !isID(id) || !plainName(name) {
			return errOddRef
		}
		if refs[name] == "" && links[name] == "" {
			refs[name] = id
		}
	}
	return nil
}

// plainName reports whether a ref has a name that git takes without a word.
func plainName(name string) bool {
	if !strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "@" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune(`~^:?*[\`, c) })
}
