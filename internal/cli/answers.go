package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"torve/internal/answer"
)

func (a *app) requeueCmd() *cobra.Command {
	var goOn, fresh bool
	var note string
	c := &cobra.Command{
		Use:   "requeue task",
		Short: "try again: a person's answer to what needs you",
		Long: "try again: a person's answer to what needs you. How depends on why it stopped: it goes on from " +
			"the kept work where that can be mended, else it starts over; where no agent is needed the kept " +
			"work is asked again.",
		Example: `    torve requeue T-0006
    torve requeue T-0006 --fresh --note "the base is mended"`,
		Args: taskArgs("requeue", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if goOn && fresh {
				return usage("requeue", "torve requeue "+args[0]+" --fresh", "--continue and --fresh exclude each other")
			}
			mode := ""
			if goOn {
				mode = "continue"
			} else if fresh {
				mode = "fresh"
			}
			return a.runRequeue(c.Context(), args[0], mode, note)
		},
	}
	c.Flags().BoolVar(&goOn, "continue", false, "go on from the kept work")
	c.Flags().BoolVar(&fresh, "fresh", false, "start over")
	c.Flags().StringVar(&note, "note", "", "a `LINE` for the record, never for the agent")
	return c
}

func (a *app) runRequeue(ctx context.Context, task, mode, note string) error {
	s, err := a.openToWrite(ctx, "requeue")
	if err != nil {
		return err
	}
	got, err := s.answerer(ctx).Requeue(ctx, task, mode, note)
	if err != nil {
		return doing("requeue", err)
	}
	a.say("%s", a.labelled("requeued", task, map[string]string{
		"ask":      "its kept work is asked again, with no agent",
		"continue": "the next attempt goes on from the kept work",
		"fresh":    "the next attempt starts over",
	}[got]))
	a.next("torve dispatch " + task)
	return nil
}

func (a *app) abandonCmd() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:   "abandon task",
		Short: "no longer wanted; requeue revives it",
		Args:  taskArgs("abandon", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.openToWrite(c.Context(), "abandon")
			if err != nil {
				return err
			}
			if err := s.answerer(c.Context()).Abandon(c.Context(), args[0], note); err != nil {
				return doing("abandon", err)
			}
			a.say("%s", a.labelled("abandoned", args[0], "no longer wanted; what was done stays kept"))
			a.next("torve status")
			return nil
		},
	}
	c.Flags().StringVar(&note, "note", "", "a `LINE` for the record")
	return c
}

func (a *app) widenCmd() *cobra.Command {
	var now bool
	var note string
	c := &cobra.Command{
		Use:   "widen task glob...",
		Short: "let more paths in, and ask the kept work again",
		Long: "let more paths in, and ask the kept work again: shows the edit of the scope, asks you, commits " +
			"it on the target, mints it and requeues the task. If the scope was all that it lacked, it lands " +
			"at the next dispatch with no agent.",
		Example: `    torve widen T-0004 mail/cart.go
    torve widen T-0004 'mail/**' --yes --now`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage("widen", "torve widen T-0004 mail/cart.go", "it takes a task id and the globs to let in")
			}
			return ids("widen", args[:1])
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.runWiden(c.Context(), args[0], args[1:], note, now)
		},
	}
	c.Flags().BoolVar(&now, "now", false, "dispatch it at once")
	c.Flags().BoolVar(&a.yes, "yes", false, "do not ask")
	c.Flags().StringVar(&note, "note", "", "a `LINE` for the record")
	return c
}

func (a *app) runWiden(ctx context.Context, task string, globs []string, note string, now bool) error {
	s, err := a.openToWrite(ctx, "widen")
	if err != nil {
		return err
	}
	if _, err := s.identity(ctx); err != nil {
		return err
	}
	w, err := s.answerer(ctx).Widen(ctx, task, globs)
	if err != nil {
		return doing("widen", err)
	}
	a.say("%s", w.Path)
	for _, g := range w.Globs {
		a.say("  scope.allow  + %s", g)
	}
	if err := a.confirm("widen", fmt.Sprintf("Commit this on %s, mint it and requeue %s?", s.cfg.Target, task)); err != nil {
		return err
	}
	got, err := s.answerer(ctx).Commit(ctx, w, note)
	if err != nil {
		return doing("widen", err)
	}
	then := "; its kept work is asked again, no agent"
	switch {
	case got.There != "":
		then = "; its kept work is in " + got.There + ", and is asked again there, no agent"
	case got.Mode == "":
		then = ""
	case got.Mode == answer.Fresh:
		then = "; the next attempt starts over"
	}
	a.say("%s", a.labelled("widened", task, fmt.Sprintf("on %s as %.7s%s", s.cfg.Target, got.Commit, then)))
	if now {
		return a.runDispatch(ctx, dispatchFlags{}, []string{task})
	}
	switch {
	case got.There == "":
		a.next("torve dispatch " + task)
	case s.cfg.Landing.Push == "" && s.remotes(ctx): // the edit is to get there
		a.next("git push")
	default:
		a.next("torve status")
	}
	return nil
}

// doing says what was being done; what explain knows by its type keeps its own code.
func doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
