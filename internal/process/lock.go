package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Lock waits for an exclusive lock on a file that dies with this process. The file and
// its folders are made when they are not there. It fails with the context's cause.
func Lock(ctx context.Context, path string) (release func(), err error) {
	pause := time.Millisecond
	for {
		release, held, err := TryLock(path)
		if err != nil || held {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the lock %s: %w", path, context.Cause(ctx))
		case <-time.After(pause):
			pause = min(2*pause, 50*time.Millisecond)
		}
	}
}

// TryLock is Lock that does not wait; held is false when another has it.
func TryLock(path string) (release func(), held bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, false, fmt.Errorf("making the lock's folder: %w", err)
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) // close-on-exec: no program that is started inherits it
		if err != nil {
			return nil, false, fmt.Errorf("opening the lock: %w", err)
		}
		held, err := flock(f)
		if err != nil || !held {
			_ = f.Close()
			return nil, false, err
		}
		if current(f, path) {
			return sync.OnceFunc(func() { _ = f.Close() }), true, nil
		}
		_ = f.Close() // somebody swept the file away meanwhile: that lock holds nobody off
	}
}

func flock(f *os.File) (held bool, err error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, fmt.Errorf("locking %s: %w", f.Name(), err)
		}
	}
}

// current reports whether the path still names the file that is open.
func current(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(open, there)
}

// Held reports whether somebody has the lock; it makes no file, and what cannot be
// looked at is not held.
func Held(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	got, err := flock(f)
	return err == nil && !got
}
