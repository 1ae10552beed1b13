package git

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// immutable reports whether a file or folder may not be changed even by its owner.
func immutable(path string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &st)
	return err == nil && st.Attributes&(unix.STATX_ATTR_IMMUTABLE|unix.STATX_ATTR_APPEND) != 0
}

// mountPoint is a place at a folder or in it where something is mounted; "" when there is
// none. A bind mount has the device of what it shows, so that only the kernel's list tells.
func mountPoint(dir string) string {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	dir = filepath.Join(real(filepath.Dir(dir)), filepath.Base(dir)) // a link is removed, not followed
	for l := range strings.Lines(string(table)) {
		if f := strings.Fields(l); len(f) > 4 {
			if at := unescaped(f[4]); under(at, dir) {
				return at
			}
		}
	}
	return ""
}

// unescaped is a path of that list: blanks and the like are written as \040.
func unescaped(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '\\' && i+3 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
