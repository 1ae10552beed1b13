package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"torve/internal/mint"
)

type mintDocument struct {
	Schema    string        `json:"schema"`
	Partition string        `json:"partition"`
	Tasks     []mint.Result `json:"tasks"`
}

func (a *app) mintCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "mint [task...]",
		Short: "read committed contracts into the record: from now on this copy is the law",
		Args:  taskArgs("mint", 0, -1),
		RunE:  func(c *cobra.Command, args []string) error { return a.runMint(c.Context(), args) },
	}
}

func (a *app) runMint(ctx context.Context, tasks []string) error {
	s, err := a.openToWrite(ctx, "mint")
	if err != nil {
		return err
	}
	m, err := s.minter(ctx)
	if err != nil {
		return err
	}
	results, err := m.Pass(ctx, tasks...)
	if err != nil {
		return broken("minting", "", err)
	}
	if a.json {
		if results == nil {
			results = []mint.Result{}
		}
		if err := writeJSON(a.out, mintDocument{"torve/mint/v1", string(s.named.partition), results}); err != nil {
			return err
		}
	} else {
		a.printMint(results)
	}
	return end(mintOutcome(results))
}

// openToWrite opens what every writing verb needs: settings and the record.
func (a *app) openToWrite(ctx context.Context, verb string) (*session, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.need(verb); err != nil {
		return nil, err
	}
	if err := s.openWrite(ctx, verb); err != nil {
		return nil, err
	}
	return s, writeSchemas(s.root())
}

func (a *app) printMint(results []mint.Result) {
	next := "torve dispatch"
	shown := 0
	for _, r := range results {
		if quietMint(r) && !a.verbose {
			continue
		}
		shown++
		a.say("%s", mintLine(r))
		if r.Hint != "" {
			a.say("          → %s", r.Hint)
			next = first(r.Hint)
		}
	}
	if len(results) == 0 {
		a.say("there is no contract on the target")
		next = `torve new "what you want" --allow 'where/**' --edit`
	} else if shown == 0 {
		a.say("nothing new: %d contracts are as they were minted", len(results))
	}
	a.say("next: %s", next)
}

// quietMint reports whether a result is nobody's news.
func quietMint(r mint.Result) bool {
	switch r.Outcome {
	case "unchanged", "landed", "in_flight":
		return true
	}
	return false
}

// mintLine is one result, as mint and dispatch print it.
func mintLine(r mint.Result) string {
	switch r.Outcome {
	case "minted", "reminted":
		line := fmt.Sprintf("%-9s %s  %.7s  %s", r.Outcome, r.ID, r.Digest, r.Title)
		if len(r.Changed) > 0 {
			line += "  (" + joined(r.Changed) + ")"
		}
		return line
	}
	return fmt.Sprintf("%-9s %s  %s", r.Outcome, r.ID, first(r.Why, r.Title))
}

// mintOutcome: a contract that is broken, uncommitted or elsewhere is a person's to mend.
func mintOutcome(results []mint.Result) Outcome {
	o := Done
	for _, r := range results {
		switch r.Outcome {
		case "broken", "uncommitted", "edited", "elsewhere":
			return Usage
		case "refused":
			o = NeedsPerson
		}
	}
	return o
}
