package audit

import (
	"context"
	"strings"

	"torve/internal/carrier"
	"torve/internal/git"
)

// history is the target's whole line, and what it made of the folders of landings.
type history struct {
	commits map[string]git.Link
	merges  map[string][]string // second parent → the merges that brought it
	paths   map[string]*career
}

// career is what became of one landing file.
type career struct {
	added   []git.Edited // each time that it came, the newest first
	changed []git.Edited // where it was made another
	gone    []git.Edited // where it was taken away
}

func readHistory(ctx context.Context, repo *git.Repo, head string) (*history, error) {
	h := &history{commits: map[string]git.Link{}, merges: map[string][]string{}, paths: map[string]*career{}}
	if head == "" {
		return h, nil
	}
	line, err := repo.Line(ctx, head)
	if err != nil {
		return nil, err
	}
	for _, l := range line {
		h.commits[l.ID] = l
		if len(l.Parents) == 2 {
			h.merges[l.Parents[1]] = append(h.merges[l.Parents[1]], l.ID)
		}
	}
	var folders []string
	for _, p := range carrier.LandingPrefixes() {
		folders = append(folders, strings.TrimSuffix(p, "/"))
	}
	edits, err := repo.Edits(ctx, head, folders...)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		h.enter(e)
	}
	return h, nil
}

func (h *history) enter(e git.Edited) {
	c := h.paths[e.Path]
	if c == nil {
		c = &career{}
		h.paths[e.Path] = c
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

// of is what became of a path; never nil.
func (h *history) of(path string) *career {
	if c := h.paths[path]; c != nil {
		return c
	}
	return &career{}
}

// first is the commit that added it first; false where the history does not go so far.
func (c *career) first() (git.Edited, bool) {
	if len(c.added) == 0 {
		return git.Edited{}, false
	}
	return c.added[len(c.added)-1], true
}

// edit is the oldest commit that made another file of it; nil when it was never changed. A
// file that went and came back as it was is the same.
func (c *career) edit() *git.Edited {
	if n := len(c.changed); n > 0 {
		return &c.changed[n-1]
	}
	for n := len(c.added) - 1; n >= 0; n-- {
		if c.added[n].ID != c.added[len(c.added)-1].ID {
			return &c.added[n]
		}
	}
	return nil
}

// merge is the merge of onto with the commit that brought a landing, as torve makes it.
func (h *history) merge(onto, brought string) (git.Link, bool) {
	for _, id := range h.merges[brought] {
		if m := h.commits[id]; m.Parents[0] == onto {
			return m, true
		}
	}
	return git.Link{}, false
}
