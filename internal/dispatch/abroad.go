package dispatch

import (
	"context"
	"fmt"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
)

// survey tells of each task that may be taken up what keeps it from this clone: in a record
// that several share, one may rest on what another has and this one has not. Such a task
// is left to that clone: nothing of it is fetched, and nothing is recorded.
func (r *run) survey(ctx context.Context, rd *truth.Reading, rows []board.Row) error {
	r.abroad = map[string]string{}
	if !record.Shared(r.Log) {
		return nil
	}
	here, err := rd.Here(ctx, r.Repo, r.Log)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Claim != nil || row.State != board.Queued && row.State != board.Ready {
			continue
		}
		why, _, err := Apart(ctx, here, rd, row.Task)
		if err != nil {
			return err
		}
		if why != "" {
			r.abroad[row.ID] = why
		}
	}
	return nil
}

// Apart says what of a task that waits to be taken up is in another clone alone; "" when
// nothing is that its next step needs. What was pushed from there may be pulled.
func Apart(ctx context.Context, here truth.Here, rd *truth.Reading, t *board.Task) (why string, pull bool, err error) {
	if f, committed := rd.Contracts[t.ID]; !committed || f.Digest != t.Digest {
		switch pulled, err := here.Contract(ctx, t); {
		case err != nil:
			return "", false, err
		case !pulled:
			return here.Unpulled(t), true, nil
		}
	}
	s := next(t, memory{})
	from := t.Attempt(s.of)
	if from == nil || s.do == doAttempt && s.mode != "repair" && s.mode != "continue" {
		return "", false, nil
	}
	if kept, err := here.Kept(ctx, from); kept || err != nil {
		return "", false, err
	}
	does := "it goes on there"
	if t.State == board.Ready {
		does = "it lands there"
	}
	return fmt.Sprintf("the tree of attempt %d is in %s: %s", from.N, from.Place(), does), false, nil
}
