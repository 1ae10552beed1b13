package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The bytes of trees and commits, as git defines them. go-git reads them only where
// object ids are SHA-1, so they are read here, for both kinds of id.

// modes of tree entries.
const (
	modeTree    = "40000"
	modeFile    = "100644"
	modeExec    = "100755"
	modeSymlink = "120000"
	modeModule  = "160000"
)

var errMalformed = errors.New("a malformed object")

// node is one entry of one tree object.
type node struct {
	mode string // as it is stored
	name string
	id   string
}

func (n node) tree() bool { return n.mode == modeTree || n.mode == "040000" }

// order is what git sorts by: a folder as if its name ended in a slash.
func (n node) order() string {
	if n.tree() {
		return n.name + "/"
	}
	return n.name
}

// decodeTree reads a tree whose ids have so many bytes.
func decodeTree(data []byte, size int) ([]node, error) {
	var out []node
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte{' '})
		name, rest, more := bytes.Cut(rest, []byte{0})
		if !ok || !more || len(rest) < size || len(name) == 0 || len(mode) == 0 {
			return nil, fmt.Errorf("reading a tree: %w", errMalformed)
		}
		out = append(out, node{mode: string(mode), name: string(name), id: hex.EncodeToString(rest[:size])})
		data = rest[size:]
	}
	return out, nil
}

// encodeTree writes a tree.
func encodeTree(nodes []node) ([]byte, error) {
	slices.SortFunc(nodes, func(a, b node) int { return strings.Compare(a.order(), b.order()) })
	var b bytes.Buffer
	for _, n := range nodes {
		id, err := hex.DecodeString(n.id)
		if err != nil {
			return nil, fmt.Errorf("writing a tree: %q is no object id", n.id)
		}
		b.WriteString(n.mode + " " + n.name + "\x00")
		b.Write(id)
	}
	return b.Bytes(), nil
}

// plainMode is the mode as git speaks of it: early repositories hold others.
func plainMode(mode string) string {
	switch {
	case mode == modeSymlink || mode == modeModule:
		return mode
	case len(mode) == 6 && mode[3] == '7':
		return modeExec
	}
	return modeFile
}

// decodeCommit reads a commit object; headers that are not asked for are passed over.
func decodeCommit(id string, data []byte) (Commit, error) {
	c := Commit{ID: id}
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	c.Message = string(message)
	for l := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			c.Author, c.At = decodeSignature(value)
		case "committer":
			c.Committer, _ = decodeSignature(value)
		}
	}
	if c.Tree == "" {
		return Commit{}, fmt.Errorf("reading commit %s: %w", id, errMalformed)
	}
	return c, nil
}

// decodeSignature reads "Name <email> seconds zone". Old commits hold odd ones, so
// that what cannot be read is left empty and no error.
func decodeSignature(s string) (Person, time.Time) {
	open, end := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return Person{Name: strings.TrimSpace(s)}, time.Time{}
	}
	p := Person{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : end]}
	at := strings.Fields(s[end+1:])
	if len(at) == 0 {
		return p, time.Time{}
	}
	seconds, err := strconv.ParseInt(at[0], 10, 64)
	if err != nil {
		return p, time.Time{}
	}
	return p, time.Unix(seconds, 0).UTC()
}

// encodeCommit writes a commit object.
func encodeCommit(c Commit) ([]byte, error) {
	if strings.ContainsRune(c.Message, 0) {
		return nil, errors.New("writing a commit: its message holds a NUL")
	}
	author, committer := c.people()
	if author.Name == "" || author.Email == "" {
		return nil, errors.New("writing a commit: its author has no name or no email")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	when := fmt.Sprintf("%d %s", c.At.Unix(), c.At.Format("-0700"))
	fmt.Fprintf(&b, "author %s <%s> %s\n", author.Name, author.Email, when)
	fmt.Fprintf(&b, "committer %s <%s> %s\n\n%s", committer.Name, committer.Email, when, c.Message)
	return b.Bytes(), nil
}

// people are author and committer, free of what a header cannot hold.
func (c Commit) people() (author, committer Person) {
	author, committer = c.Author, c.Committer
	if committer == (Person{}) {
		committer = author
	}
	clean := func(s string) string {
		return strings.Trim(strings.Map(func(r rune) rune {
			if r == '<' || r == '>' || r == '\n' || r == 0 {
				return -1
			}
			return r
		}, s), " \t.,:;'\"\\")
	}
	return Person{clean(author.Name), clean(author.Email)}, Person{clean(committer.Name), clean(committer.Email)}
}
