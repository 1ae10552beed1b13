package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"torve/internal/dispatch"
	"torve/internal/mint"
	"torve/internal/truth"
	"torve/internal/view"
)

type dispatchFlags struct {
	workers        int
	agent          string
	noMint, dryRun bool
	landOnly       bool
	usd            float64
	capped         bool // --usd was given, 0 too: no cap
	counted        bool // --workers was given
	until          string
	watch          bool
	typed          string // the flags and tasks that were given, as a shell takes them, but for --dry-run
}

func (a *app) dispatchCmd() *cobra.Command {
	var o dispatchFlags
	c := &cobra.Command{
		Use:   "dispatch [task...]",
		Short: "mint, then run agents, judge their work and land what passes",
		Long: "mint, then run agents, judge their work and land what passes. Takes up what a crash left, lands " +
			"what is accepted first, and ends with what landed, what needs you and what waits. Ctrl-C starts " +
			"nothing more; a second one stops what runs, its trees kept and not counted.",
		Example: `    torve dispatch --dry-run
    torve dispatch T-0007 --agent claude@sonnet
    torve dispatch --workers 4 --usd 20 --until 07:00`,
		Args: taskArgs("dispatch", 0, -1),
		RunE: func(c *cobra.Command, args []string) error {
			o.capped, o.counted = c.Flags().Changed("usd"), c.Flags().Changed("workers")
			o.typed = typed(c, args)
			return a.runDispatch(c.Context(), o, args)
		},
	}
	o.bind(c.Flags())
	return c
}

func (o *dispatchFlags) bind(f *pflag.FlagSet) {
	f.IntVar(&o.workers, "workers", 0, "`N` tasks at once (default: dispatch.workers)")
	f.StringVar(&o.agent, "agent", "", "`NAME` of an adapter, or adapter@model, for this run")
	f.BoolVar(&o.noMint, "no-mint", false, "take the record as it is")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would start and what waits on what")
	f.Float64Var(&o.usd, "usd", 0, "dollars `N` that the run may cost, as far as agents say; 0: any (default: dispatch.usd)")
	f.StringVar(&o.until, "until", "", "a `TIME` (07:00, or RFC 3339) from when on nothing starts (default: dispatch.until)")
	f.BoolVar(&o.watch, "watch", false, "stay, and take up what comes, until Ctrl-C, --until or --usd")
}

// runDispatch drives what is ready and ends with the closing screen.
func (a *app) runDispatch(ctx context.Context, o dispatchFlags, tasks []string) error {
	open := a.openToWrite
	if o.dryRun {
		open = a.openToPlan
	}
	s, err := open(ctx, "dispatch")
	if err != nil {
		return err
	}
	if err := s.mayDispatch(o); err != nil {
		return err
	}
	p := newProgress(a)
	defer p.close()
	stop, ctx, done := interrupts(ctx, p)
	defer done()
	st, seen, err := s.dispatcher(ctx, o, tasks, p, stop)
	if err != nil {
		return err
	}
	rep, err := st.Run(ctx)
	if !o.dryRun {
		s.keep(ctx)
	}
	p.close()
	c := closing{
		a: a, s: s, rep: rep, runs: seen.at(rep.To), minted: seen.minted,
		dry: o.dryRun, landOnly: o.landOnly, typed: o.typed, pushable: s.remotes(ctx),
	}
	return c.after(err)
}

// remotes reports whether there is anywhere to push to.
func (s *session) remotes(ctx context.Context) bool {
	out, err := s.repo.Run(ctx, "remote")
	return err == nil && out != ""
}

// dispatcher joins everything that one run needs.
func (s *session) dispatcher(ctx context.Context, o dispatchFlags, tasks []string, p *progress, stop <-chan struct{}) (*dispatch.Station, *passed, error) {
	lander, err := s.lander(ctx) // asks who you are before any agent starts
	if err != nil {
		return nil, nil, err
	}
	options, err := s.options(o, tasks, stop)
	if err != nil {
		return nil, nil, err
	}
	unlike, err := s.unlikeTarget(ctx)
	if err != nil {
		return nil, nil, err
	}
	seen := &passed{}
	h := hands{s: s, attempts: s.attempts(p.attempt), lander: lander, passed: seen}
	st := &dispatch.Station{
		Repo: s.repo, Log: s.log, Partition: s.named.partition, Host: s.host(), By: s.by(ctx), Now: s.a.now,
		Self: self(), Alive: lives, Mask: noSecrets,
		Gather: func(ctx context.Context) (*truth.Reading, error) {
			if o.dryRun {
				return s.shown(ctx, true)
			}
			return s.glance(ctx, true)
		},
		Head: s.headNow(), Hands: h.all(), Options: options,
		Begin: func(w dispatch.Worst) { s.sayBegin(p, w, unlike) }, Note: p.dispatch,
	}
	switch {
	case !o.noMint && !o.landOnly:
		st.Mint = s.mintHand(seen)
	case !o.dryRun: // a lost record is begun anew before a landing is observed in it
		m, err := s.minter(ctx)
		if err == nil {
			err = m.Open(ctx)
		}
		if err != nil {
			return nil, nil, broken("opening the partition", "", err)
		}
	}
	return st, seen, nil
}

// mintHand is mint's pass as dispatch takes it: a line a task, and one for all that is
// written and not committed.
func (s *session) mintHand(seen *passed) func(context.Context) ([]dispatch.MintNote, error) {
	return func(ctx context.Context) ([]dispatch.MintNote, error) {
		m, err := s.minter(ctx)
		if err != nil {
			return nil, err
		}
		results, err := m.Pass(ctx)
		if err != nil {
			return nil, err
		}
		seen.minted = results
		var notes []dispatch.MintNote
		var drafts []string
		for _, r := range results {
			switch {
			case r.Outcome == mint.Uncommitted:
				drafts = append(drafts, r.ID)
			case !quietMint(r) || s.a.verbose:
				notes = append(notes, dispatch.MintNote{ID: r.ID, Outcome: r.Outcome, Text: lines(s.a.mintLines(r))})
			}
		}
		if len(drafts) > 0 {
			text := lines(s.a.style().Lines("draft     ", joined(drafts)+": written, not committed", 10)) + "\n          → " + view.Ask(drafts...)
			notes = append(notes, dispatch.MintNote{ID: drafts[0], Outcome: mint.Uncommitted, Text: text})
		}
		return notes, nil
	}
}
