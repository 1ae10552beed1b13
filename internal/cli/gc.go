package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"torve/internal/git"
	"torve/internal/truth"
	"torve/internal/upkeep"
	"torve/internal/view"
)

type gcOptions struct {
	ignored, caches, refs, dry bool
	keep                       string
}

func (a *app) gcCmd() *cobra.Command {
	var o gcOptions
	c := &cobra.Command{
		Use:   "gc",
		Short: "remove what is safe, and say how much that was",
		Long: "Remove the worktrees of tasks that landed or were given up, where a ref holds all that is in them, and what dead runs left of torve's own. " +
			"What runs, what is claimed and what is nowhere else stays.",
		Args: noArgs("gc"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runGC(c.Context(), o) },
	}
	f := c.Flags()
	f.BoolVar(&o.dry, "dry-run", false, "say what would go, and remove nothing")
	f.BoolVar(&o.ignored, "ignored", false, "what git ignores in kept worktrees, too; asks first")
	f.BoolVar(&o.caches, "caches", false, "the caches of build tools, too")
	f.BoolVar(&o.refs, "refs", false, "the kept trees of tasks that landed, too; asks first")
	f.StringVar(&o.keep, "keep", "30d", "with --refs: keep those that landed within `TIME` (30d, 12h)")
	f.BoolVarP(&a.yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) runGC(ctx context.Context, o gcOptions) error {
	keep, ok := ageOf(o.keep)
	if !ok {
		return usage("gc", "torve gc --refs --keep 30d", "--keep is %q, and it is an age such as 30d or 12h", o.keep)
	}
	s, _, err := a.read(ctx)
	if err != nil {
		return err
	}
	if err := s.outside("gc"); err != nil && !o.dry {
		return err
	}
	home := s.home()
	gather := func(ctx context.Context) (*truth.Reading, error) { return s.gather(ctx, false) }
	plan, err := home.Plan(ctx, gather, upkeep.Wish{Ignored: o.ignored, Caches: o.caches, Refs: o.refs, Keep: keep})
	if err != nil {
		return broken("asking what may go", "", err)
	}
	if o.dry || plan.Lost() && !a.yes {
		a.items("would remove", plan.Goes)
	}
	if o.dry {
		a.gcEnd(plan, plan.Goes, plan.Stays, "would be removed")
		return nil
	}
	if plan.Lost() {
		if err := a.confirm("gc", "Some of it is nowhere else. Remove all of this?"); err != nil {
			return err
		}
	}
	went, left, err := home.Clear(ctx, gather, plan)
	if err != nil {
		return broken("removing", "", err)
	}
	a.items("removed", went)
	left = append(left, plan.Stays...)
	a.gcEnd(plan, went, left, "removed")
	for _, i := range left {
		if i.Stuck {
			return end(Infrastructure)
		}
	}
	return nil
}

// items lists what goes or stays under a heading, each on a line of its own.
func (a *app) items(heading string, list []upkeep.Item) {
	if len(list) == 0 {
		return
	}
	a.tell("%s (%d)", heading, len(list))
	style := a.style()
	for _, i := range list {
		size := ""
		if i.Size > 0 {
			size = i.Size.String()
		}
		lead := fmt.Sprintf("  %-9s %s  ", i.Kind, style.Pad(i.Name, max(12, min(view.Width(i.Name), 44))))
		room := style.Width - view.Width(lead) - 11
		if view.Width(i.Why) <= room {
			a.tell("%s%s %10s", lead, style.Pad(i.Why, room), size)
			continue
		}
		a.tell("%s%*s", lead, style.Width-view.Width(lead), size)
		a.tell("%s", a.wrapped("            ", i.Why, 12))
		if i.Mend != "" {
			a.say("            → %s", i.Mend)
		}
	}
}

// gcEnd says what stays and why, how much went, and what would remove more.
func (a *app) gcEnd(plan upkeep.Plan, went, left []upkeep.Item, verb string) {
	a.items("stays", left)
	var sum git.Bytes
	refs := false
	for _, i := range went {
		sum += i.Size
		refs = refs || i.Kind == upkeep.KindRef
	}
	switch {
	case len(went) == 0 && len(left) == 0:
		a.tell("nothing to remove")
	case len(went) > 0:
		a.tell("%s %s", sum, verb)
	}
	if refs && plan.Objects > 0 {
		a.say("%s", a.wrapped("", fmt.Sprintf("git frees %s of objects in its own time: git gc", plan.Objects), 0))
	}
	if plan.Kept == 0 {
		return
	}
	text := view.Count(plan.Kept, "worktree") + " of tasks that go on, or wait for you"
	if plan.Loose > 0 {
		text += fmt.Sprintf("; git ignores %s in them", plan.Loose)
	}
	a.say("%s", a.wrapped("", text, 0))
	if plan.Loose > 0 {
		a.say("  → torve gc --ignored")
	}
}
