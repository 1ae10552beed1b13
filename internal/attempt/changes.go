package attempt

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"torve/internal/gate"
	"torve/internal/git"
)

const (
	modeLink   = "120000"
	modeModule = "160000"
)

// changes are what a tree changes against its base, as the gate asks about them.
// Past the cap the gate refuses by the number alone, so no content is read there.
func (s *Station) changes(ctx context.Context, base, tree string, most int, lines []string) ([]gate.Change, error) {
	out, deltas, err := s.outline(ctx, base, tree)
	if err != nil || most > 0 && len(out) > most {
		return out, err
	}
	err = s.details(ctx, base, tree, deltas, out, lines)
	return out, err
}

// outline is each change's path, verb and size. What was compared last is not compared
// again: an attempt's end, its arrival and its landing ask it of the same two trees.
func (s *Station) outline(ctx context.Context, base, tree string) ([]gate.Change, []git.Delta, error) {
	pair := [2]string{base, tree}
	deltas, err := s.compared.get(pair, func() ([]git.Delta, error) {
		deltas, added, err := s.Repo.DiffLines(ctx, base, tree)
		if err == nil && added != nil { // else they are asked for where they are needed
			_, err = s.gained.get(pair, func() (map[string][]git.Line, error) { return added, nil })
		}
		return deltas, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("comparing the attempt's tree with its base: %w", err)
	}
	out := make([]gate.Change, 0, len(deltas))
	for _, d := range deltas {
		out = append(out, changeOf(d))
	}
	return out, deltas, nil
}

// changeOf is one path's change: its verb, and its size where it is counted.
func changeOf(d git.Delta) gate.Change {
	c := gate.Change{
		Path: d.Path, Verb: verbOf(d), InBase: d.Status != "A",
		Remode:    d.Status == "M" && d.OldID != d.NewID && d.OldMode != d.NewMode,
		Uncounted: d.Binary || d.Generated || slices.Contains(lockFiles, baseName(d.Path)),
	}
	if !c.Uncounted {
		c.Added, c.Removed = d.Added, d.Removed
	}
	return c
}

// verbOf names what happened to a path. What is or becomes a link or a submodule
// is that, whatever it was: the contract must list it.
func verbOf(d git.Delta) string {
	switch {
	case d.Status == "D":
		return gate.Delete
	case d.NewMode == modeLink:
		return gate.Symlink
	case d.NewMode == modeModule:
		return gate.Submodule
	case d.Status == "A":
		return gate.Add
	case d.OldID == d.NewID:
		return gate.Mode
	}
	return gate.Modify
}

// details fills in what needs the content: added lines, where a link leads, and
// what acceptance runs.
func (s *Station) details(ctx context.Context, base, tree string, deltas []git.Delta, out []gate.Change, lines []string) error {
	if err := s.escaping(ctx, base, tree, deltas, out); err != nil {
		return err
	}
	added, err := s.added(ctx, base, tree, deltas)
	if err != nil {
		return err
	}
	for i, d := range deltas {
		if out[i].AddedLines = added[d.Path]; d.Binary && d.Status != "D" {
			if out[i].AddedLines, err = s.inBinary(ctx, d); err != nil {
				return err
			}
		}
		if out[i].Scripts, err = s.scripts(ctx, d, lines); err != nil {
			return err
		}
	}
	return nil
}

// added are the lines that the text files among the changes gain.
func (s *Station) added(ctx context.Context, base, tree string, deltas []git.Delta) (map[string][]gate.Line, error) {
	var paths []string
	for _, d := range deltas {
		if d.Status != "D" && !d.Binary && d.NewMode != modeModule {
			paths = append(paths, d.Path)
		}
	}
	out := map[string][]gate.Line{}
	if len(paths) == 0 {
		return out, nil
	}
	found, err := s.gained.get([2]string{base, tree}, func() (map[string][]git.Line, error) {
		return s.Repo.AddedLines(ctx, base, tree, paths...)
	})
	if err != nil {
		return nil, fmt.Errorf("reading the lines that the attempt adds: %w", err)
	}
	for p, lines := range found {
		for _, l := range lines {
			out[p] = append(out[p], gate.Line{N: l.N, Text: l.Text})
		}
	}
	return out, nil
}

// shortest is how long text in a binary is at least to be looked at: no secret is shorter.
const shortest = 16

// inBinary are the pieces of text that a binary file gains and that look like a secret;
// they have no line.
func (s *Station) inBinary(ctx context.Context, d git.Delta) ([]gate.Line, error) {
	var out []gate.Line
	suspect := func(run string) bool {
		_, _, found := gate.Secret([]gate.Line{{Text: run}})
		return found
	}
	err := s.Repo.Strings(ctx, d.NewID, shortest, func(run string) {
		if suspect(run) {
			out = append(out, gate.Line{Text: run})
		}
	})
	if err != nil || len(out) == 0 || !strings.HasPrefix(d.OldMode, "100") {
		return out, err
	}
	err = s.Repo.Strings(ctx, d.OldID, shortest, func(run string) {
		out = slices.DeleteFunc(out, func(l gate.Line) bool { return l.Text == run })
	})
	return out, err
}

// scripts names what the change gives another meaning of what acceptance runs.
func (s *Station) scripts(ctx context.Context, d git.Delta, lines []string) ([]string, error) {
	if len(lines) == 0 || d.Binary || d.OldID == d.NewID || !gate.Tells(d.Path, lines) {
		return nil, nil
	}
	before, err := s.content(ctx, d.OldMode, d.OldID)
	if err != nil {
		return nil, err
	}
	after, err := s.content(ctx, d.NewMode, d.NewID)
	if err != nil {
		return nil, err
	}
	return gate.Scripts(d.Path, before, after, lines), nil
}

// content is a file's bytes; nil for what is not there or is no file.
func (s *Station) content(ctx context.Context, mode, id string) ([]byte, error) {
	if !strings.HasPrefix(mode, "100") {
		return nil, nil
	}
	data, err := s.Repo.Blob(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading the blob %s: %w", short(id), err)
	}
	return data, nil
}

// baseName is a path's last part; paths of git have slashes on every system.
func baseName(p string) string { return path.Base(p) }

// resolver reports whether a path:line is in a tree. The tree is listed once.
func (s *Station) resolver(ctx context.Context, tree string) func(evidence string) bool {
	var entries map[string]git.Entry
	return func(evidence string) bool {
		file, line, ok := pointed(evidence)
		if !ok {
			return false
		}
		if entries == nil {
			list, err := s.Repo.Tree(ctx, tree, "")
			if err != nil {
				return false
			}
			entries = make(map[string]git.Entry, len(list))
			for _, e := range list {
				entries[e.Path] = e
			}
		}
		e, there := entries[file]
		if !there {
			return false
		}
		data, err := s.content(ctx, e.Mode, e.ID)
		return err == nil && line >= 1 && line <= countLines(data)
	}
}

func countLines(data []byte) int {
	n := strings.Count(string(data), "\n")
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
