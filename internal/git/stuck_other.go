//go:build !linux

package git

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// immutable is asked of Linux alone.
func immutable(string) bool { return false }

// mountPoint is a folder in another whose device is another; "" when there is none.
func mountPoint(dir string) string {
	var top unix.Stat_t
	if unix.Lstat(dir, &top) != nil {
		return ""
	}
	found := ""
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		var st unix.Stat_t
		if d != nil && d.IsDir() && unix.Lstat(path, &st) == nil && st.Dev != top.Dev {
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found
}
