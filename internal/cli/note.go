package cli

import (
	"github.com/spf13/cobra"

	"torve/internal/attempt"
	"torve/internal/carrier"
)

func (a *app) noteCmd() *cobra.Command {
	var d carrier.Divergence
	c := &cobra.Command{
		Use:   `note "claim" --decision S-0001/D-2 --action departed`,
		Short: "from inside an attempt: say what was done about a decision",
		Args:  oneArg("note", "a claim", `torve note "300, not 200" --decision S-0001/D-2 --action departed --evidence law.go:42 --why "..."`),
		RunE: func(_ *cobra.Command, args []string) error {
			d.Claim = args[0]
			return a.runNote(d)
		},
	}
	f := c.Flags()
	f.StringVar(&d.Decision, "decision", "unlisted", "the `ROW` it is about, or unlisted")
	f.StringVar(&d.Action, "action", "decided", "a `WORD`: upheld, departed, decided or halted")
	f.StringVar(&d.Evidence, "evidence", "", "`PATH:LINE` in your tree, or a command and its output")
	f.StringVar(&d.Why, "why", "", "why it departs")
	f.StringVar(&d.Proposal, "proposal", "", "a `LINE`: what the decision should say")
	return c
}

// runNote adds one entry to the attempt's notes.
func (a *app) runNote(d carrier.Divergence) error {
	report := a.env("TORVE_REPORT")
	if report == "" {
		return usage("note", "torve help grades", "it works from inside an attempt, and TORVE_REPORT is not set")
	}
	if err := attempt.AddNote(report, d); err != nil {
		return usage("note", "torve note --help", "%v", err)
	}
	a.say("noted %s: %s", d.Decision, d.Action)
	return nil
}
