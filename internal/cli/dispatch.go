package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/agent"
	"torve/internal/dispatch"
	"torve/internal/truth"
)

type dispatchFlags struct {
	workers        int
	agent          string
	noMint, dryRun bool
	landOnly       bool
}

func (a *app) dispatchCmd() *cobra.Command {
	var o dispatchFlags
	c := &cobra.Command{
		Use:   "dispatch [task...]",
		Short: "mint, then run agents, judge their work and land what passes",
		Args:  taskArgs("dispatch", 0, -1),
		RunE:  func(c *cobra.Command, args []string) error { return a.runDispatch(c.Context(), o, args) },
	}
	f := c.Flags()
	f.IntVar(&o.workers, "workers", 0, "how many tasks at once (default dispatch.workers)")
	f.StringVar(&o.agent, "agent", "", "adapter or adapter@model, for this run")
	f.BoolVar(&o.noMint, "no-mint", false, "take the record as it is")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would start and what waits on what")
	return c
}

// runDispatch drives what is ready and ends with the closing screen.
func (a *app) runDispatch(ctx context.Context, o dispatchFlags, tasks []string) error {
	if o.workers < 0 || o.workers > 64 {
		return usage("dispatch", "torve dispatch --workers 4", "--workers is %d, and it may be 1 to 64", o.workers)
	}
	s, err := a.openToWrite(ctx, "dispatch")
	if err != nil {
		return err
	}
	stop, ctx, done := interrupts(ctx, a)
	defer done()
	p := newProgress(a)
	defer p.close()
	st, passed, err := s.dispatcher(ctx, o, tasks, p, stop)
	if err != nil {
		return err
	}
	rep, err := st.Run(ctx)
	p.close()
	if err != nil {
		return broken("dispatching", "", err)
	}
	c := closing{a: a, s: s, rep: rep, runs: passed.at(rep.To), dry: o.dryRun}
	return c.print()
}

// dispatcher joins everything that one run needs.
func (s *session) dispatcher(ctx context.Context, o dispatchFlags, tasks []string, p *progress, stop <-chan struct{}) (*dispatch.Station, *passed, error) {
	lander, err := s.lander(ctx) // asks who you are before any agent starts
	if err != nil {
		return nil, nil, err
	}
	seen := &passed{}
	h := hands{s: s, attempts: s.attempts(p.attempt), lander: lander, passed: seen}
	workers := s.cfg.Dispatch.Workers
	if o.workers > 0 {
		workers = o.workers
	}
	st := &dispatch.Station{
		Repo: s.repo, Log: s.log, Partition: s.named.partition, Host: s.host(), By: s.by(ctx), Now: s.a.now,
		Self: self(), Alive: lives,
		Gather: func(ctx context.Context) (*truth.Reading, error) { return s.gather(ctx, true) },
		Hands:  h.all(),
		Options: dispatch.Options{
			Tasks: tasks, Workers: workers, Agent: o.agent, Default: s.cfg.Agent.Default, DryRun: o.dryRun,
			Shared: s.cfg.Scope.Shared, Manual: s.cfg.Landing.Mode == "manual", LandOnly: o.landOnly, Stop: stop,
			Wait: time.Duration(s.cfg.Dispatch.Wait), Priced: func(name string) bool { return agent.Priced(name, s.agents()) },
		},
		Begin: p.begin, Note: p.dispatch,
	}
	if !o.noMint && !o.landOnly {
		st.Mint = s.mintHand(o.dryRun)
	}
	return st, seen, nil
}

// mintHand is mint's pass as dispatch takes it.
func (s *session) mintHand(bool) func(context.Context) ([]dispatch.MintNote, error) {
	return func(ctx context.Context) ([]dispatch.MintNote, error) {
		m, err := s.minter(ctx)
		if err != nil {
			return nil, err
		}
		results, err := m.Pass(ctx)
		if err != nil {
			return nil, err
		}
		var notes []dispatch.MintNote
		for _, r := range results {
			if quietMint(r) && !s.a.verbose {
				continue
			}
			text := mintLine(r)
			if r.Hint != "" {
				text += "\n          → " + r.Hint
			}
			notes = append(notes, dispatch.MintNote{ID: r.ID, Outcome: r.Outcome, Text: text})
		}
		return notes, nil
	}
}

// interrupts makes the first Ctrl-C close stop and the second end the context.
func interrupts(ctx context.Context, a *app) (<-chan struct{}, context.Context, func()) {
	stop := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	finished := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-finished:
				return
			case <-signals:
			}
			if n == 0 {
				close(stop)
				a.warn("starting nothing more; what runs may finish. Ctrl-C again stops it, its tree kept")
			} else {
				cancel()
			}
		}
	}()
	return stop, ctx, func() { signal.Stop(signals); close(finished); cancel() }
}
