package truth

import (
	"context"
	"strings"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/record"
)

// removed finds the tasks whose landing file is in history and no longer in the
// tree. It is asked only where it can matter: the board says landed and the tree
// does not, or a contract is committed that neither a landing nor a record knows.
func (g *gathering) removed(ctx context.Context) error {
	tasks, err := g.doubtful(ctx)
	if err != nil {
		return err
	}
	if g.Head == "" || len(tasks) == 0 {
		return nil
	}
	gone, err := g.deletedOf(ctx)
	if err != nil {
		return err
	}
	var lost []string // the record has them landed, and no history does
	for _, task := range tasks {
		d, there := gone[task]
		t := g.recorded(task)
		switch {
		case t != nil && (!there || d.path != t.Landing.Path && record.Shared(g.Log)): // it may have landed again, elsewhere
			lost = append(lost, task)
		case there:
			g.gone(fromRemoved(task, g.Target, d.path, d.commit))
		}
	}
	if len(lost) == 0 {
		return nil
	}
	moved, err := g.headMoved(ctx)
	if err != nil || moved {
		return err
	}
	away, err := g.unfetched(ctx, lost)
	if err != nil {
		return err
	}
	for _, task := range lost {
		if away[task] {
			g.awayFrom(task)
			continue
		}
		if d, there := gone[task]; there {
			g.gone(fromRemoved(task, g.Target, d.path, d.commit))
			continue
		}
		g.gone(fromRemoved(task, g.Target, g.recorded(task).Landing.Path, ""))
	}
	return nil
}

// gone says that a landing was removed; without a contract on the head that ended the task.
func (g *gathering) gone(st Statement) {
	if _, committed := g.head[contract.PathOf(st.task)]; !committed {
		st = st.ended()
	}
	g.say(st)
}

// doubtful lists the tasks without a landing that may have had one. What has not simply
// landed is read whole here.
func (g *gathering) doubtful(ctx context.Context) ([]string, error) {
	var tasks, silent, other []string
	for task, said := range g.r.said {
		switch st := said[Landing.place()]; {
		case st == nil:
			silent = append(silent, task)
		case st.state != board.Landed || g.changed(task):
			other = append(other, task)
		}
	}
	if err := g.r.Read(ctx, append(other, silent...)...); err != nil {
		return nil, err
	}
	for _, task := range silent {
		if g.recorded(task) != nil || !g.spoke(task, Board) {
			tasks = append(tasks, task)
		}
	}
	return tasks, nil
}

// changed reports whether a contract's file of a task is not the very one that was minted.
func (g *gathering) changed(task string) bool {
	f, committed := g.r.Contracts[task]
	_, drafted := g.r.Drafts[task]
	return committed && f.Digest != "" || drafted
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

type deletion struct {
	path, commit string
	merge        bool
}

// deletedOf is deleted, walked once for a head.
func (g *gathering) deletedOf(ctx context.Context) (map[string]deletion, error) {
	m := g.Memory
	if m.gone != nil && m.at == g.Head {
		return m.gone, nil
	}
	gone, err := g.deleted(ctx)
	if err == nil {
		m.gone, m.at = gone, g.Head
	}
	return gone, err
}

// deleted lists, by task, the newest commit of the head's history that took a landing
// file of it out of the tree. All lines of the history are walked, and a merge counts
// where no other commit did it: whoever resolves one can drop a file without a trace.
func (g *gathering) deleted(ctx context.Context) (map[string]deletion, error) {
	const mark = "commit "
	args := []string{"log", "--full-history", "-m", "--no-renames", "--diff-filter=D", "--format=" + mark + "%H %P", "--name-only", "-z", g.Head, "--"}
	for _, p := range carrier.LandingPrefixes() {
		args = append(args, strings.TrimSuffix(p, "/"))
	}
	out, err := g.Repo.Run(ctx, args...)
	if err != nil {
		return nil, err
	}
	gone := map[string]deletion{}
	var now deletion
	for field := range strings.SplitSeq(out, "\x00") {
		field = strings.TrimLeft(field, "\n")
		if ids, isCommit := strings.CutPrefix(field, mark); isCommit {
			of := strings.Fields(ids)
			now = deletion{commit: of[0], merge: len(of) > 2}
			continue
		}
		task, _, _, isLanding := carrier.ParseLandingPath(field)
		if was, known := gone[task]; isLanding && (!known || was.merge && !now.merge) {
			now.path = field
			gone[task] = now
		}
	}
	return gone, nil
}

// headMoved reports whether the target has moved since its head was resolved: then
// the record may speak of a landing that the tree which was read cannot hold yet.
func (g *gathering) headMoved(ctx context.Context) (bool, error) {
	ref := g.Ref
	if ref == "" {
		ref = "refs/heads/" + g.Target
	}
	refs, err := g.Repo.Refs(ctx, ref)
	if err != nil {
		return false, err
	}
	now, there := refs[ref]
	return there && now != g.Head, nil
}
