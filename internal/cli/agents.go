package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/agent"
	"torve/internal/process"
)

func (a *app) agentsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "agents",
		Short: "what is installed, how it is run, and who says what it costs",
		Args:  noArgs("agents"),
		RunE:  func(c *cobra.Command, _ []string) error { return a.runAgents(c.Context()) },
	}
}

func (a *app) runAgents(ctx context.Context) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	settings := s.agents()
	runs := map[string][]string{}
	for _, k := range agent.Known() {
		runs[k.Name] = k.Run
	}
	names := slices.Sorted(maps.Keys(settings)) // the person's own first
	for _, k := range agent.Known() {
		if _, own := settings[k.Name]; !own {
			names = append(names, k.Name)
		}
	}
	width := 6
	for _, n := range names {
		width = max(width, len(n))
	}
	for _, n := range names {
		a.agentLine(ctx, n, width, first(strings.Join(settings[n].Run, " "), strings.Join(runs[n], " ")), settings, s.cfg.Agent.Default)
	}
	a.tell("")
	if s.cfg.Agent.Default == "" {
		a.tell("no agent is set: agent: {default: %s} in %s", s.lone(), configFile)
	} else {
		a.tell("* runs where a contract names no other")
	}
	a.next("torve help config")
	return nil
}

// agentLine says of one agent whether it is here, whether its cost is told, and what
// starts it.
func (a *app) agentLine(ctx context.Context, name string, width int, run string, settings map[string]agent.Setting, usual string) {
	mark := " "
	if name == usual {
		mark = "*"
	}
	lead := fmt.Sprintf("%s %-*s  ", mark, width, name)
	tells := "its cost is unknown"
	if agent.Priced(name, settings) {
		tells = "says what it costs"
	}
	a.tell("%s", a.wrapped(lead, agentState(ctx, name, settings)+"; "+tells, len(lead)))
	if run != "" {
		a.tell("%*s%s", len(lead), "", a.style().Cut(run, a.style().Width-len(lead)))
	}
}

// agentState is its version, or what it lacks.
func agentState(ctx context.Context, name string, settings map[string]agent.Setting) string {
	ad, err := agent.Find(name, settings, process.Look)
	if err != nil {
		return err.Error()
	}
	if missing := ad.Missing(); missing != "" {
		why, _, _ := strings.Cut(missing, ";") // the advice is the same for all
		return "not here: " + strings.TrimPrefix(strings.TrimPrefix(why, "agent "+name+": "), "the program ")
	}
	return first(ad.Version(ctx), "here")
}
