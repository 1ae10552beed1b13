package git

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Bytes is a size as people read it: 0 B, 12.0 KiB, 1.3 GiB.
type Bytes int64

// String gives one decimal from a kibibyte on.
func (b Bytes) String() string {
	if b < 1<<10 {
		return fmt.Sprintf("%d B", int64(b))
	}
	size, unit := float64(b)/(1<<10), "KiB"
	for _, next := range []string{"MiB", "GiB", "TiB"} {
		if size < 1000 {
			break
		}
		size, unit = size/(1<<10), next
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

// Size is what a file, or a folder with all that is in it, takes on the disk. No link is
// followed; what may not be read is not counted, and what is not there takes nothing.
func Size(path string) Bytes {
	var sum Bytes
	_ = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		var st unix.Stat_t
		if unix.Lstat(name, &st) == nil && (err == nil || d != nil) {
			sum += Bytes(st.Blocks) * 512
		}
		return nil
	})
	return sum
}

// Quoted is a path as a shell takes it.
func Quoted(path string) string {
	if path != "" && strings.IndexFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./@%+,:", r))
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
