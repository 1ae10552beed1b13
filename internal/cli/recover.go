package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"torve/internal/board"
	"torve/internal/truth"
	"torve/internal/upkeep"
	"torve/internal/view"
)

func (a *app) recoverCmd() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "recover",
		Short: "kept trees that never landed: list them, show one, adopt one as a branch",
		Example: `    torve recover
    torve recover show T-0007.2
    torve recover adopt T-0007 2 --branch mine`,
		Args: noArgs("recover"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runRecover(c.Context(), all) },
	}
	c.Flags().BoolVar(&all, "all", false, "those of tasks that landed, too")
	c.AddCommand(&cobra.Command{
		Use:   "show task|task.n|ref",
		Short: "what is in a kept tree, and the command that looks at it",
		Args:  oneArg("recover show", "a task, task.n or ref", "torve recover show T-0001.1"),
		RunE:  func(c *cobra.Command, args []string) error { return a.runRecoverShow(c.Context(), args[0]) },
	}, a.adoptCmd())
	return c
}

func (a *app) adoptCmd() *cobra.Command {
	var branch string
	c := &cobra.Command{
		Use:   "adopt task [n]",
		Short: "make a branch at a kept tree; nothing is checked out, no branch is moved",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usage("recover adopt", "torve recover adopt T-0001 1", "it takes a task, and an attempt's number where it is not the newest")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.runAdopt(c.Context(), args, branch) },
	}
	c.Flags().StringVar(&branch, "branch", "", "call the branch `NAME` (default: recovered/<task>-<n>)")
	return c
}

// trees reads what attempts left here.
func (a *app) trees(ctx context.Context) (*session, *truth.Reading, []upkeep.Tree, error) {
	s, rd, err := a.read(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	list, err := s.home().Trees(ctx, rd)
	return s, rd, list, broken("listing what attempts left", "", err)
}

func (a *app) runRecover(ctx context.Context, all bool) error {
	s, _, list, err := a.trees(ctx)
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(list), func(t upkeep.Tree) bool { return t.Landed && !all })
	rest := len(list) - len(shown)
	for i := range shown {
		if shown[i].Changed < 0 {
			if _, err := s.home().Count(ctx, &shown[i]); err != nil {
				return broken("counting what changed on "+shown[i].Ref, "", err)
			}
		}
	}
	switch {
	case len(shown) == 0:
		a.tell("nothing is kept that has not landed")
	case all:
		a.tell("kept trees (%d)", len(shown))
	default:
		a.tell("kept trees that never landed (%d)", len(shown))
	}
	for _, t := range shown {
		a.treeLines(s, t)
	}
	if rest > 0 {
		a.tell("")
		a.tell("%s of tasks that landed: torve recover --all", view.Count(rest, "kept tree"))
	}
	if len(shown) > 0 {
		a.tell("")
		a.next("torve recover show " + named(shown[0]))
	}
	return nil
}

// named is how a tree is called on the command line.
func named(t upkeep.Tree) string {
	if t.Aside {
		return board.Quoted(t.Ref)
	}
	return t.Name()
}

// treeLines are one kept tree: what it is, where it is held, and what is nowhere else.
func (a *app) treeLines(s *session, t upkeep.Tree) {
	style := a.style()
	when := ""
	if !t.At.IsZero() {
		when = style.When(t.At, a.now())
	}
	lead := fmt.Sprintf("  %s  ", style.Pad(named(t), 10))
	right := first(t.End, "never kept on a ref")
	if when != "" {
		right += "  " + when
	}
	room := style.Width - view.Width(lead) - view.Width(right) - 2
	a.tell("%s%s  %s", lead, style.Pad(first(t.Title, "of a task that no carrier knows"), room), right)
	a.tell("%s", a.wrapped("              ", whereHeld(t), 14))
	if loose := looseIn(t); loose != "" {
		a.tell("%s", a.wrapped("              ", loose, 14))
	}
	switch {
	case t.Dead:
		a.say("              its run died; the next dispatch keeps it, and goes on from it")
		a.say("              → torve dispatch %s", t.Task)
	case t.Ref == "":
		a.say("              → torve recover adopt %s %d", t.Task, t.N)
	}
}

