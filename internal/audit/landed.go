package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/truth"
)

// askLanded compares the landings of git with those of the record, both ways.
func (i *inquiry) askLanded(ctx context.Context) (int, error) {
	there := map[string]bool{}
	for _, f := range i.r.Landings {
		there[f.Path] = true
	}
	for _, l := range i.landings {
		told, known := i.story.landings[l.path]
		switch {
		case l.other: // named already
		case !known:
			i.unrecorded(l)
		default:
			i.recordedAs(l, told)
		}
	}
	return len(i.landings), i.lost(ctx, there)
}

// unrecorded is a landing that git holds and the record does not. It is never overruled.
func (i *inquiry) unrecorded(l *loadedLanding) {
	i.differ("unrecorded", l.Task, "git holds its landing, and the record does not: %s", l.path).
		mends(func(ctx context.Context, h Hands) (string, error) {
			if err := h.observe(ctx, i.r.Board); err != nil {
				return "", err
			}
			return "recorded the landing of " + l.Task + " as found in git", nil
		})
	i.contractOf(l)
}

// recordedAs compares what the file says with what the record says of it.
func (i *inquiry) recordedAs(l *loadedLanding, told told) {
	for _, pair := range []struct{ what, file, record string }{
		{"task", l.Task, told.task}, {"commit", l.Commit, told.Commit}, {"tree", l.Tree, told.Tree},
		{"onto", l.Onto, told.Onto}, {"contract", l.Contract, told.Contract},
	} {
		if pair.file != pair.record && !(pair.what == "commit" && told.Observed) {
			i.differ("otherwise", l.Task, "its landing file says %s %s, and the record says %s", pair.what, short(pair.file), short(pair.record)).
				by("torve why " + l.Task)
			return
		}
	}
	i.contractOf(l)
}

// contractOf asks that a landing was bound by a contract that was minted, and carries its
// decisions as minted. Of a task that the record never minted, nothing can be asked.
func (i *inquiry) contractOf(l *loadedLanding) {
	minted := i.story.minted[l.Task]
	if len(minted) == 0 {
		return
	}
	rows, known := minted[l.Contract]
	if !known {
		i.differ("contract", l.Task, "its landing file names contract %s, and the record minted %s", short(l.Contract), listed(digests(minted))).
			by("torve why " + l.Task)
		return
	}
	if !slices.Equal(l.Decisions, decisionsOf(rows)) && len(l.Cut) == 0 {
		i.differ("decisions", l.Task, "its landing file carries other decisions than were minted with contract %s", short(l.Contract)).
			by("torve why " + l.Task)
	}
}

func digests(minted map[string][]record.Row) []string {
	var out []string
	for _, d := range slices.Sorted(maps.Keys(minted)) {
		out = append(out, short(d))
	}
	return out
}

func decisionsOf(rows []record.Row) []carrier.Decision {
	out := make([]carrier.Decision, 0, len(rows))
	for _, r := range rows {
		out = append(out, carrier.Decision{ID: r.ID, Grade: r.Grade, Text: r.Text})
	}
	return out
}

// lost names the landings that the record holds and no history does; one that a commit
// took away is told, and is a person's doing.
func (i *inquiry) lost(ctx context.Context, there map[string]bool) error {
	var removed, heads, away []string
	var lost []*board.Task
	for _, t := range i.tasks() {
		if t.Landing == nil || t.State != board.Landed && t.State != board.Reverted || there[t.Landing.Path] {
			continue
		}
		if i.broken(t.ID) {
			continue // it is there and does not read: named already
		}
		s := i.r.Settled(t.ID)
		if s.State() == board.Landed && record.Shared(i.Log) { // truth found it to be another clone's
			away = append(away, t.ID)
			continue
		}
		commit, _ := s.RemovedBy()
		if commit == "" {
			c, err := i.history.of(ctx, t.Landing.Path)
			if err != nil {
				return err
			}
			if len(c.gone) > 0 {
				commit = c.gone[0].Commit
			}
		}
		if commit != "" {
			removed = append(removed, fmt.Sprintf("%s by %s", t.ID, short(commit)))
			continue
		}
		lost, heads = append(lost, t), append(heads, t.Landing.Head)
	}
	commits, err := i.Repo.Present(ctx, heads)
	if err != nil {
		return err
	}
	for _, t := range lost {
		i.lostLine(t, commits)
	}
	if len(away) > 0 {
		i.note("landed from another clone, and %s here does not have that yet: %s", i.Target, listed(away))
	}
	if len(removed) > 0 {
		i.note("landed, and its landing was removed since: %s", listed(removed))
	}
	return nil
}

func (i *inquiry) broken(task string) bool {
	return slices.ContainsFunc(i.r.Faults, func(f truth.Fault) bool { return isLanding(f) && f.Task == task })
}

func (i *inquiry) lostLine(t *board.Task, there map[string]string) {
	next := "torve requeue " + t.ID
	if there[t.Landing.Head] == "commit" {
		next = "git merge " + short(t.Landing.Head)
	}
	i.differ("lost", t.ID, "the record has it landed, and no commit of %s holds %s", i.Target, t.Landing.Path).by(next)
}
