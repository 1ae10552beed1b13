package dispatch

import (
	"context"
	"fmt"
	"strings"

	"torve/internal/board"
)

// evidence is what a further attempt is told: of the place (which command failed and
// its last line, the hunks that do not merge), never the verdict or its clause.
func (d *drive) evidence(ctx context.Context, t *board.Task, a *board.Attempt, head string) (string, error) {
	if m := d.m.last; m != nil && m.N == a.N && m.Evidence != "" {
		return m.Evidence, nil
	}
	j := a.Last()
	if j == nil || j.Verdict == "accepted" {
		return "", nil
	}
	if len(j.Conflicts) > 0 {
		return d.hunks(ctx, a, j, head)
	}
	var lines []string
	for _, ran := range j.Acceptance {
		if ran.Why != "" {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s\n%s", ran.Line, ran.Why, ran.Last)))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// hunks merges the kept work with the head again, for the hunks that conflict now; the
// paths alone where it merges by now.
func (d *drive) hunks(ctx context.Context, a *board.Attempt, j *board.Judging, head string) (string, error) {
	m, err := d.r.Repo.Merge(ctx, a.Finished.Base, head, a.Finished.Head)
	if err != nil {
		return "", fmt.Errorf("merging attempt %d with %s for its conflicts: %w", a.N, head, err)
	}
	if m.Hunks != "" {
		return m.Hunks, nil
	}
	return "changed on both sides:\n" + strings.Join(j.Conflicts, "\n"), nil
}
