package git

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// writeOut writes a file's data to the disk; the sync of another makes it durable. Where the
// file system cannot, the file itself is synced.
func writeOut(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	err = unix.SyncFileRange(int(f.Fd()), 0, 0, all)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ESPIPE) {
		err = f.Sync()
	}
	if err != nil {
		err = fmt.Errorf("syncing %s: %w", file, err)
	}
	return errors.Join(err, f.Close())
}
