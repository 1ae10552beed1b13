package git

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// What only adds files and takes some away needs no comparing of lines: all that a file holds
// is new, or gone. Git is asked where anything is changed.

const (
	noMode     = "000000"
	mostAdded  = 256     // files
	mostLines  = 1 << 20 // bytes of one of them
	binaryHead = 8000    // bytes in which git looks for a NUL
)

// wholly gives the differences of two trees, and the content at each path; ok is false where a
// file is changed, or is none that is read in process.
func (r *Repo) wholly(ctx context.Context, from, to string) (deltas []Delta, content map[string][]byte, ok bool) {
	deltas, err := r.between(ctx, from, to)
	if err != nil || len(deltas) > mostAdded {
		return nil, nil, false
	}
	content = map[string][]byte{}
	for i := range deltas {
		d := &deltas[i]
		id, mode := d.NewID, d.NewMode
		if d.Status == "D" {
			id, mode = d.OldID, d.OldMode
		}
		if d.Status != "A" && d.Status != "D" || mode != modeFile && mode != modeExec {
			return nil, nil, false
		}
		data, err := r.Blob(ctx, id)
		if err != nil || len(data) > mostLines {
			return nil, nil, false
		}
		if d.Binary = bytes.IndexByte(data[:min(len(data), binaryHead)], 0) >= 0; d.Binary {
			continue
		}
		content[d.Path] = data
		d.Added = len(linesOf(data))
		if d.Status == "D" {
			d.Added, d.Removed = 0, d.Added
		}
	}
	return deltas, content, true
}

// linesOf are the lines of a file, without their newlines.
func linesOf(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// whollyAdded are the lines of files that are new, at the paths that are asked for.
func (r *Repo) whollyAdded(ctx context.Context, from, to string, paths []string) (map[string][]Line, bool) {
	deltas, content, ok := r.wholly(ctx, from, to)
	if !ok {
		return nil, false
	}
	added := map[string][]Line{}
	for _, d := range deltas {
		if d.Status != "A" || !asked(paths, d.Path) {
			continue
		}
		for i, text := range linesOf(content[d.Path]) {
			added[d.Path] = append(added[d.Path], Line{N: i + 1, Text: text})
		}
	}
	return added, true
}

// asked reports whether a path is among those that are asked for, or in a folder of them. None
// ask for all.
func asked(paths []string, path string) bool {
	return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool {
		p = strings.Trim(filepath.Clean(p), "/")
		return p == path || strings.HasPrefix(path, p+"/")
	})
}
