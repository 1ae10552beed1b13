package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"torve/internal/contract"
	"torve/internal/mint"
	"torve/internal/view"
)

type mintDocument struct {
	Schema    string        `json:"schema"`
	Partition string        `json:"partition"`
	Tasks     []mint.Result `json:"tasks"`
}

func (a *app) mintCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "mint [task...]",
		Short: "freeze committed contracts: from now on this copy is the law",
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
	s.keep(ctx)
	if a.json {
		if results == nil {
			results = []mint.Result{}
		}
		if err := writeJSON(a.out, mintDocument{"torve/mint/v1", string(s.named.partition), results}); err != nil {
			return err
		}
	} else {
		a.printMint(results, len(tasks) > 0)
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
	if err := s.outside(verb); err != nil {
		return nil, err
	}
	if err := s.openWrite(ctx, verb); err != nil {
		return nil, err
	}
	return s, writeSchemas(s.root())
}

// openToPlan opens what a dry run of a writing verb needs: what the run would ask for, and
// the record as a read opens it. Nothing is created; where there is no record, nothing is minted.
func (a *app) openToPlan(ctx context.Context, verb string) (*session, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	for _, ask := range []func(string) error{s.need, s.outside, s.durable} {
		if err := ask(verb); err != nil {
			return nil, err
		}
	}
	return s, s.openOld(ctx)
}

// printMint prints what a pass did, a task at a time; what is nobody's news only when
// it was asked for by name.
func (a *app) printMint(results []mint.Result, named bool) {
	shown := 0
	for _, r := range results {
		if quietMint(r) && !a.verbose && !named {
			continue
		}
		shown++
		print := a.say
		if mintOutcome([]mint.Result{r}) != Done {
			print = a.tell
		}
		for _, line := range a.mintLines(r) {
			print("%s", line)
		}
	}
	switch {
	case len(results) == 0:
		a.say("there is no contract on the target")
	case shown == 0:
		a.say("nothing new: %s as minted", view.Count(len(results), "contract"))
	}
	a.next(mintNext(results))
}

// mintNext is the first thing that moves a task on.
func mintNext(results []mint.Result) string {
	var drafts []string
	for _, r := range results {
		if r.Outcome == mint.Uncommitted {
			drafts = append(drafts, r.ID)
		}
	}
	if len(drafts) > 0 {
		return view.Ask(drafts...)
	}
	for _, r := range results {
		if command := mends(r); command != "" {
			return command
		}
	}
	if len(results) == 0 {
		return `torve new "what you want" --allow 'where/**' --edit`
	}
	return "torve dispatch"
}

// mends is the command that mends what keeps a contract from the record; "" where nothing
// does, or where it takes more than a command.
func mends(r mint.Result) string {
	switch {
	case r.Outcome == mint.Broken:
		return "${EDITOR:-vi} " + contract.PathOf(r.ID)
	case mintOutcome([]mint.Result{r}) != Done && isCommand(r.Hint):
		return r.Hint
	}
	return ""
}

// quietMint reports whether a result is nobody's news.
func quietMint(r mint.Result) bool {
	switch r.Outcome {
	case mint.Unchanged, mint.Landed, mint.InFlight:
		return true
	}
	return false
}

// mintLines is one result, as mint and dispatch print it.
func (a *app) mintLines(r mint.Result) []string {
	lead := fmt.Sprintf("%-9s %s  ", r.Outcome, r.ID)
	var lines []string
	switch r.Outcome {
	case mint.Minted, mint.Reminted:
		tail := ""
		if len(r.Changed) > 0 {
			tail = "  (" + joined(r.Changed) + ")"
		}
		lead += fmt.Sprintf("%.7s  ", r.Digest)
		lines = []string{lead + a.style().Cut(r.Title, max(12, a.style().Width-len(lead)-len(tail))) + tail}
	default:
		lines = a.style().Lines(lead, first(r.Why, r.Title), 18)
	}
	switch {
	case r.Hint == "" || r.Outcome == mint.Uncommitted: // one command commits them all
	case isCommand(r.Hint):
		lines = append(lines, "          → "+r.Hint)
	default:
		lines = append(lines, a.style().Lines("          ", r.Hint, 10)...)
	}
	return lines
}

// mintOutcome: a contract that is broken, uncommitted, elsewhere or nowhere is a person's to mend.
func mintOutcome(results []mint.Result) Outcome {
	o := Done
	for _, r := range results {
		switch r.Outcome {
		case mint.Broken, mint.Uncommitted, mint.Edited, mint.Elsewhere, mint.Unknown:
			return Usage
		case mint.Refused:
			o = NeedsPerson
		}
	}
	return o
}
