package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Plain makes a worktree one that git can read to its end: a named pipe that stands for a
// .gitignore would be waited on for ever, and a file that its owner may not read stops
// every other. Pipes, sockets and devices, which hold nothing and which no tree can hold,
// are removed; files and folders are opened to their owner. It gives the paths that it
// removed, and those whose names no tree may have or that are too long for any program,
// which stay. No link is followed. It is
// for what AddWorktree made, once nothing runs there.
//
// (Folders deeper than a path can be long can be made, a step at a time.)
func Plain(ctx context.Context, dir string) (removed, unfit []string, err error) {
	n := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if n++; n%1000 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel := strings.TrimPrefix(path, dir+string(filepath.Separator))
		link := d != nil && d.Type()&os.ModeSymlink != 0
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.Name() != ".git" && path != dir && !holdable(d.Name()), link && strings.EqualFold(d.Name(), ".gitmodules"),
			len(path) > longestPath:
			unfit = append(unfit, rel)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return open(path, d, 0o700)
		case d.Type().IsRegular():
			return open(path, d, 0o400)
		case link:
			return nil
		}
		removed = append(removed, rel)
		return os.Remove(path)
	})
	if err != nil {
		return removed, unfit, fmt.Errorf("making %s fit to be read: %w", dir, err)
	}
	return removed, unfit, nil
}

// longestPath leaves room, below the 4096 bytes that a system takes, for a file's name and
// for the place where what is too long is set aside.
const longestPath = 3800

// open gives the owner what is missing. WalkDir asks here before it reads a folder.
func open(path string, d fs.DirEntry, need fs.FileMode) error {
	info, err := d.Info()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode()&need == need {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()|need)
}

// regular reads a file that may be anything: what is none, or leads to none, is an
// error and not waited for. The caller closes it.
func regular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, errNoFile)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// brief reads a file that is mostly one short line, in as few steps as there may be: there are
// many of them, and they are read again and again. It waits for none, whatever it is.
func brief(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var room [512]byte
	n, err := unix.Read(fd, room[:])
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Read(fd, room[:])
	}
	switch {
	case err != nil:
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	case n == len(room):
		return whole(path)
	}
	return slices.Clone(room[:n]), nil
}

// errNoFile is returned for a pipe, a device or a folder where a file should be.
var errNoFile = errors.New("it is no file")

const noFile = "no file"

// digest is a file's mode and the digest of its content; of what is no file it says so.
func digest(path string) (string, error) {
	f, err := regular(path)
	if errors.Is(err, errNoFile) || errors.Is(err, unix.ENXIO) {
		return noFile, nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return info.Mode().Perm().String() + " " + hex.EncodeToString(sum.Sum(nil)), nil
}

// Unblock moves a pipe, a socket or a device out of a place in the common git dir where
// git reads a file, under a name that git does not read: every git would wait for it for
// ever, ours and the person's. It says what it moved.
func (r *Repo) Unblock() ([]string, error) {
	var said []string
	for _, name := range obeyed {
		path := filepath.Join(r.Common, name)
		info, err := os.Lstat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return said, fmt.Errorf("looking at %s: %w", name, err)
		}
		if m := info.Mode(); m.IsRegular() || m.IsDir() || m&os.ModeSymlink != 0 {
			continue
		}
		to := free(path + ".no-file")
		if err := os.Rename(path, to); err != nil {
			return said, fmt.Errorf("moving %s, which is no file: %w", name, readOnly(err))
		}
		said = append(said, fmt.Sprintf("%s was added and is no file: it is moved to %s", name, to))
	}
	return said, nil
}

// free is a name that nothing has.
func free(path string) string {
	name := path
	for n := 2; there(name); n++ {
		name = fmt.Sprintf("%s.%d", path, n)
	}
	return name
}
