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

// escaping says of each link among the changes why it leads out of the tree. A link is
// followed through the other links of the tree, as whoever opens it would: two that stay
// inside can leave together, and a new one can send one elsewhere that was there before.
func (s *Station) escaping(ctx context.Context, base, tree string, deltas []git.Delta, out []gate.Change) error {
	isLink := func(d git.Delta) bool { return d.NewMode == modeLink }
	if !slices.ContainsFunc(deltas, isLink) {
		return nil
	}
	now, err := s.linksOf(ctx, tree)
	if err != nil {
		return err
	}
	changed, first := map[string]bool{}, -1
	for i, d := range deltas {
		if !isLink(d) {
			continue
		}
		out[i].Escapes = now.escapes(d.Path)
		changed[d.Path] = true
		if first < 0 {
			first = i
		}
	}
	was, err := s.linksOf(ctx, base)
	if err != nil {
		return err
	}
	for at := range now {
		if !changed[at] && out[first].Escapes == "" && now.escapes(at) != "" && was.escapes(at) == "" {
			out[first].Escapes = "by it " + at + " does, " + strings.TrimPrefix(now.escapes(at), "it is ")
		}
	}
	return nil
}

// links are the symlinks of a tree, and where each leads.
type links map[string]string

func (s *Station) linksOf(ctx context.Context, tree string) (links, error) {
	entries, err := s.Repo.Tree(ctx, tree, "")
	if err != nil {
		return nil, fmt.Errorf("listing the links of %s: %w", short(tree), err)
	}
	l := links{}
	for _, e := range entries {
		if e.Mode != modeLink {
			continue
		}
		to, err := s.Repo.Blob(ctx, e.ID)
		if err != nil {
			return nil, fmt.Errorf("reading where the link %s leads: %w", e.Path, err)
		}
		l[e.Path] = string(to)
	}
	return l, nil
}

// mostHops is how many links a system follows before it gives a path up.
const mostHops = 40

// escapes is why the link at a path leads out of the tree, or into git's own folder;
// empty when it does not.
func (l links) escapes(at string) string {
	target := l[at]
	why := "it is a link to " + target
	here, rest := path.Dir(at), strings.Split(target, "/")
	if path.IsAbs(target) {
		return why
	}
	for hops := 0; len(rest) > 0 && hops < mostHops; {
		part := rest[0]
		rest = rest[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && here == ".":
			return why
		case part == "..":
			here = path.Dir(here)
			continue
		case strings.EqualFold(part, ".git"):
			return "it is a link into git's own folder"
		}
		to, link := l[path.Join(here, part)]
		switch {
		case !link:
			here = path.Join(here, part)
		case path.IsAbs(to):
			return why + ", which leads to " + to
		default:
			hops++
			rest = append(strings.Split(to, "/"), rest...)
		}
	}
	return ""
}
