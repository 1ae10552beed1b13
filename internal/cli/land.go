package cli

import (
	"context"

	"github.com/spf13/cobra"

	"torve/internal/truth"
)

func (a *app) landCmd() *cobra.Command {
	var as string
	o := dispatchFlags{landOnly: true}
	c := &cobra.Command{
		Use:   "land [task...]",
		Short: "land what was accepted; --as SHA: I did it by hand",
		Args:  taskArgs("land", 0, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if as == "" {
				return a.runDispatch(c.Context(), o, args)
			}
			if len(args) != 1 {
				return usage("land", "torve land T-0001 --as SHA", "--as is about one task")
			}
			return a.runAttest(c.Context(), args[0], as)
		},
	}
	c.Flags().StringVar(&as, "as", "", "a commit on the target that a person made for this task")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would land")
	c.Flags().BoolVar(&a.yes, "yes", false, "do not ask")
	return c
}

// runAttest lets a person say that a commit on the target is this task's work.
func (a *app) runAttest(ctx context.Context, task, sha string) error {
	if err := a.noJSON("land --as"); err != nil {
		return err
	}
	s, err := a.openToWrite(ctx, "land")
	if err != nil {
		return err
	}
	r, err := s.gather(ctx, true)
	if err != nil {
		return err
	}
	st := r.Settled(task)
	if !st.Known() || st.Carrier() != truth.Board {
		return usage("land "+task, "torve why "+task, "the state does not allow it: %s", stateWords(st))
	}
	t := st.Board()
	if t.InFlight() {
		return usage("land "+task, "torve status "+task, "%s is %s: it is being worked on", task, t.State)
	}
	lander, err := s.lander(ctx)
	if err != nil {
		return err
	}
	full, err := s.repo.Resolve(ctx, sha+"^{commit}")
	if err != nil {
		return usage("land "+task, "git log "+s.cfg.Target, "there is no commit %s", sha)
	}
	a.say("%s \"%s\" as %s: attested by you, judged by nobody", task, t.Contract.Title, short(full))
	if err := a.confirm("land", "Write its landing file on "+s.cfg.Target+"?"); err != nil {
		return err
	}
	o, err := lander.Attest(ctx, *t, full)
	if err != nil {
		return doing("land "+task, err)
	}
	if o.Blocked != nil {
		a.say("blocked   %s  %s", task, o.Blocked.Why)
		a.say("next: %s", o.Blocked.Next)
		return end(NeedsPerson)
	}
	a.say("landed    %s  as %s, attested; %s %s", task, short(full), s.cfg.Target, short(o.Landed.Head))
	a.say("next: torve why %s", task)
	return nil
}

func stateWords(st truth.Settled) string {
	if !st.Known() {
		return "no carrier knows it"
	}
	return "it is " + string(st.State()) + ", settled by the " + string(st.Carrier())
}
