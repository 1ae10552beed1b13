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

// Part is one file of one tree.
type Part struct{ Tree, Path string }

// Taken is a file that was looked up, and what is left of its tree.
type Taken struct {
	ID      string // the file's; "" where the tree does not hold it, and nothing else is said
	Without string // the id of the tree without the file, folders that it leaves empty gone with it
}

// chunk is how many parts are looked up at once: what is above their folders is held in
// memory meanwhile.
const chunk = 1024

// TakeOut looks up a file in each of many trees, and says what each tree is without it.
// Nothing is written. Some programs answer for all of them, level by level.
func (r *Repo) TakeOut(ctx context.Context, parts []Part) ([]Taken, error) {
	out := make([]Taken, len(parts))
	for at := 0; at < len(parts); at += chunk {
		end := min(at+chunk, len(parts))
		if err := r.takeOut(ctx, parts[at:end], out[at:end]); err != nil {
			return nil, fmt.Errorf("looking up %d files: %w", len(parts), err)
		}
	}
	return out, nil
}

// level is a tree on the way to a file, around the entry that leads on.
type level struct{ before, entry, after []byte }

func (r *Repo) takeOut(ctx context.Context, parts []Part, out []Taken) error {
	ways := make([][]level, len(parts))
	trees := make([]string, len(parts)) // where each is now; "" when it has come to its end
	for n, p := range parts {
		trees[n] = p.Tree
	}
	for depth := 0; ; depth++ {
		var ids []string
		var of []int
		for n, id := range trees {
			if id != "" {
				ids, of = append(ids, id), append(of, n)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		at := 0
		err := r.eachObject(ctx, ids, "tree", func(_ string, data []byte) error {
			n := of[at]
			at++
			return r.step(parts[n].Path, depth, data, &ways[n], &trees[n], &out[n])
		})
		if err != nil {
			return err
		}
	}
}

// step goes one folder down; at the file itself it answers.
func (r *Repo) step(path string, depth int, data []byte, way *[]level, tree *string, out *Taken) error {
	names := strings.Split(path, "/")
	from, to, id, err := r.entryIn(data, names[depth])
	*tree = ""
	if err != nil || id == "" {
		return err
	}
	if depth+1 < len(names) {
		if bytes.HasPrefix(data[from:to], []byte(modeTree+" ")) {
			*tree = id
			*way = append(*way, level{bytes.Clone(data[:from]), bytes.Clone(data[from:to]), bytes.Clone(data[to:])})
		}
		return nil
	}
	out.ID = id
	left := ""
	if to-from < len(data) {
		left = r.treeID(data[:from], data[to:])
	}
	for n := len(*way) - 1; n >= 0; n-- {
		if left, err = r.above((*way)[n], left); err != nil {
			return err
		}
	}
	if left == "" {
		left = r.treeID()
	}
	out.Without = left
	return nil
}

// above is the id of a folder whose one entry became another; "" where it has none left.
func (r *Repo) above(l level, left string) (string, error) {
	if left == "" {
		if len(l.before)+len(l.after) == 0 {
			return "", nil
		}
		return r.treeID(l.before, l.after), nil
	}
	raw, err := hex.DecodeString(left)
	if err != nil {
		return "", err
	}
	return r.treeID(l.before, l.entry[:len(l.entry)-len(raw)], raw, l.after), nil
}

// entryIn finds an entry in a tree's bytes: where it begins and ends, and its id; "" when
// it is not there. A tree may be large, and is walked and not taken apart.
func (r *Repo) entryIn(data []byte, name string) (from, to int, id string, err error) {
	size := r.idSize()
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
	return 0, 0, "", nil
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
