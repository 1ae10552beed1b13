package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/view"
)

func (a *app) spendCmd() *cobra.Command {
	var since, by string
	var all bool
	c := &cobra.Command{
		Use:   "spend",
		Short: "what it cost, unknown shown as unknown",
		Long: "what attempts cost: money under the source that named it (reported, estimated, notional), what nobody knows in a column of its own; " +
			"a total only within a source, and it says over how many regimes it is",
		Example: "    torve spend --since 7d --by agent",
		Args:    noArgs("spend"),
		RunE:    func(c *cobra.Command, _ []string) error { return a.runSpend(c.Context(), since, by, all) },
	}
	c.Flags().StringVar(&since, "since", "", "only what ended since `WHEN`: 7d, 24h, 2026-11-30")
	c.Flags().StringVar(&by, "by", view.Bys[0], "told by `WHAT`: "+joined(view.Bys))
	c.Flags().BoolVar(&all, "all", false, "every row")
	return c
}

func (a *app) runSpend(ctx context.Context, since, by string, all bool) error {
	from, err := sinceOf(since, a.now(), time.Local)
	if err != nil {
		return usage("spend", "torve spend --since 7d", "--since: %v", err)
	}
	if !slices.Contains(view.Bys, by) {
		return usage("spend", "torve spend --by "+view.Bys[0], "--by is one of %s, and %q is given", joined(view.Bys), by)
	}
	s, r, err := a.readBoard(ctx)
	if err != nil {
		return err
	}
	o := s.accountOptions(ctx)
	o.Since, o.By, o.All = from, by, all
	doc, err := view.Spent(ctx, r, o)
	if err != nil {
		return broken("reading what was spent", "", err)
	}
	return a.answer(doc, doc.Faults)
}

// answer prints what a read found; a file that did not read is named in it, and makes the
// exit code say so.
func (a *app) answer(doc answerer, faults []view.Fault) error {
	if err := a.print(doc); err != nil {
		return err
	}
	if len(faults) > 0 {
		return end(Usage)
	}
	return nil
}
