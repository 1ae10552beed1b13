package truth

import (
	"context"
	"fmt"
	"strings"

	"torve/internal/carrier"
	"torve/internal/git"
)

// HighestLanded is the highest attempt of a task that a landing file in the history of a
// head names, whether the file still stands in its tree or was taken out; 0 when none does.
func HighestLanded(ctx context.Context, repo *git.Repo, head, task string) (int, error) {
	args := []string{"log", "--full-history", "-m", "--no-renames", "--diff-filter=A", "--format=", "--name-only", "-z", head, "--"}
	for _, p := range carrier.LandingPrefixes() {
		args = append(args, strings.TrimSuffix(p, "/"))
	}
	out, err := repo.Run(ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("reading the landings of %s in the history of %s: %w", task, short(head), err)
	}
	highest := 0
	for path := range strings.SplitSeq(out, "\x00") {
		if of, n, _, is := carrier.ParseLandingPath(strings.TrimLeft(path, "\n")); is && of == task {
			highest = max(highest, n)
		}
	}
	return highest, nil
}
