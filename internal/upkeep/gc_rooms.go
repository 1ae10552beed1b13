package upkeep

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"torve/internal/git"
	"torve/internal/truth"
)

// planRoom decides over one room. What is claimed is its holder's, or the next
// dispatch's that takes it over.
func (h Home) planRoom(ctx context.Context, rd *truth.Reading, r Room, p *Plan) {
	if claimOf(rd, r.Task) != nil || h.running(rd, r) {
		p.Kept++
		return
	}
	item := Item{Kind: KindWorktree, Name: r.Name(), Size: r.Size(), room: &r}
	if s := r.hindered(); s != nil {
		item.Stuck, item.Why, item.Mend = true, s.Path+": "+s.Why, s.Mend
	}
	state := over(rd, r.Task)
	free := !r.Agent && (rd.Recorded(r.Task) || r.Task == headRoom)
	if state == "" && !free {
		p.Kept++
		item.Kind = KindIgnored
		h.planIgnored(ctx, r, item, p)
		return
	}
	if item.Stuck {
		p.Stays = append(p.Stays, item)
		return
	}
	why := h.Hands.Stays(ctx, r, p.wish.Ignored)
	switch {
	case why != "":
		item.Why = strings.TrimPrefix(string(state)+"; "+why, "; ")
		if !p.wish.Ignored && h.Hands.Stays(ctx, r, true) == "" {
			item.Mend = "torve gc --ignored"
		}
		p.Stays = append(p.Stays, item)
		return
	case free:
		item.Why = "no agent was given it"
	default:
		item.Why = string(state)
	}
	if p.wish.Ignored {
		if loose, _, err := h.Hands.Ignored(ctx, r); err == nil && len(loose) > 0 {
			p.Goes = append(p.Goes, h.ignored(r, loose))
		}
	}
	p.Goes = append(p.Goes, item)
}

// planIgnored decides over what git ignores in a worktree that stays.
func (h Home) planIgnored(ctx context.Context, r Room, stuck Item, p *Plan) {
	if !r.There() {
		return
	}
	loose, made, err := h.Hands.Ignored(ctx, r)
	all := slices.Concat(loose, made)
	switch item := h.ignored(r, all); {
	case err != nil && p.wish.Ignored:
		p.Stays = append(p.Stays, Item{Kind: KindIgnored, Name: r.Name(), Why: err.Error()})
	case len(all) == 0:
	case !p.wish.Ignored:
		p.Loose += item.Size
	case stuck.Stuck:
		stuck.Size = item.Size
		p.Stays = append(p.Stays, stuck)
	default:
		p.Goes = append(p.Goes, item)
	}
}

func (h Home) ignored(r Room, paths []string) Item {
	i := Item{Kind: KindIgnored, Name: r.Name(), Why: strings.Join(paths, ", "), room: &r, paths: paths}
	for _, p := range paths {
		i.Size += git.Size(filepath.Join(r.Dir, p))
	}
	return i
}

// planRegistered finds registrations whose folder is gone, and all that torve kept beside
// it: they go where each commit that was made there is on a ref.
func (h Home) planRegistered(ctx context.Context, rd *truth.Reading, rooms []Room, places map[string]git.Place, p *Plan) error {
	for dir, place := range places {
		if there(dir) || slices.ContainsFunc(rooms, func(r Room) bool { return r.Name() == filepath.Base(dir) }) {
			continue
		}
		name := filepath.Base(dir)
		r := Room{Task: name[:strings.LastIndexByte(name, '-')], Dir: dir}
		if claimOf(rd, r.Task) != nil || h.running(rd, r) {
			continue // it may just be in the making
		}
		item := Item{Kind: KindWorktree, Name: name, Why: "registered, its folder is gone", room: &r, registered: true}
		loose, err := h.loosened(ctx, dir, rd.Head)
		switch {
		case err != nil:
			return err
		case place.Locked:
			item.Why = "registered, its folder is gone; somebody locked it"
			p.Stays = append(p.Stays, item)
		case loose != "":
			item.Why = "registered, its folder is gone; the commit " + loose[:7] + " made in it is on no ref"
			item.Mend = "git branch recovered " + loose[:7]
			p.Stays = append(p.Stays, item)
		default:
			p.Goes = append(p.Goes, item)
		}
	}
	return nil
}

// loosened is a commit that was made in a worktree and is on no ref; "" when there is none.
func (h Home) loosened(ctx context.Context, dir, base string) (string, error) {
	tips, err := h.Repo.Visited(ctx, dir, base)
	if err != nil {
		return "", err
	}
	for _, id := range tips {
		if loose, err := h.unheld(ctx, id); err != nil || loose {
			return id, err
		}
	}
	return "", nil
}
