package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"torve/internal/attempt"
	"torve/internal/board"
	"torve/internal/truth"
)

func (a *app) landCmd() *cobra.Command {
	var as string
	o := dispatchFlags{landOnly: true}
	c := &cobra.Command{
		Use:   "land [task...]",
		Short: "land what was accepted; --as SHA: I did it by hand",
		Example: `    torve land
    torve land T-0002 --as HEAD`,
		Args: taskArgs("land", 0, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if as == "" {
				o.typed = typed(c, args)
				return a.runLand(c.Context(), o, args)
			}
			if len(args) != 1 {
				return usage("land", "torve land T-0001 --as SHA", "--as is about one task")
			}
			return a.runAttest(c.Context(), args[0], as)
		},
	}
	c.Flags().StringVar(&as, "as", "", "`SHA` of a commit on the target that a person made for this task")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would land")
	c.Flags().BoolVar(&a.yes, "yes", false, "do not ask")
	return c
}

// runLand lands what is accepted: all of it, or what is named, which must be.
func (a *app) runLand(ctx context.Context, o dispatchFlags, tasks []string) error {
	open := a.openToWrite
	if o.dryRun {
		open = a.openToPlan
	}
	s, err := open(ctx, "land")
	if err != nil {
		return err
	}
	r, err := s.gather(ctx, true)
	if err != nil {
		return err
	}
	for _, id := range tasks {
		if st := r.Settled(id); st.State() != board.Ready {
			return usage("land", landHint(id, st), "%s does not land: %s", id, stateWords(st))
		}
		if err := s.landsHere(ctx, r, id); err != nil {
			return err
		}
	}
	return a.runDispatch(ctx, o, tasks)
}

// landsHere refuses a task whose accepted work is in another clone alone.
func (s *session) landsHere(ctx context.Context, r *truth.Reading, id string) error {
	t := r.Settled(id).Board()
	if ask := s.apart(); ask != nil && t != nil && t.Claim == nil {
		switch why, _, err := ask(ctx, r, t); {
		case err != nil:
			return err
		case why != "":
			return usage("land", "there: torve land "+id, "%s does not land from this clone: %s", id, why)
		}
	}
	return nil
}

// landHint is what moves a task on that is not accepted.
func landHint(id string, st truth.Settled) string {
	switch {
	case !st.Known():
		return "torve status"
	case slices.Contains([]board.State{board.Queued, board.Waiting, truth.Committed}, st.State()):
		return "torve dispatch " + id
	}
	return "torve why " + id
}

// runAttest lets a person say that a commit on the target is this task's work.
func (a *app) runAttest(ctx context.Context, task, sha string) error {
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
		return usage("land", landHint(task, st), "%s does not land: %s", task, stateWords(st))
	}
	t := st.Board()
	if t.InFlight() {
		return usage("land", "torve status "+task, "%s is %s: it is being worked on", task, t.State)
	}
	lander, err := s.lander(ctx)
	if err != nil {
		return err
	}
	full, err := s.repo.Resolve(ctx, sha+"^{commit}")
	if err != nil {
		return usage("land", "git log --oneline "+s.cfg.Target, "there is no commit %s", sha)
	}
	a.say("%s", a.wrapped(task+"  ", t.Contract.Title, 8))
	a.say("        as %.7s: attested by you, judged by nobody", full)
	if err := a.confirm("land", "Write its landing file on "+s.cfg.Target+"?"); err != nil {
		return err
	}
	o, err := lander.Attest(ctx, *t, full)
	if err != nil {
		return doing("land", err)
	}
	if o.Blocked != nil {
		a.tell("%s", a.labelled("blocked", task, o.Blocked.Why))
		a.tell("next: %s", o.Blocked.Next)
		return end(NeedsPerson)
	}
	if err := s.attempts(func(n attempt.Note) { a.warn("%s", n.Text) }).Done(ctx, task, t.NextAttempt()-1); err != nil {
		a.warn("putting away what its attempts used: %v", err)
	}
	if o.Already != nil { // another was first
		a.say("%s", a.labelled("landed", task, "before: "+o.Already.Path))
		return nil
	}
	a.say("%s", a.labelled("landed", task, "as "+full[:7]+", attested; "+s.cfg.Target+" "+o.Landed.Head[:7]))
	a.next("torve why " + task)
	return nil
}

func stateWords(st truth.Settled) string {
	if !st.Known() {
		return "no carrier knows it"
	}
	return "it is " + string(st.State()) + ", settled by the " + string(st.Carrier())
}
