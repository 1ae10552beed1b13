package audit

import (
	"context"
	"fmt"
	"strings"

	"torve/internal/carrier"
	"torve/internal/git"
)

// history is the target's whole line. What each commit made of the folders of landings is
// read only when somebody has to know: it takes a comparison of folders for each commit,
// and those folders grow.
type history struct {
	repo     *git.Repo
	head     string
	commits  map[string]git.Link
	children map[string][]string // first parent → commits
	careers  map[string]*career  // by path; nil until they are read
}

// career is what became of one landing file.
type career struct {
	added   []git.Edited // each time that it came, the newest first
	changed []git.Edited // where it was made another
	gone    []git.Edited // where it was taken away
}

func readHistory(ctx context.Context, repo *git.Repo, head string) (*history, error) {
	h := &history{repo: repo, head: head, commits: map[string]git.Link{}, children: map[string][]string{}}
	if head == "" {
		return h, nil
	}
	line, err := repo.Line(ctx, head)
	if err != nil {
		return nil, err
	}
	for _, l := range line {
		h.commits[l.ID] = l
		if len(l.Parents) > 0 {
			h.children[l.Parents[0]] = append(h.children[l.Parents[0]], l.ID)
		}
	}
	return h, nil
}

// brought are the commits that may have brought a landing to the line as torve does: the
// merges of onto with a child of its work commit, or where a person attests it, the child
// of onto itself.
func (h *history) brought(l *loadedLanding) []git.Link {
	var out []git.Link
	for _, id := range h.children[l.Onto] {
		c := h.commits[id]
		switch {
		case l.Attested != "" && len(c.Parents) == 1:
			out = append(out, c)
		case l.Attested == "" && len(c.Parents) == 2:
			if p := h.commits[c.Parents[1]].Parents; len(p) == 1 && p[0] == l.Commit {
				out = append(out, c)
			}
		}
	}
	return out
}

// of is what became of a path; never nil.
func (h *history) of(ctx context.Context, path string) (*career, error) {
	if h.careers == nil {
		if err := h.read(ctx); err != nil {
			return nil, fmt.Errorf("reading what became of the landings: %w", err)
		}
	}
	if c := h.careers[path]; c != nil {
		return c, nil
	}
	return &career{}, nil
}

func (h *history) read(ctx context.Context) error {
	h.careers = map[string]*career{}
	if h.head == "" {
		return nil
	}
	var folders []string
	for _, p := range carrier.LandingPrefixes() {
		folders = append(folders, strings.TrimSuffix(p, "/"))
	}
	edits, err := h.repo.Edits(ctx, h.head, folders...)
	if err != nil {
		return err
	}
	for _, e := range edits {
		h.enter(e)
	}
	return nil
}

func (h *history) enter(e git.Edited) {
	c := h.careers[e.Path]
	if c == nil {
		c = &career{}
		h.careers[e.Path] = c
	}
	switch {
	case e.ID == "":
		c.gone = append(c.gone, e)
	case e.New:
		c.added = append(c.added, e)
	default:
		c.changed = append(c.changed, e)
	}
}

// first is the commit that added it first; false where the history does not go so far.
func (c *career) first() (git.Edited, bool) {
	if len(c.added) == 0 {
		return git.Edited{}, false
	}
	return c.added[len(c.added)-1], true
}

// edit is the newest commit that left another file there than was first added; the zero
// value where none did.
func (c *career) edit() git.Edited {
	first, _ := c.first()
	for _, e := range append(c.changed[:len(c.changed):len(c.changed)], c.added...) {
		if e.ID != first.ID {
			return e
		}
	}
	return git.Edited{}
}
