package board

import (
	"context"
	"maps"
	"slices"
	"sync"

	"torve/internal/record"
)

// enough is how many events come before another snapshot is worth its writing: they are
// read and applied in some milliseconds.
const enough = 500

// Follower is the board of one partition for who asks again and again: each time only what
// has come since is read. Its methods may be called by several goroutines.
type Follower struct {
	log       record.Log
	partition record.Partition

	mu   sync.Mutex
	now  *Board
	kept record.Seq // of the snapshot that lies in the store
}

// Follow begins with nothing read.
func Follow(log record.Log, p record.Partition) *Follower { return &Follower{log: log, partition: p} }

// Partition is the one that is followed.
func (f *Follower) Partition() record.Partition { return f.partition }

// Now is the board as it is now. What it gave before never changes.
func (f *Follower) Now(ctx context.Context) (*Board, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b, err := f.advance(ctx)
	if err != nil {
		return nil, err
	}
	f.now = b
	given := *b
	return &given, nil
}

func (f *Follower) advance(ctx context.Context) (*Board, error) {
	if f.now != nil && f.now.Seq > 0 {
		if b, err := f.since(ctx); err == nil || ctx.Err() != nil {
			return b, err
		}
	}
	b, kept, err := resume(ctx, f.log, f.partition, false)
	if err == nil {
		f.kept = kept
	}
	return b, err
}

// since is the board with what has come since; an error where the record does not go on
// from there.
func (f *Follower) since(ctx context.Context) (*Board, error) {
	var events []record.Event
	for e, err := range f.log.Read(ctx, f.partition, f.now.Seq) {
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	if len(events) == 0 || events[0].Seq != f.now.Seq || events[0].Hash != f.now.Hash {
		return nil, errStale
	}
	return f.now.with(events[1:])
}

// with is the board after more events; this one stays as it is.
func (b *Board) with(events []record.Event) (*Board, error) {
	if len(events) == 0 {
		return b, nil
	}
	next := *b
	next.Tasks, next.Decisions, next.Spends = maps.Clone(b.Tasks), maps.Clone(b.Decisions), slices.Clip(b.Spends)
	own := map[string]bool{}
	for _, e := range events {
		for _, id := range touched(e) {
			if t := next.Tasks[id]; t != nil && !own[id] {
				next.Tasks[id], own[id] = t.clone(), true
			}
		}
		if err := next.Apply(e); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// clone is a task that may be changed without changing this one: what an event changes in
// place is copied, what it replaces is not.
func (t *Task) clone() *Task {
	c := *t
	c.Attempts = slices.Clone(t.Attempts)
	for i := range c.Attempts {
		c.Attempts[i].Judged = slices.Clip(c.Attempts[i].Judged)
	}
	c.Log, c.Spends = slices.Clip(t.Log), slices.Clip(t.Spends)
	return &c
}

// Keep leaves a snapshot for whoever reads next, where enough has come since the last. It
// is for who has written; what Now gave last is kept.
func (f *Follower) Keep(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	store, keeps := f.log.(record.Snapshots)
	if !keeps || f.now == nil || f.now.Seq < f.kept+enough {
		return nil
	}
	err := store.Keep(ctx, f.partition, f.now.pack())
	if err == nil {
		f.kept = f.now.Seq
	}
	return err
}

// Forget puts an empty snapshot, which nobody reads, in the place of the one that is kept.
func Forget(ctx context.Context, store record.Snapshots, p record.Partition) error {
	return store.Keep(ctx, p, record.Snapshot{Name: snapshotName})
}
