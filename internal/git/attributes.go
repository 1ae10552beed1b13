package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

const generated = "linguist-generated"

// markGenerated asks .gitattributes of a tree which of the changed paths are generated.
// `check-attr --source` is younger than the oldest git that is supported, so the files
// are put into a scratch index; and only where one of them speaks of it.
func (r *Repo) markGenerated(ctx context.Context, tree string, deltas []Delta) error {
	files, err := r.attributeFiles(ctx, tree, deltas)
	if err != nil || len(files) == 0 {
		return err
	}
	s, err := r.newScratch(r.gitDir, r.Dir)
	if err != nil {
		return err
	}
	defer s.drop()
	var entries, paths bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&entries, "%s %s\t%s\x00", f.Mode, f.ID, f.Path)
	}
	if _, err := s.git(ctx, &entries, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	for _, d := range deltas {
		paths.WriteString(d.Path + "\x00")
	}
	out, err := s.git(ctx, &paths, "-c", "core.attributesFile=/dev/null", "check-attr", "--cached", "-z", "--stdin", generated)
	if err != nil {
		return err
	}
	answers := fields(out)
	if len(answers) != 3*len(deltas) {
		return fmt.Errorf("%w: %d attributes of %d paths", errOdd, len(answers)/3, len(deltas))
	}
	for i := range deltas {
		value := answers[3*i+2]
		deltas[i].Generated = value == "set" || value == "true"
	}
	return nil
}

// attributeFiles are the .gitattributes in the folders above the changed paths; none
// when no one of them speaks of generated files.
func (r *Repo) attributeFiles(ctx context.Context, tree string, deltas []Delta) ([]Entry, error) {
	folders := map[string]bool{}
	for _, d := range deltas {
		for at := path.Dir(d.Path); !folders[at]; at = path.Dir(at) {
			folders[at] = true
		}
	}
	var files []Entry
	speaks := false
	for folder := range folders {
		e, err := r.Entry(ctx, tree, path.Join(folder, ".gitattributes"))
		if errors.Is(err, ErrNotFound) || err == nil && e.Mode != modeFile && e.Mode != modeExec {
			continue
		}
		if err != nil {
			return nil, err
		}
		data, err := r.Blob(ctx, e.ID)
		if err != nil {
			return nil, err
		}
		speaks = speaks || strings.Contains(string(data), generated)
		files = append(files, e)
	}
	if !speaks {
		return nil, nil
	}
	return files, nil
}
