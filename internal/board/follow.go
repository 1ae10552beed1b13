package board

import (
	"context"
	"errors"
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

	mu      sync.Mutex
	now     *Board
	kept    record.Seq // of the snapshot that lies in the store; 0: none that is of use
	changed changes    // since that one
}

// Follow begins with nothing read.
func Follow(log record.Log, p record.Partition) *Follower { return &Follower{log: log, partition: p} }

// Partition is the one that is followed.
func (f *Follower) Partition() record.Partition { return f.partition }

// Now is the board as it is now, every task whole. What it gave before never changes.
func (f *Follower) Now(ctx context.Context) (*Board, error) {
	return f.give(ctx, (*Board).ReadAll)
}

// Glance is Now for who asks more of a few tasks alone: see the function of that name.
func (f *Follower) Glance(ctx context.Context) (*Board, error) {
	return f.give(ctx, func(*Board, context.Context) error { return nil })
}

func (f *Follower) give(ctx context.Context, read func(*Board, context.Context) error) (*Board, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b, err := f.advance(ctx)
	if err == nil {
		err = read(b, ctx)
	}
	if err != nil {
		return nil, err
	}
	f.now = b
	return b.lend(), nil
}

// lend is the board for somebody else: what is read on it is read on it alone.
func (b *Board) lend() *Board {
	given := *b
	if b.kept != nil {
		b.kept.lent = true
		k := *b.kept
		given.kept = &k
	}
	return &given
}

func (f *Follower) advance(ctx context.Context) (*Board, error) {
	if f.now != nil && f.now.Seq > 0 {
		if b, err := f.since(ctx); err == nil || record.Lost(err) || ctx.Err() != nil {
			return b, err
		}
	}
	b, changed, err := glance(ctx, f.log, f.partition)
	if err == nil {
		f.kept, f.changed = 0, changed
		if b.kept != nil {
			f.kept = b.kept.seq
		}
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
	return f.now.with(ctx, events[1:], f.changed)
}

// with is the board after more events; this one stays as it is. What they change is told.
func (b *Board) with(ctx context.Context, events []record.Event, changed changes) (*Board, error) {
	if len(events) == 0 {
		return b, nil
	}
	next := b.lend()
	next.Tasks, next.Decisions, next.Spends = maps.Clone(b.Tasks), maps.Clone(b.Decisions), slices.Clip(b.Spends)
	if next.kept != nil {
		next.kept.lent = false
	}
	own := map[string]bool{}
	for _, e := range events {
		ids := touched(e)
		if err := next.Read(ctx, ids...); err != nil {
			return nil, err
		}
		for _, id := range ids {
			if t := next.Tasks[id]; t != nil && !own[id] {
				next.Tasks[id], own[id] = t.clone(), true
			}
		}
		changed.of(next, ids)
		if err := next.Apply(e); err != nil {
			return nil, err
		}
		changed.of(next, ids)
	}
	return next, nil
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
// is for who has written; what was given last is kept, and of it what has changed since the
// snapshot that lies there.
func (f *Follower) Keep(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	store, keeps := f.log.(record.Snapshots)
	if !keeps || f.now == nil || f.now.Seq < f.kept+enough {
		return nil
	}
	err := record.ErrMoved
	if f.kept > 0 {
		err = f.keep(ctx, store, f.changed)
	}
	if errors.Is(err, record.ErrMoved) { // what lies there is not what it goes on from
		err = f.keep(ctx, store, nil)
	}
	if err == nil {
		f.kept, f.changed = f.now.Seq, changes{}
	}
	return err
}

func (f *Follower) keep(ctx context.Context, store record.Snapshots, changed changes) error {
	b := f.now.lend()
	var unread []string
	for id, t := range b.Tasks {
		if t.mark != nil && (changed == nil || changed[partOf(t)]) {
			unread = append(unread, id)
		}
	}
	if err := b.Read(ctx, unread...); err != nil {
		return err
	}
	s := b.pack(changed)
	s.Upon = f.kept
	return store.Keep(ctx, f.partition, s)
}

// Forget puts an empty snapshot, which nobody reads, in the place of the one that is kept.
func Forget(ctx context.Context, store record.Snapshots, p record.Partition) error {
	return store.Keep(ctx, p, record.Snapshot{Name: snapshotName})
}
