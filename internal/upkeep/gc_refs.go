package upkeep

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"torve/internal/git"
	"torve/internal/truth"
)

// planRefs lets the kept trees of tasks go that landed long enough ago: those up to the
// attempt that landed, whose number the landing file carries on. While anything runs they
// stay: a ref that goes looks like its agent's doing.
func (h Home) planRefs(ctx context.Context, rd *truth.Reading, rooms []Room, p *Plan) error {
	trees, err := h.refs(ctx, rd)
	if err != nil {
		return err
	}
	busy := h.Runs(rd)
	for _, t := range trees {
		file := rd.Settled(t.Task).Landing()
		if file == nil || !landed(rd, t.Task) || claimOf(rd, t.Task) != nil || stays(rooms, *p, t.Task) {
			continue
		}
		if h.Now.Sub(file.At) < p.wish.Keep || file.Attempt > 0 && t.N > file.Attempt {
			continue
		}
		item := Item{
			Kind: KindRef, Name: t.Ref, Why: "landed " + file.At.Format("2 Jan 2006"),
			ref: git.RefUpdate{Ref: t.Ref, Old: t.Commit},
		}
		if busy != "" {
			item.Why = busy + " is running"
			p.Stays = append(p.Stays, item)
			continue
		}
		p.Goes = append(p.Goes, item)
	}
	if p.Objects, err = h.objects(ctx, p.Goes); err != nil {
		return err
	}
	slices.SortStableFunc(p.Goes, func(a, b Item) int {
		if a.Kind == KindRef && b.Kind == KindRef {
			return strings.Compare(a.Name, b.Name)
		}
		return 0
	})
	return nil
}

// objects is what only the refs among these items hold.
func (h Home) objects(ctx context.Context, items []Item) (git.Bytes, error) {
	var tips, others []string
	for _, i := range items {
		if i.Kind == KindRef {
			tips, others = append(tips, i.ref.Old), append(others, "--exclude="+i.ref.Ref)
		}
	}
	if len(tips) == 0 {
		return 0, nil
	}
	return h.onlyIn(ctx, tips, others)
}

// onlyIn is what the objects take that tips lead to and no other ref does.
func (h Home) onlyIn(ctx context.Context, tips, but []string) (git.Bytes, error) {
	args := slices.Concat([]string{"rev-list", "--disk-usage", "--objects", "--ignore-missing"}, tips, []string{"--not", "--single-worktree"}, but, []string{"--all"})
	out, err := h.Repo.Run(ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("asking how much the kept trees take: %w", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	return git.Bytes(n), err
}
