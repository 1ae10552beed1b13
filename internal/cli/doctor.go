package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/git"
	"torve/internal/process"
	"torve/internal/truth"
	"torve/internal/upkeep"
	"torve/internal/view"
)

func (a *app) doctorCmd() *cobra.Command {
	var footprint bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "what is missing or odd here, each with what mends it",
		Long:  "Look over this repository and what torve keeps for it on this machine, and change nothing. With --verbose it says what holds, too.",
		Args:  noArgs("doctor"),
		RunE: func(c *cobra.Command, _ []string) error {
			if footprint {
				return a.runFootprint(c.Context())
			}
			return a.runDoctor(c.Context())
		},
	}
	c.Flags().BoolVar(&footprint, "footprint", false, "every path and ref that torve wrote here, and how to remove it")
	return c
}

// examined is what a doctor's look came to.
type examined struct {
	s     *session
	list  []upkeep.Finding
	disk  upkeep.Disk
	head  string
	fault error // the configuration does not read
}

func (e *examined) add(l upkeep.Level, about, fix, format string, args ...any) {
	e.list = append(e.list, upkeep.Finding{Level: l, About: about, Says: fmt.Sprintf(format, args...), Fix: fix})
}

// lenient opens what there is: a configuration that does not read is a finding here, and the
// rest is asked with the defaults.
func (a *app) lenient(ctx context.Context) (*session, error) {
	repo, err := a.repository(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{a: a, repo: repo}
	a.s = s
	if s.cfg, s.cfgErr = s.settings(ctx); s.cfgErr != nil {
		s.cfg = defaultConfig()
	}
	s.named, err = a.naming(s.cfg)
	return s, err
}

func (a *app) runDoctor(ctx context.Context) error {
	s, err := a.lenient(ctx)
	if err != nil {
		return err
	}
	e := &examined{s: s}
	e.config(ctx)
	rd := e.carriers(ctx)
	e.list = append(e.list, s.home().Examine(ctx, rd)...)
	e.agents(ctx)
	e.here()
	if e.disk, err = s.home().Uses(ctx); err != nil {
		e.add(upkeep.Odd, "disk", "", "what is used could not be measured: %v", err)
	}
	a.diagnosis(e)
	if e.fault != nil {
		return end(Usage)
	}
	return nil
}

// config says whether the settings read, and what of them is missing.
func (e *examined) config(ctx context.Context) {
	s := e.s
	switch err := s.cfgErr; {
	case errors.Is(err, errNoConfig):
		e.add(upkeep.Missing, "config", "torve init", "%v", err)
		return
	case err != nil:
		why, hint, _ := explain(err)
		if hint != "" {
			why += "; " + hint
		}
		e.fault = err
		e.add(upkeep.Missing, "config", "${EDITOR:-vi} "+configFile, "%s", why)
		return
	}
	e.add(upkeep.OK, "config", "", "%s reads", configFile)
	if unlike, err := s.unlikeTarget(ctx); err == nil && unlike != "" { // a target that is not there is told of elsewhere
		e.add(upkeep.Odd, "config", "git diff "+s.cfg.Target+" -- "+configFile, "%s", unlike)
	}
	if len(s.cfg.Acceptance) == 0 {
		e.add(upkeep.Odd, "config", `acceptance: ["..."] in `+configFile, "no repository acceptance: only each contract's own lines are asked")
	}
	if s.named.partition == "" {
		e.add(upkeep.Missing, "config", "record: {partition: org/repo} in "+configFile, "no partition of the record is named")
	}
}

// carriers reads what there is to read; what does not read is said, and the files alone
// are asked.
func (e *examined) carriers(ctx context.Context) *truth.Reading {
	s := e.s
	if err := s.openRead(ctx); err != nil {
		why, hint, _ := explain(err)
		e.add(upkeep.Missing, "record", first(hint, "torve --files status"), "%s", why)
	}
	e.store(ctx)
	rd, err := s.gather(ctx, false)
	if err != nil && s.log != nil {
		why, hint, _ := explain(err)
		e.add(upkeep.Missing, "record", hint, "%s", why)
		s.log.Close()
		s.log = nil
		rd, err = s.gather(ctx, false)
	}
	if err != nil {
		return nil // the target is not there, which is said for itself
	}
	e.head = rd.Head
	for _, f := range rd.Faults {
		e.add(upkeep.Odd, "files", first(f.Err.Hint, "${EDITOR:-vi} "+board.Quoted(f.Path)), "%v", f.Err)
	}
	if rd.Board != nil && rd.Board.Events > 0 {
		e.record(ctx, rd)
	}
	return rd
}

// record asks the log itself: is it sound, was it left in good order, is the clock right.
func (e *examined) record(ctx context.Context, rd *truth.Reading) {
	s := e.s
	if err := s.log.Check(ctx, s.named.partition); err != nil {
		e.add(upkeep.Missing, "record", "torve verify", "%v", err)
	} else {
		e.add(upkeep.OK, "record", "", "%s, partition %s: whole", view.Count(rd.Board.Events, "event"), s.named.partition)
	}
	if wal := git.Size(s.recordFile() + "-wal"); s.store.dsn == "" && wal > 0 && !claimed(rd) {
		e.add(upkeep.Note, "record", "", "its -wal (%s) is not taken in: a run died, or others read beside it; nothing is lost, and the next that writes takes it in", wal)
	}
	for ev, err := range s.log.Read(ctx, s.named.partition, rd.Board.Seq) {
		if err == nil && ev.At.After(s.a.now().Add(soon)) {
			e.add(upkeep.Odd, "clock", "date", "the last event is from %s, which is to come: a clock was wrong, or is", ev.At.UTC().Format("2 Jan 2006 15:04 UTC"))
		}
	}
}

// claimed reports whether any task is held: its run may be writing, or is told as dead.
func claimed(rd *truth.Reading) bool {
	return slices.ContainsFunc(rd.Tasks(), func(id string) bool {
		t := rd.Settled(id).Board()
		return t != nil && t.Claim != nil
	})
}

// soon is how far two clocks may be apart.
const soon = 5 * time.Minute

// agents asks for those that are set; the built-in ones that are not here are no fault.
func (e *examined) agents(ctx context.Context) {
	s := e.s
	settings := s.agents()
	names := slices.Sorted(maps.Keys(settings))
	for _, k := range agent.Known() {
		if _, own := settings[k.Name]; !own {
			names = append(names, k.Name)
		}
	}
	usual, _, _ := strings.Cut(s.cfg.Agent.Default, "@")
	if usual == "" && s.cfgErr == nil {
		e.add(upkeep.Odd, "agent", "agent: {default: NAME} in "+configFile, "none is set: each contract has to name one")
	}
	for _, name := range names {
		ad, err := agent.Find(name, settings, process.Look)
		_, own := settings[name]
		switch {
		case err != nil:
			e.add(upkeep.Missing, "agent", "torve agents", "%v", err)
		case ad.Missing() == "":
			e.add(upkeep.OK, "agent", "", "%s: %s", name, first(ad.Version(ctx), "here"))
		case name == usual:
			e.add(upkeep.Missing, "agent", "torve agents", "%s, the default: %s", name, agentState(ctx, name, settings))
		case own:
			e.add(upkeep.Odd, "agent", "torve agents", "%s: %s", name, agentState(ctx, name, settings))
		default:
			e.add(upkeep.OK, "agent", "", "%s: not here, and not asked for", name)
		}
	}
	if usual != "" && !slices.Contains(names, usual) {
		e.add(upkeep.Missing, "agent", "torve agents", "there is no agent %q, the default", usual)
	}
}

// here asks for what belongs to the terminal and to the machine.
func (e *examined) here() {
	if !e.s.a.utf8() {
		e.add(upkeep.Note, "locale", "export LANG=C.UTF-8", "it is not UTF-8: what torve itself prints is plain ASCII")
	}
}
