package process

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Volume is what a folder stands on.
type Volume struct {
	Folder   string // the folder itself, or the nearest above it that is there
	Kind     string // of the file system: ext4, nfs; "" when the platform does not say
	Remote   bool   // other machines may write to it
	Free     int64  // bytes that this user may still write
	Writable bool   // this user may make files in Folder
}

// VolumeOf asks of a folder that need not be there yet.
func VolumeOf(dir string) (Volume, error) {
	for {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir || err == nil {
			return Volume{Folder: dir}, &os.PathError{Op: "opening the folder", Path: dir, Err: unix.ENOTDIR}
		}
		dir = parent
	}
	v := Volume{Folder: dir, Writable: unix.Access(dir, unix.W_OK|unix.X_OK) == nil}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return v, &os.PathError{Op: "asking for the file system of", Path: dir, Err: err}
	}
	v.Free = int64(st.Bavail) * int64(st.Bsize) //nolint:unconvert // the types differ between platforms
	v.Kind, v.Remote = volumeKind(&st)
	return v, nil
}
