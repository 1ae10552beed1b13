package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// copied copies a record and its write-ahead log into a folder and gives the copy's
// path. The file goes first: what a checkpoint moves into it meanwhile is in the log
// as well, and the log wins. That holds unless the log is begun anew, which its
// header's salts tell: then both are copied again. What a writer adds at the log's end
// meanwhile is in the copy or not, a transaction at a time, by the log's checksums.
func copied(ctx context.Context, dir, path string) (string, error) {
	place := filepath.Join(dir, "record.db")
	for try := range restless {
		before, err := walHeader(path)
		if err != nil {
			return "", err
		}
		for _, ext := range []string{"", "-wal"} {
			if err := copyFile(place+ext, path+ext); err != nil {
				return "", fmt.Errorf("copying it to be read: %w", err)
			}
		}
		mine, err := walHeader(place)
		if err != nil {
			return "", err
		}
		if after, err := walHeader(path); err == nil && bytes.Equal(before, after) && bytes.Equal(before, mine) {
			return place, nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(time.Duration(try) * time.Millisecond):
		}
	}
	return "", errRestless
}

// walHeader is the head of the log beside a record; shorter, or nil, when the log is.
func walHeader(path string) ([]byte, error) {
	f, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 32))
}

// copyFile copies over what is there. A file that is gone is not an error: the log
// goes with its last writer.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(to)
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
