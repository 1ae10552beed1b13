package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Stuck is a folder that could not be removed: what in it stays, and why.
type Stuck struct {
	Dir   string
	Path  string // the first thing that stays, Dir itself or in it
	Why   string // in one sentence, without the path
	Mend  string // the command that frees it; "" where none is known
	Left  Bytes  // what is still there
	Begun bool   // part of it is gone already
	err   error
}

// Error names what stays, how much is left, and why.
func (s *Stuck) Error() string {
	text := fmt.Sprintf("%s cannot be removed, %s are left: %s", s.Path, s.Left, s.Why)
	if s.Mend != "" {
		text += "; " + s.Mend
	}
	return text
}

// Unwrap is what the system said; nil where it was not asked to remove anything.
func (s *Stuck) Unwrap() error { return s.err }

// RemoveTree removes a folder with all that is in it; one that is not there is no error.
// No link is followed, and where something is mounted in it nothing is removed at all:
// that belongs elsewhere. Folders that their owner may not write to, as caches hold them,
// are opened first. What stays is a *Stuck.
func RemoveTree(dir string) error {
	if s := mountedIn(dir); s != nil {
		return s
	}
	err := os.RemoveAll(dir)
	if errors.Is(err, os.ErrPermission) {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
		err = os.RemoveAll(dir)
	}
	if err == nil {
		return nil
	}
	s := stuckBy(dir, err)
	s.Left, s.Begun = Size(dir), true
	return s
}

// mountedIn refuses a folder that is a mount, or that holds one; nil when none does.
func mountedIn(dir string) *Stuck {
	at := mountPoint(dir)
	if at == "" {
		return nil
	}
	return &Stuck{Dir: dir, Path: at, Why: "something is mounted there", Mend: asRoot() + "umount " + Quoted(at), Left: Size(dir)}
}

// stuckBy puts the system's refusal in words.
func stuckBy(dir string, err error) *Stuck {
	s := &Stuck{Dir: dir, Path: dir, Why: err.Error(), err: err}
	var at *fs.PathError
	if !errors.As(err, &at) {
		return s
	}
	s.Path, s.Why = at.Path, at.Err.Error()
	parent := filepath.Dir(s.Path)
	switch {
	case errors.Is(err, unix.EROFS):
		s.Why = "its file system is read-only"
	case errors.Is(err, unix.EBUSY):
		s.Why, s.Mend = "something is mounted there, or it is in use", asRoot()+"umount "+Quoted(s.Path)
	case errors.Is(err, unix.ENOTEMPTY):
		s.Why = "something was written into it meanwhile"
	case errors.Is(err, os.ErrPermission) && immutable(s.Path):
		s.fixed(s.Path)
	case errors.Is(err, os.ErrPermission) && immutable(parent):
		s.fixed(parent)
	case errors.Is(err, os.ErrPermission):
		s.belongs(parent)
	}
	return s
}

func (s *Stuck) fixed(path string) {
	s.Path, s.Why, s.Mend = path, "it is immutable", asRoot()+"chattr -R -i -a "+Quoted(s.Dir)
}

func (s *Stuck) belongs(folder string) {
	s.Why = "permission denied"
	if uid, ok := owner(folder); ok && uid != os.Getuid() {
		s.Why = "permission denied: its folder belongs to " + userName(uid)
		s.Mend = fmt.Sprintf("%schown -R %d %s", asRoot(), os.Getuid(), Quoted(s.Dir))
	}
}

// Hindered says what would keep a folder from being removed, and changes nothing; nil
// when nothing is found.
func Hindered(dir string) *Stuck {
	if s := mountedIn(dir); s != nil {
		return s
	}
	var s *Stuck
	root := os.Geteuid() == 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case immutable(path):
			s = &Stuck{Dir: dir}
			s.fixed(path)
		case root:
			return nil
		case err != nil || d.IsDir() && foreign(path):
			s = &Stuck{Dir: dir, Path: path}
			s.belongs(path)
		default:
			return nil
		}
		return fs.SkipAll
	})
	if s != nil {
		s.Left = Size(dir)
	}
	return s
}

// foreign reports whether a folder is another's and may not be written to.
func foreign(folder string) bool {
	uid, ok := owner(folder)
	return ok && uid != os.Getuid() && unix.Access(folder, unix.W_OK) != nil
}

func owner(path string) (uid int, ok bool) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return 0, false
	}
	return int(st.Uid), true
}

func userName(uid int) string {
	if uid == 0 {
		return "root"
	}
	return "user " + strconv.Itoa(uid)
}

// asRoot begins a command that only root may give.
func asRoot() string {
	if os.Geteuid() == 0 {
		return ""
	}
	return "sudo "
}
