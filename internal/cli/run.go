package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) runCmd() *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:     `run "title"`,
		Short:   "new, commit and dispatch in one, for a small job",
		Example: `    torve run "Answer 404 for an unknown order" --allow 'orders/**'`,
		Args:    oneArg("run", "a title", `torve run "Answer 404" --allow 'orders/**'`),
		RunE: func(c *cobra.Command, args []string) error {
			d.title, d.verb, d.typed = args[0], "run", typed(c, nil)
			return a.runJob(c.Context(), d)
		},
	}
	d.flags(c)
	return c
}

// runJob writes the contract, commits it on the target, and dispatches it alone.
func (a *app) runJob(ctx context.Context, d draft) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	if b := s.branch(ctx); b != s.cfg.Target && s.cfgErr == nil {
		return usage("run", "git switch "+s.cfg.Target, "it commits the contract here, on %s, and work lands on %s", b, s.cfg.Target)
	}
	if err := s.mayWrite(d); err != nil {
		return err
	}
	if err := s.openWrite(ctx, "run"); err != nil {
		return err // before there is a contract that nobody would run
	}
	id, path, err := s.writeContract(ctx, d)
	if err != nil {
		return err
	}
	if err := s.commitContract(ctx, id, path); err != nil {
		return err
	}
	a.say("asked for  %s, committed on %s", id, s.cfg.Target)
	if c, err := s.readContract(path); err == nil {
		a.sayHolds(c)
	}
	return a.runDispatch(ctx, dispatchFlags{}, []string{id})
}
