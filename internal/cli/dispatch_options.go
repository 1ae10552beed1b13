package cli

import (
	"context"
	"time"

	"torve/internal/agent"
	"torve/internal/dispatch"
	"torve/internal/process"
)

// mayDispatch asks the flags before anything is read.
func (s *session) mayDispatch(o dispatchFlags) error {
	if o.counted && (o.workers < 1 || o.workers > 64) {
		return usage("dispatch", "torve dispatch --workers 4", "--workers is %d, and it may be 1 to 64", o.workers)
	}
	if o.watch && o.dryRun {
		return usage("dispatch", "torve dispatch --watch", "--watch and --dry-run exclude each other")
	}
	if err := checkUSD("dispatch", "--usd", "torve dispatch --usd 20", o.usd); err != nil {
		return err
	}
	if _, err := s.until(o); err != nil {
		return err
	}
	if o.agent == "" {
		return nil
	}
	_, err := agent.Find(o.agent, s.agents(), process.Look)
	if err != nil {
		return usage("dispatch", "torve agents", "%v", err)
	}
	return nil
}

// until is the time from when on nothing starts: --until's, else the configuration's;
// zero when there is none.
func (s *session) until(o dispatchFlags) (time.Time, error) {
	if o.landOnly {
		return time.Time{}, nil
	}
	text, key := o.until, "--until"
	if text == "" {
		text, key = s.cfg.Dispatch.Until, "dispatch.until"
	}
	if text == "" {
		return time.Time{}, nil
	}
	at, err := untilAt(text, s.a.now())
	if err != nil {
		return at, usage("dispatch", "torve dispatch --until 07:00", "%s: %v", key, err)
	}
	return at, nil
}

// options are a run's, from its flags and the configuration.
func (s *session) options(o dispatchFlags, tasks []string, stop <-chan struct{}) (dispatch.Options, error) {
	until, err := s.until(o)
	if err != nil {
		return dispatch.Options{}, err
	}
	d := s.cfg.Dispatch
	out := dispatch.Options{
		Tasks: tasks, Workers: d.Workers, Agent: o.agent, Default: s.cfg.Agent.Default, DryRun: o.dryRun,
		Shared: s.cfg.Scope.Shared, Manual: s.cfg.Landing.Mode == "manual", LandOnly: o.landOnly, Stop: stop,
		Wait: time.Duration(d.Wait), Priced: func(name string) bool { return agent.Priced(name, s.agents()) },
		Missing: s.missing, Slots: func(name string) int { return s.cfg.Agents[name].Slots },
		USD: d.USD, Until: until, StopOnEscalations: d.StopOnEscalations, Watch: o.watch,
	}
	if o.workers > 0 {
		out.Workers = o.workers
	}
	if o.capped {
		out.USD = o.usd
	}
	if o.landOnly { // what is accepted costs nothing more
		out.USD, out.StopOnEscalations = 0, 0
	}
	return out, nil
}

// fetched is how often one who only looks whether the target moved asks a remote.
const fetched = time.Minute

// headNow is the target's head, for a run that stays: a remote is asked once a minute.
func (s *session) headNow() func(context.Context) (string, error) {
	var last time.Time
	return func(ctx context.Context) (string, error) {
		if now := s.a.now(); s.cfg.Landing.Push != "" && now.Sub(last) >= fetched {
			last = now
			return s.head(ctx)
		}
		return s.seen(ctx)
	}
}

// missing is why the settings name no such agent, as a task's line has it.
func (s *session) missing(name string) string {
	if name == "" {
		return "no agent is set for it: agent: {default: " + s.lone() + "} in " + configFile
	}
	if _, err := agent.Find(name, s.agents(), process.Look); err != nil {
		return err.Error()
	}
	return ""
}
