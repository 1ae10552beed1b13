package cli

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"torve/internal/carrier"
	"torve/internal/view"
)

func (a *app) feedbackCmd() *cobra.Command {
	var f carrier.Feedback
	var minutes float64
	c := &cobra.Command{
		Use:     "feedback task",
		Short:   "what a task took of you: minutes, and whether it had to be done again",
		Example: `    torve feedback T-0007 --minutes 12 --rework --note "renamed by hand"`,
		Args:    oneArg("feedback", "a task id", "torve feedback T-0001 --minutes 5"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("minutes") {
				f.Minutes = &minutes
			}
			f.Task, f.Note = args[0], noSecrets(strings.TrimSpace(f.Note))
			return a.runFeedback(c.Context(), f)
		},
	}
	c.Flags().Float64Var(&minutes, "minutes", 0, "how long it took you, `M` minutes; several rows add up")
	c.Flags().BoolVar(&f.Rework, "rework", false, "it, or a part of it, had to be done again")
	c.Flags().StringVar(&f.Note, "note", "", "a `LINE` for whoever plans the next tasks")
	return c
}

func (a *app) runFeedback(ctx context.Context, f carrier.Feedback) error {
	s, _, who, err := a.ledgers(ctx, "feedback", f.Task)
	if err != nil {
		return err
	}
	f.At, f.By = a.now(), who
	if err := s.append("feedback", carrier.AppendFeedback(s.ledger("feedback.jsonl"), f)); err != nil {
		return err
	}
	a.say("%s: noted in .torve/feedback.jsonl", f.Task)
	a.next("torve context")
	return nil
}

// isUnknown reports whether nothing is called what was asked for.
func isUnknown(err error) bool {
	var u *view.Unknown
	return errors.As(err, &u)
}

// isDisk reports whether the disk, and not what was written, is at fault.
func isDisk(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
}
