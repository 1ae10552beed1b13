package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/answer"
	"torve/internal/board"
	"torve/internal/view"
)

func (a *app) stopCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "stop task",
		Short: "end a running attempt; its tree is kept",
		Long: "end a running attempt, whichever dispatch runs it; its tree is kept, it does not count, " +
			"and the task needs you. The others go on.",
		Example: `    torve stop T-0007`,
		Args:    taskArgs("stop", 1, 1),
		RunE:    func(c *cobra.Command, args []string) error { return a.runStop(c.Context(), args[0]) },
	}
}

// saving is how long it may take, beyond what ends an agent, to keep its tree.
const saving = 2 * time.Minute

func (a *app) runStop(ctx context.Context, task string) error {
	s, err := a.openToWrite(ctx, "stop")
	if err != nil {
		return err
	}
	grace := time.Duration(s.cfg.Limits.Grace)
	got, err := s.answerer(ctx).Stop(ctx, task, 4*grace+saving, func(t board.Task) {
		if t.State == board.Running {
			a.say("%s", a.labelled("stopping", task, "its agent has "+view.Took(grace)+" to end"))
		}
	})
	if err != nil {
		return doing("stop", err)
	}
	return a.sayStopped(task, got)
}

// sayStopped says what is kept, or what the task came to before it could be stopped.
func (a *app) sayStopped(task string, got answer.Stopped) error {
	counts := "not counted"
	if got.Counts {
		counts = "counted, as its agent had ended"
	}
	switch {
	case got.State == board.Landed:
		a.say("%s", a.labelled("landed", task, "as "+view.Short(got.Commit)+" before it could be stopped"))
		a.next("git show " + view.Short(got.Commit))
		return nil
	case got.State != board.Escalated:
		a.say("%s", a.labelled("ended", task, "by itself before it could be stopped: it is "+string(got.State)))
		a.next("torve status " + task)
		return nil
	case got.Why != "killed":
		a.say("%s", a.labelled("ended", task, "by itself before it could be stopped: it needs you: "+got.Why))
		a.next("torve status " + task)
		return nil
	case got.Attempt == 0:
		a.say("%s", a.labelled("stopped", task, "before an agent was started"))
	case got.Kept == "":
		a.say("%s", a.labelled("stopped", task, fmt.Sprintf("attempt %d by %s, %s; it left nothing to keep", got.Attempt, got.Agent, counts)))
	case got.There != "":
		a.say("%s", a.labelled("stopped", task, fmt.Sprintf("attempt %d by %s, %s; its tree is kept in %s", got.Attempt, got.Agent, counts, got.There)))
	default:
		a.say("%s", a.labelled("stopped", task, fmt.Sprintf("attempt %d by %s, %s; its tree is kept: torve diff %s", got.Attempt, got.Agent, counts, task)))
	}
	a.next("torve requeue " + task)
	return nil
}