func whereHeld(t upkeep.Tree) string {
	text := "in its worktree alone"
	if t.Ref != "" {
		text = t.Ref
	}
	if t.Changed >= 0 {
		text = view.Count(t.Changed, "change") + " on " + text
	}
	switch {
	case t.Ref != "" && t.Room != nil:
		text += fmt.Sprintf("; its worktree stands, %s", t.Room.Size())
	case t.Room != nil:
		text += fmt.Sprintf(" (%s): %s", t.Room.Size(), t.Room.Dir)
	}
	switch {
	case t.Landed:
		text += "; its task landed"
	case t.State == "" && !t.Aside:
		text += "; no carrier knows its task"
	case t.Aside:
		text += "; it stood where the attempt's own tree had to"
	case t.State == board.Abandoned, t.State == board.Withdrawn:
		text += "; its task is " + string(t.State)
	}
	return text
}

// looseIn names what is in a worktree and in no tree.
func looseIn(t upkeep.Tree) string {
	text := ""
	switch {
	case t.Unread != "":
		return "git cannot read its worktree: " + t.Unread
	case len(t.Loose) > 0:
		text = "in the worktree alone, ignored by git: " + fewOf(t.Loose)
	}
	if n := len(t.Made); n > 0 {
		text = first(text, "in the worktree") + fmt.Sprintf("; %s by setup, copy or acceptance", view.Count(n, "path"))
	}
	return text
}

func fewOf(paths []string) string {
	if len(paths) > 4 {
		return joined(paths[:4]) + fmt.Sprintf(" and %d more", len(paths)-4)
	}
	return joined(paths)
}

// findTree finds the tree that a person named.
func findTree(verb, name string, list []upkeep.Tree) (upkeep.Tree, error) {
	t, there := upkeep.OneNamed(list, name)
	if !there {
		return t, usage(verb, "torve recover --all", "%s: nothing is kept under this name", name)
	}
	return t, nil
}

func (a *app) runRecoverShow(ctx context.Context, name string) error {
	s, _, list, err := a.trees(ctx)
	if err != nil {
		return err
	}
	t, err := findTree("recover show", name, list)
	if err != nil {
		return err
	}
	changes, err := s.home().Count(ctx, &t)
	if err != nil {
		return broken("reading "+t.Ref, "", err)
	}
	a.treeLines(s, t)
	if t.Ref == "" {
		a.next("git -C " + board.Quoted(t.Room.Dir) + " status")
		return nil
	}
	a.tell("")
	const most = 20
	for i, c := range changes {
		if i == most && !a.verbose {
			a.tell("  and %d more: --verbose", len(changes)-most)
			break
		}
		lines := fmt.Sprintf("+%d -%d", c.Added, c.Removed)
		if c.Binary {
			lines = "binary"
		}
		a.tell("  %s  %s  %s", c.Status, a.style().Pad(c.Path, 56), lines)
	}
	a.tell("")
	a.next("git diff " + view.Short(t.Base) + " " + board.Quoted(t.Ref))
	return nil
}

func (a *app) runAdopt(ctx context.Context, args []string, branch string) error {
	s, rd, list, err := a.trees(ctx)
	if err != nil {
		return err
	}
	if err := s.outside("recover adopt"); err != nil {
		return err
	}
	name := args[0]
	if len(args) == 2 {
		name += "." + args[1]
	}
	t, err := findTree("recover adopt", name, list)
	if err != nil {
		return err
	}
	if t.Aside { // not the attempt's own work, which has that name
		branch = first(branch, "recovered/"+view.Short(t.Commit))
	}
	branch = first(branch, fmt.Sprintf("recovered/%s-%d", t.Task, t.N))
	commit, err := s.home().Adopt(ctx, rd, t, branch)
	var no *upkeep.Refused
	if errors.As(err, &no) {
		return usage("recover adopt", no.Hint, "%s", no.Why)
	}
	if err != nil {
		return broken("recover adopt", "", err)
	}
	a.say("branch %s is at %s: %s; nothing is checked out", branch, view.Short(commit), t.Name())
	if t.Ref == "" {
		a.say("what stood in the worktree is kept on a ref now")
	}
	if st := t.State; st == board.Escalated || st == board.Abandoned || st == board.Queued {
		a.say("or let an agent go on from it: torve requeue %s --continue", t.Task)
	}
	a.next("git switch " + board.Quoted(branch))
	return nil
}
