package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/view"
)

func (a *app) contextCmd() *cobra.Command {
	var since string
	var markdown, all bool
	c := &cobra.Command{
		Use:   "context",
		Short: "everything a planner should know before the next contracts",
		Long: "what a planner should know before the next contracts: open tasks, escalations, decisions to look at, open findings, what the checks said, " +
			"flaky lines, spend by regime, decisions in force, the last landings; each block says which carrier told it",
		Args: noArgs("context"),
		RunE: func(c *cobra.Command, _ []string) error {
			if markdown && a.json {
				return usage("context", "torve context --json", "it is either --json or --markdown")
			}
			return a.runContext(c.Context(), since, markdown, all)
		},
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "for a planner's prompt")
	c.Flags().StringVar(&since, "since", "", "divergences, checks, spend and landings since `WHEN`: 7d, 24h, 2026-11-30")
	c.Flags().BoolVar(&all, "all", false, "no list is cut")
	return c
}

func (a *app) runContext(ctx context.Context, since string, markdown, all bool) error {
	from, err := sinceOf(since, a.now(), time.Local)
	if err != nil {
		return usage("context", "torve context --since 7d", "--since: %v", err)
	}
	s, r, err := a.readBoard(ctx)
	if err != nil {
		return err
	}
	o := s.accountOptions(ctx)
	o.Since, o.All = from, all
	doc, err := view.Context(ctx, r, o)
	if err != nil {
		return broken("reading the context", "", err)
	}
	if !markdown {
		return a.answer(doc, doc.Faults)
	}
	if err := a.write(doc.Markdown); err != nil {
		return err
	}
	if len(doc.Faults) > 0 {
		return end(Usage)
	}
	return nil
}
