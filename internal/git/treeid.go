package git

import (
	"crypto/sha1" //nolint:gosec // it is git's name of an object
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// TreeID is the id of the tree object that lists these entries, in the order of their paths,
// as Repo.TreeOf gives them; "" where they make none. A list that another wrote down is the
// tree's where this is the tree's id.
func TreeID(entries []Entry) string {
	return hex.EncodeToString(treeID(nil, entries, 0))
}

// treeID adds to sum the id of what lies in one folder, whose path takes so many bytes; nil
// where there is none.
func treeID(sum []byte, entries []Entry, folder int) []byte {
	if len(entries) == 0 {
		return nil
	}
	const header = len("tree ") + 20 // more than any size takes
	body := make([]byte, header, header+64*len(entries))
	for i := 0; i < len(entries); {
		e, last := entries[i], i+1
		if folder >= len(e.Path) {
			return nil
		}
		name, _, below := strings.Cut(e.Path[folder:], "/")
		if below {
			e.Mode = "40000"
		}
		body = append(append(append(append(body, e.Mode...), ' '), name...), 0)
		ends := len(body)
		if below {
			for prefix := e.Path[:folder+len(name)+1]; last < len(entries) && strings.HasPrefix(entries[last].Path, prefix); {
				last++
			}
			body = treeID(body, entries[i:last], folder+len(name)+1)
		} else {
			body, _ = hex.AppendDecode(body, []byte(e.ID)) // of half an id comes another tree's
		}
		if len(body) <= ends || name == "" {
			return nil
		}
		i = last
	}
	size := strconv.AppendInt(append(make([]byte, 0, header), "tree "...), int64(len(body)-header), 10)
	object := body[header-len(size)-1:]
	copy(object, append(size, 0))
	if len(entries[0].ID) == 2*sha256.Size {
		id := sha256.Sum256(object)
		return append(sum, id[:]...)
	}
	id := sha1.Sum(object) //nolint:gosec // as above
	return append(sum, id[:]...)
}
