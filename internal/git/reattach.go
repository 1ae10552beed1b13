package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"torve/internal/failpoint"
)

// Reattach puts a worktree's bond to the repository back as AddWorktree made it, where
// whoever worked there took it away or changed it, so that its files can be taken: the
// folder itself, its .git file (link is what that said), and in its git dir what names
// the repository, the worktree and a HEAD, commit where there is none that reads. What
// stood in a place that it needs goes into the folder aside. It says what it found.
func (r *Repo) Reattach(ctx context.Context, dir, link, commit, aside string) ([]string, error) {
	b := bond{repo: r, dir: dir, link: link, commit: commit, aside: aside}
	if err := b.mend(ctx); err != nil {
		return b.found, fmt.Errorf("putting the worktree %s back: %w", dir, err)
	}
	return b.found, nil
}

// LinkOf is what the .git file of a worktree says by the repository's own registration;
// where that is gone, what it may say when it is made anew.
func (r *Repo) LinkOf(dir string) (link string, registered bool, err error) {
	admin, err := r.adminOf(dir)
	if err != nil || admin != "" {
		return "gitdir: " + admin + "\n", admin != "", err
	}
	name := filepath.Join(r.Common, "worktrees", filepath.Base(dir))
	for n := 1; ; n++ {
		admin = name
		if n > 1 {
			admin = fmt.Sprintf("%s%d", name, n)
		}
		if _, err := os.Lstat(admin); errors.Is(err, os.ErrNotExist) {
			return "gitdir: " + admin + "\n", false, nil
		} else if err != nil {
			return "", false, err
		}
	}
}

const gone = "the worktree is gone"

// bond is what ties a folder to the repository, while it is mended.
type bond struct {
	repo                     *Repo
	dir, link, commit, aside string
	found                    []string
}

func (b *bond) mend(ctx context.Context) error {
	admin, err := b.admin()
	if err != nil {
		return err
	}
	if err := b.folder(); err != nil {
		return err
	}
	if err := b.pointer(); err != nil {
		return err
	}
	return b.registration(ctx, admin)
}

// admin is the git dir that the link names, which must be one of this repository's.
func (b *bond) admin() (string, error) {
	path, ok := strings.CutPrefix(line(b.link), "gitdir: ")
	if !ok || real(filepath.Dir(path)) != real(filepath.Join(b.repo.Common, "worktrees")) {
		return "", fmt.Errorf("%q names no worktree of this repository: %w", line(b.link), ErrNotFound)
	}
	path = filepath.Clean(path)
	if other := worktreeOf(path); other != "" && real(other) != real(b.dir) && says(filepath.Join(other, ".git"), b.link) {
		return "", fmt.Errorf("%q is the worktree %s: %w", line(b.link), other, ErrNotFound)
	}
	return path, nil
}

// registration makes the git dir whole, under the lock of the worktrees' administration.
func (b *bond) registration(ctx context.Context, admin string) error {
	release, err := b.repo.Lock(ctx, "worktree")
	if err != nil {
		return err
	}
	defer release()
	anew := false
	if info, err := os.Lstat(admin); err != nil || !info.IsDir() {
		anew = true
		b.found = append(b.found, "the worktree's registration is gone")
		if err := errors.Join(os.RemoveAll(admin), os.MkdirAll(admin, 0o755)); err != nil {
			return err
		}
	}
	removed, _, err := Plain(ctx, admin)
	if err != nil {
		return err
	}
	for _, name := range removed {
		b.found = append(b.found, "the worktree's "+name+" was no file")
	}
	const moved = "the worktree's registration is not the one that was made"
	for _, f := range []struct {
		name, text, found string
		holds             func(path string) bool
	}{
		{"commondir", "../..\n", moved, func(path string) bool { return says(path, "../..\n") }},
		{"gitdir", filepath.Join(b.dir, ".git") + "\n", moved, func(string) bool { return real(worktreeOf(admin)) == real(b.dir) }},
		{"HEAD", b.commit + "\n", "the worktree's HEAD does not read", readsAsHead},
	} {
		path := filepath.Join(admin, f.name)
		if f.holds(path) {
			continue
		}
		if !anew {
			b.found = append(b.found, f.found)
		}
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, []byte(f.text), 0o644)); err != nil {
			return err
		}
		failpoint.Hit(failpoint.RegistrationMended)
	}
	return b.index(ctx, admin)
}

// index takes away an index that does not read: it holds nothing that the files do not,
// and while it is there no git says how they stand.
func (b *bond) index(ctx context.Context, admin string) error {
	if b.repo.indexOf(admin) != "" {
		return nil // it is as we made it
	}
	_, _, err := b.repo.git(ctx, call{dir: b.dir, env: bound(admin, b.dir), args: []string{"ls-files", "--", ".git"}})
	var fault *Fault
	if errors.As(err, &fault) {
		return os.RemoveAll(filepath.Join(admin, "index"))
	}
	return err
}

// folder asks that the worktree is a folder, and no link to one.
func (b *bond) folder() error {
	info, err := os.Lstat(b.dir)
	if err == nil && info.IsDir() {
		return nil
	}
	b.found = append(b.found, gone)
	if err := b.setAside(b.dir); err != nil {
		return err
	}
	return os.MkdirAll(b.dir, 0o755)
}

// pointer asks that the worktree's .git file is the one that was made.
func (b *bond) pointer() error {
	path := filepath.Join(b.dir, ".git")
	if says(path, b.link) {
		return nil
	}
	if !slices.Contains(b.found, gone) {
		b.found = append(b.found, "the worktree's .git is not the one that was made")
	}
	if err := b.setAside(path); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.link), 0o644)
}

// says reports whether a path is a file with just that text.
func says(path, text string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && string(data) == text
}

// setAside moves what stands at a path out of the way; nothing there is no error.
func (b *bond) setAside(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := os.MkdirAll(b.aside, 0o700); err != nil {
		return err
	}
	for n := 1; ; n++ {
		to := filepath.Join(b.aside, fmt.Sprintf("%d-%s", n, filepath.Base(path)))
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			return os.Rename(path, to)
		} else if err != nil {
			return err
		}
	}
}

// readsAsHead reports whether a file is a HEAD as git takes one: a branch's name, or a
// commit's id.
func readsAsHead(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	text := strings.TrimRight(string(data), " \t\r\n")
	name, symbolic := strings.CutPrefix(text, "ref:")
	return isID(text) || symbolic && strings.HasPrefix(strings.TrimSpace(name), "refs/") && !strings.ContainsAny(strings.TrimSpace(name), " \n\x00")
}
