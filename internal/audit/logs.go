package audit

import (
	"bytes"
	"context"
	"slices"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/truth"
)

// askLogs asks that each log in the target's tree is what the record renders for the
// attempt that landed.
func (i *inquiry) askLogs(ctx context.Context) (int, error) {
	if i.Head == "" {
		return 0, nil
	}
	entries, err := i.Repo.Tree(ctx, i.Head, contract.Folder+"/")
	if err != nil {
		return 0, err
	}
	logs := map[string]git.Entry{}
	for _, e := range entries {
		logs[e.Path] = e
	}
	of := 0
	for _, t := range i.tasks() {
		s := i.r.Settled(t.ID)
		l := s.Landing()
		e, there := logs[carrier.LogPath(t.ID)]
		switch {
		case l == nil && !there:
			continue
		case l == nil:
			i.differ("alone", t.ID, "%s is on %s, and no landing of the task is", e.Path, i.Target).by("git log -- " + e.Path)
		case !there:
			_, asked := logs[contract.PathOf(t.ID)] // who puts a task's folder away puts its log away
			if asked && s.State() == board.Landed && l.Attempt > 0 && len(entriesUpTo(t, l.Attempt)) > 0 {
				i.differ("missing", t.ID, "it landed with notes, and its log is not on %s", i.Target).by("git log -- " + carrier.LogPath(t.ID))
			}
		default:
			if err := i.logAs(ctx, t, l.Attempt, e); err != nil {
				return of, err
			}
		}
		of++
	}
	return of, nil
}

// logAs compares one log, byte by byte, with what the record says over the same base.
func (i *inquiry) logAs(ctx context.Context, t *board.Task, attempt int, e git.Entry) error {
	data, err := i.Repo.Blob(ctx, e.ID)
	if err != nil {
		return err
	}
	l, err := carrier.ReadLog(e.Path, data)
	if err != nil {
		i.differ("broken", t.ID, "%v", err).by("git log -p -- " + e.Path)
		return nil
	}
	want := truth.LogOf(t, l.Base)
	want.Entries = entriesUpTo(t, attempt)
	rendered, err := carrier.WriteLog(want)
	if err != nil {
		return err
	}
	if !bytes.Equal(rendered, data) || !slices.Contains(bases(t, attempt), l.Base) {
		i.differ("edited", t.ID, "%s is not what the record says was noted", e.Path).by("git log -p -- " + e.Path)
	}
	return nil
}

// entriesUpTo are a task's notes as far as one attempt and those before it made them.
func entriesUpTo(t *board.Task, attempt int) []carrier.Entry {
	return slices.DeleteFunc(truth.EntriesOf(t), func(e carrier.Entry) bool { return attempt > 0 && e.Attempt > attempt })
}

// bases are the commits that an attempt's work stood on when it was asked.
func bases(t *board.Task, attempt int) []string {
	a := t.Attempt(attempt)
	if a == nil {
		return nil
	}
	out := []string{a.Started.Base}
	if a.Finished != nil {
		out = append(out, a.Finished.Base)
	}
	for _, j := range a.Judged {
		out = append(out, j.Head)
	}
	return out
}
