package truth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"torve/internal/carrier"
	"torve/internal/git"
	"torve/internal/record"
)

// unfetched tells, of the tasks that the record has landed and whose landing file no commit
// of the head has, those that landed from another clone: nobody has brought that here yet.
// So it is where the commit is not in this repository, or a remote's branch of the target
// holds the file. They stay landed, as the record has it. In a record of this clone alone
// there is no such task: a landing that is not here was taken away.
func (g *gathering) unfetched(ctx context.Context, lost []string) (map[string]bool, error) {
	there := map[string]bool{}
	if len(lost) == 0 || !record.Shared(g.Log) {
		return there, nil
	}
	held, err := g.onRemotes(ctx)
	if err != nil {
		return nil, err
	}
	for _, task := range lost {
		l := g.recorded(task).Landing
		if there[task] = held[l.Path]; there[task] {
			continue
		}
		switch _, err := g.Repo.ReadCommit(ctx, l.Commit); {
		case errors.Is(err, git.ErrNotFound):
			there[task] = true
		case err != nil:
			return nil, fmt.Errorf("looking for the landing of %s: %w", task, err)
		}
	}
	return there, nil
}

// onRemotes are the landing files in the trees of the target on remotes, as last fetched.
func (g *gathering) onRemotes(ctx context.Context) (map[string]bool, error) {
	refs, err := g.Repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for ref, id := range refs {
		if !strings.HasSuffix(ref, "/"+g.Target) || id == g.Head {
			continue
		}
		for _, prefix := range carrier.LandingPrefixes() {
			entries, err := g.Repo.Tree(ctx, id, strings.TrimSuffix(prefix, "/"))
			if err != nil {
				return nil, fmt.Errorf("listing the landings of %s: %w", ref, err)
			}
			for _, e := range entries {
				held[e.Path] = true
			}
		}
	}
	return held, nil
}

// awayFrom says of a task that landed from another clone why nothing of it is here.
func (g *gathering) awayFrom(task string) {
	if st := g.r.said[task][Board.place()]; st != nil {
		st.because = fmt.Sprintf("it landed as %s from another clone, and %s here does not have that yet", short(g.recorded(task).Landing.Commit), g.Target)
	}
}
