package cli

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/agent"
	"torve/internal/process"
)

func (a *app) agentsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "agents",
		Short: "what is installed, and how it is run",
		Args:  noArgs("agents"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.noJSON("agents"); err != nil {
				return err
			}
			return a.runAgents(c.Context())
		},
	}
}

func (a *app) runAgents(ctx context.Context) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	settings := s.agents()
	var names []string
	for n := range settings {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		a.agentLine(ctx, n, strings.Join(settings[n].Run, " "), settings, s.cfg.Agent.Default)
	}
	for _, k := range agent.Known() {
		if _, own := settings[k.Name]; !own {
			a.agentLine(ctx, k.Name, strings.Join(k.Run, " "), settings, s.cfg.Agent.Default)
		}
	}
	a.say("\n* is the default. Your own: torve help config")
	return nil
}

func (a *app) agentLine(ctx context.Context, name, run string, settings map[string]agent.Setting, usual string) {
	mark := " "
	if name == usual {
		mark = "*"
	}
	state := "installed"
	ad, err := agent.Find(name, settings, process.Look)
	switch {
	case err != nil:
		state = err.Error()
	case ad.Missing() != "":
		state = "not here: " + ad.Missing()
	default:
		if v := ad.Version(ctx); v != "" {
			state = v
		}
	}
	a.say("%s %-10s %s", mark, name, state)
	if run != "" {
		a.say("  %-10s %s", "", fmt.Sprintf("runs: %s", cut(run, 62)))
	}
}
