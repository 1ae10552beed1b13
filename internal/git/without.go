package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Without is the id of a tree without one of its files, folders that it leaves empty
// gone with it. Nothing is written: it is what EditTree would make. ErrNotFound when
// the file is not there.
func (r *Repo) Without(ctx context.Context, tree, path string) (string, error) {
	id, err := r.without(ctx, tree, path)
	if err != nil {
		return "", fmt.Errorf("the tree %s without %s: %w", short(tree), path, err)
	}
	if id == "" {
		return r.treeID(nil), nil
	}
	return id, nil
}

// without is "" for a folder that is left empty.
func (r *Repo) without(ctx context.Context, tree, path string) (string, error) {
	kind, data, err := r.object(ctx, tree)
	if err != nil {
		return "", err
	}
	if kind != "tree" {
		return "", fmt.Errorf("it is a %s: %w", kind, ErrNotFound)
	}
	name, rest, deeper := strings.Cut(path, "/")
	from, to, id, err := entryIn(data, name, r.idSize())
	if err != nil {
		return "", err
	}
	var in []byte // what stands in its place
	if deeper {
		left, err := r.without(ctx, id, rest)
		if err != nil {
			return "", err
		}
		if left != "" {
			raw, err := hex.DecodeString(left)
			if err != nil {
				return "", err
			}
			in = append(bytes.Clone(data[from:to-r.idSize()]), raw...)
		}
	}
	if len(in) == 0 && to-from == len(data) {
		return "", nil
	}
	return r.treeID(data[:from], in, data[to:]), nil
}

// entryIn finds an entry in a tree's bytes: where it begins and ends, and its id.
func entryIn(data []byte, name string, size int) (from, to int, id string, err error) {
	for at := 0; at < len(data); {
		space := bytes.IndexByte(data[at:], ' ')
		end := bytes.IndexByte(data[at:], 0)
		if space < 0 || end < space || at+end+1+size > len(data) {
			return 0, 0, "", fmt.Errorf("reading a tree: %w", errMalformed)
		}
		next := at + end + 1 + size
		if string(data[at+space+1:at+end]) == name {
			return at, next, hex.EncodeToString(data[next-size : next]), nil
		}
		at = next
	}
	return 0, 0, "", ErrNotFound
}

// treeID is the id that a tree of these bytes has here.
func (r *Repo) treeID(parts ...[]byte) string {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	h := sha1.New()
	if r.idSize() == sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "tree %d\x00", size)
	for _, p := range parts {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
