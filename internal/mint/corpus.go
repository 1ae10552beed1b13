package mint

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/record"
	"torve/internal/spec"
	"torve/internal/strictyaml"
)

// corpus is the specifications as they are committed on a head.
type corpus struct {
	specs []spec.Spec
	blobs map[string]string // by file
	fault *strictyaml.Error // the first that does not read; then nothing can be inherited
	told  bool              // its rows are in the record
}

func readCorpus(ctx context.Context, repo *git.Repo, head string) (*corpus, error) {
	c := &corpus{blobs: map[string]string{}}
	entries, err := repo.Tree(ctx, head, spec.Folder+"/")
	if err != nil {
		return nil, fmt.Errorf("reading the specifications: %w", err)
	}
	for _, e := range entries {
		if !spec.IsFile(e.Path) || c.fault != nil {
			continue
		}
		data, err := repo.Blob(ctx, e.ID)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", e.Path, err)
		}
		if err := c.add(e.Path, e.ID, data); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *corpus) add(file, blob string, data []byte) error {
	s, err := spec.Parse(file, data)
	if err != nil {
		if !errors.As(err, &c.fault) {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		return nil
	}
	if c.fault = unreadable(s); c.fault != nil {
		return nil
	}
	if other, there := c.find(s.ID); there {
		c.fault = &strictyaml.Error{File: file, Why: fmt.Sprintf("%s is the id of %s too", s.ID, other.File), Hint: "give it another id"}
		return nil
	}
	c.specs, c.blobs[file] = append(c.specs, s), blob
	return nil
}

// unreadable finds a row whose paths are no globs: they would match nothing, and the row
// bind nobody without a word.
func unreadable(s spec.Spec) *strictyaml.Error {
	for _, d := range s.Decisions {
		for _, g := range d.Paths {
			if err := contract.ValidGlob(g); err != nil {
				return &strictyaml.Error{File: s.File, Line: d.Line, Col: 1, Why: fmt.Sprintf("%s: %v", d.ID, err)}
			}
		}
	}
	return nil
}

func (c *corpus) find(id string) (spec.Spec, bool) {
	for _, s := range c.specs {
		if s.ID == id {
			return s, true
		}
	}
	return spec.Spec{}, false
}

// rows are the decisions that bind a contract, as they stand now.
func (c *corpus) rows(of contract.Contract) []record.Row {
	rows := []record.Row{}
	for _, r := range spec.Inherit(c.specs, of.Spec, of.Scope.Allow, contract.Meets) {
		rows = append(rows, record.Row{ID: r.ID, Grade: r.Grade, Text: r.Text, Paths: r.Paths, Check: r.Check})
	}
	return rows
}

// news are the decisions of accepted specifications that the record does not
// hold in that form, each file's after the word that it was read. After written
// there is none.
func (c *corpus) news(b *board.Board, head string) []record.Payload {
	if c.told {
		return nil
	}
	var news []record.Payload
	for _, s := range c.specs {
		if s.Status != spec.Accepted {
			continue
		}
		var rows []record.Payload
		for _, d := range s.Decisions {
			row := record.Decision{ID: s.ID + "/" + d.ID, Grade: d.Grade, Text: d.Text, Paths: d.Paths, Check: d.Check, Blob: c.blobs[s.File]}
			if !recorded(b, row) {
				rows = append(rows, row)
			}
		}
		if len(rows) > 0 {
			news = append(news, record.Source{Path: s.File, Blob: c.blobs[s.File], Commit: head})
			news = append(news, rows...)
		}
	}
	return news
}

// recorded compares what a decision says; the blob that it stood in may differ.
func recorded(b *board.Board, d record.Decision) bool {
	was, there := b.Decisions[d.ID]
	was.Blob = d.Blob
	if len(was.Paths) == 0 && len(d.Paths) == 0 {
		was.Paths = d.Paths
	}
	return there && reflect.DeepEqual(was, d)
}

func (c *corpus) written() { c.told = true }
