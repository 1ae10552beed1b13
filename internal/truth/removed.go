package truth

import (
	"context"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
)

// removed finds the tasks whose landing file is in history and no longer in the
// tree. It is asked only where it can matter: the board says landed and the tree
// does not, or a contract is committed that neither a landing nor a record knows.
func (g *gathering) removed(ctx context.Context) error {
	tasks := g.doubtful()
	if g.Head == "" || len(tasks) == 0 {
		return nil
	}
	gone, err := g.deleted(ctx)
	if err != nil {
		return err
	}
	for _, task := range tasks {
		if d, there := gone[task]; there {
			g.say(FromRemoved(task, g.Target, d.path, d.commit))
			continue
		}
		t := g.recorded(task)
		if t == nil {
			continue
		}
		moved, err := g.headMoved(ctx)
		if err != nil {
			return err
		}
		if !moved {
			g.say(FromRemoved(task, g.Target, t.Landing.Path, ""))
		}
	}
	return nil
}

// doubtful lists the tasks without a landing that may have had one.
func (g *gathering) doubtful() []string {
	var tasks []string
	for task := range g.said {
		if g.spoke(task, Landing) {
			continue
		}
		if g.recorded(task) != nil || !g.spoke(task, Board) {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// recorded is the task when the board has it landed with a landing file.
func (g *gathering) recorded(task string) *board.Task {
	if g.r.Board == nil {
		return nil
	}
	t := g.r.Board.Tasks[task]
	if t == nil || t.State != board.Landed || t.Landing == nil {
		return nil
	}
	return t
}

type deletion struct{ path, commit string }

// deleted lists, by task, the newest commit of the head's history that took a
// landing file of it out of the tree.
func (g *gathering) deleted(ctx context.Context) (map[string]deletion, error) {
	args := []string{"log", "--no-renames", "--diff-filter=D", "--format=%x00%H", "--name-only", "-z", g.Head, "--"}
	for _, p := range carrier.LandingPrefixes() {
		args = append(args, strings.TrimSuffix(p, "/"))
	}
	out, err := g.Repo.Run(ctx, args...)
	if err != nil {
		return nil, err
	}
	gone := map[string]deletion{}
	commit := ""
	for _, field := range strings.Split(out, "\x00") {
		field = strings.TrimSpace(field)
		task, _, _, isLanding := carrier.ParseLandingPath(field)
		switch {
		case isLanding:
			if _, newer := gone[task]; !newer {
				gone[task] = deletion{path: field, commit: commit}
			}
		case field != "" && !strings.Contains(field, "/"):
			commit = field
		}
	}
	return gone, nil
}

// headMoved reports whether the target has moved since its head was resolved: then
// the record may speak of a landing that the tree which was read cannot hold yet.
func (g *gathering) headMoved(ctx context.Context) (bool, error) {
	refs, err := g.Repo.Refs(ctx, "refs/heads/"+g.Target)
	if err != nil {
		return false, err
	}
	now, there := refs["refs/heads/"+g.Target]
	return there && now != g.Head, nil
}
