package board

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"torve/internal/record"
)

// atOnce is how many parts of whole tasks are read in one question, some megabytes.
const atOnce = 48

// Read makes tasks whole of which the board has a mark. What is amiss with the snapshot
// that they lie in is no error: then they are read from all events. Tasks are replaced and
// never changed, so that whoever holds the board before sees what was there.
func (b *Board) Read(ctx context.Context, tasks ...string) error {
	var unread []*Task
	for _, id := range tasks {
		if t := b.Tasks[id]; t != nil && t.mark != nil {
			unread = append(unread, t)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	b.own(len(unread))
	return b.whole(ctx, unread, func(t *Task) { b.Tasks[t.ID] = t })
}

// ReadAll is Read of every task.
func (b *Board) ReadAll(ctx context.Context) error {
	if b.kept == nil {
		return nil
	}
	err := b.Read(ctx, slices.Collect(maps.Keys(b.Tasks))...)
	if err == nil {
		b.kept = nil
	}
	return err
}

// Each hands on every task whole, in no order, and keeps none that was not.
func (b *Board) Each(ctx context.Context, do func(*Task)) error {
	var unread []*Task
	for _, t := range b.Tasks {
		if t.mark != nil {
			unread = append(unread, t)
			continue
		}
		do(t)
	}
	if len(unread) == 0 {
		return nil
	}
	return b.whole(ctx, unread, do)
}

// own takes a map of tasks for the board alone, where others hold the one that it has.
func (b *Board) own(n int) {
	if k := b.kept; k.lent {
		mine := *k
		mine.lent = false
		b.kept, b.Tasks = &mine, maps.Clone(b.Tasks)
	}
}

// whole hands on tasks whole of which there are marks.
func (b *Board) whole(ctx context.Context, unread []*Task, take func(*Task)) error {
	parts := map[string][]*Task{}
	for _, t := range unread {
		parts[partOf(t)] = append(parts[partOf(t)], t)
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(parts)), atOnce) {
		found, err := b.kept.find(ctx, names, parts)
		if record.Lost(err) {
			return err
		}
		if err != nil {
			var left []*Task
			for _, tasks := range parts {
				left = append(left, tasks...)
			}
			return b.replay(ctx, left, take)
		}
		for _, name := range names {
			delete(parts, name)
		}
		for _, tasks := range found {
			for _, t := range tasks {
				take(t)
			}
		}
	}
	return nil
}

// find reads parts of the snapshot and gives of each the tasks that are wanted. A writer may
// have put another snapshot in its place meanwhile: what the events of a task come to is
// the same in both, or it has another last event or another state.
func (k *kept) find(ctx context.Context, names []string, wanted map[string][]*Task) ([][]*Task, error) {
	s, err := k.store.Kept(ctx, k.partition, snapshotName, names...)
	if err != nil {
		return nil, err
	}
	if s.Form != Form || s.Seq < k.seq {
		return nil, errStale
	}
	found, faults := make([][]*Task, len(names)), make([]error, len(names))
	side(len(names), func(i int) { found[i], faults[i] = pick(s.Parts[names[i]], wanted[names[i]]) })
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// pick takes the tasks out of a part of which there are marks.
func pick(part []byte, marks []*Task) ([]*Task, error) {
	tasks, err := unpackTasks(part)
	if err != nil {
		return nil, err
	}
	there := make(map[string]*Task, len(tasks))
	for i := range tasks {
		there[tasks[i].ID] = &tasks[i]
	}
	found := make([]*Task, 0, len(marks))
	for _, m := range marks {
		t := there[m.ID]
		if t == nil || !m.marks(t) {
			return nil, fmt.Errorf("its parts do not agree on %s: %w", m.ID, errStale)
		}
		found = append(found, t)
	}
	return found, nil
}

// marks reports whether a mark is of the task as it is.
func (t *Task) marks(whole *Task) bool {
	return t.ID == whole.ID && t.State == whole.State && t.Last == whole.Last && t.MintSeq == whole.MintSeq
}

// replay hands on tasks as all events up to the board's last have them.
func (b *Board) replay(ctx context.Context, unread []*Task, take func(*Task)) error {
	whole, err := upTo(ctx, b.kept.log, b.kept.partition, b.Seq)
	if err != nil {
		return err
	}
	for _, m := range unread {
		t := whole.Tasks[m.ID]
		if whole.Hash != b.Hash || t == nil {
			return fmt.Errorf("reading %s: %w", m.ID, &record.Broken{Rule: "R1", Why: "the record is another than it was"})
		}
		take(t)
	}
	return nil
}
