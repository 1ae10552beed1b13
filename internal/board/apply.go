package board

import (
	"fmt"
	"iter"
	"runtime"
	"sync"
	"time"

	"torve/internal/record"
)

// batch is how many events are decoded at once.
const batch = 512

// Fold replays a log from its start. Its error is the log's, or names the event
// whose payload does not decode.
func Fold(events iter.Seq2[record.Event, error]) (*Board, error) {
	b := &Board{}
	some := make([]record.Event, 0, batch)
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if some = append(some, e); len(some) == batch {
			if err := b.applyAll(some); err != nil {
				return nil, err
			}
			some = some[:0]
		}
	}
	return b, b.applyAll(some)
}

// applyAll is Apply of one after the other, but that they are decoded by all processors
// first: what a payload says does not depend on the board.
func (b *Board) applyAll(events []record.Event) error {
	does, faults := make([]func(), len(events)), make([]error, len(events))
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(events); i += workers {
				does[i], faults[i] = b.change(events[i])
			}
		})
	}
	group.Wait()
	for i, e := range events {
		if err := b.apply(e, does[i], faults[i]); err != nil {
			return err
		}
	}
	return nil
}

// Apply takes the next event. It fails only on a payload that does not decode as
// its kind; a fact that makes no sense in the present state is kept as far as it
// goes and changes no more. An event that is on the board already changes nothing.
func (b *Board) Apply(e record.Event) error {
	change, err := b.change(e)
	return b.apply(e, change, err)
}

func (b *Board) apply(e record.Event, change func(), err error) error {
	if e.Seq != 0 && e.Seq <= b.Seq {
		return nil
	}
	if err == nil {
		err = b.here(e)
	}
	if err != nil {
		return fmt.Errorf("folding the record: %w", err)
	}
	b.Seq, b.Hash = e.Seq, e.Hash
	b.Events++
	if e.Task != "" {
		b.task(e.Task).Last = e.Seq
	}
	change()
	return nil
}

// change binds a payload to what it does to the board; one line a kind. A mint is
// the one that can still fail: its contract is decoded first.
func (b *Board) change(e record.Event) (func(), error) {
	p, err := record.Decode(e)
	if err != nil {
		return nil, err
	}
	switch p := p.(type) {
	case record.Source:
		return func() { b.source(p) }, nil
	case record.Decision:
		return func() { b.decision(p) }, nil
	case record.Minted:
		return b.mint(e, p)
	case record.Reminted:
		return b.remint(e, p)
	case record.Withdrawn:
		return func() { b.withdrawn(e) }, nil
	case record.Claimed:
		return func() { b.claimed(e, p) }, nil
	case record.Released:
		return func() { b.released(e, p) }, nil
	case record.Started:
		return func() { b.started(e, p) }, nil
	case record.Finished:
		return func() { b.finished(e, p) }, nil
	case record.Judged:
		return func() { b.judged(e, p) }, nil
	case record.Divergence:
		return func() { b.divergence(e, p) }, nil
	case record.Review:
		return func() { b.reviewed(e) }, nil
	case record.Blocker:
		return func() { b.reviewed(e) }, nil
	case record.Proposed:
		return func() { b.proposed(e, p) }, nil
	case record.Landed:
		return func() { b.landed(e, p) }, nil
	case record.Escalation:
		return func() { b.escalation(e, p) }, nil
	case record.Resolved:
		return func() { b.resolved(e, p) }, nil
	case record.Message:
		return func() {}, nil // it moves nothing but the task's last event
	case record.Spend:
		return func() { b.spend(e, p) }, nil
	}
	return nil, fmt.Errorf("event %d is of kind %s, which the board does not know", e.Seq, e.Kind)
}

// task finds a task, or makes one that has no contract in force.
func (b *Board) task(id string) *Task {
	if t := b.Tasks[id]; t != nil {
		return t
	}
	if b.Tasks == nil {
		b.Tasks = map[string]*Task{}
	}
	t := &Task{ID: id, State: Withdrawn}
	b.Tasks[id] = t
	return t
}

// move sets a state and when it began; a state that is set already began before.
func (t *Task) move(s State, at time.Time) {
	if t.State != s {
		t.State, t.Since = s, at
	}
}

// closed is where no fact of a run moves a task: only a mint, a landing or a person does.
func (t *Task) closed() bool {
	switch t.State {
	case Landed, Reverted, Escalated, Abandoned, Withdrawn:
		return true
	}
	return false
}

// work moves a task that is being worked on. Without an open claim nobody works
// on it, and a state in flight would last for ever.
func (t *Task) work(s State, at time.Time) {
	if t.closed() || t.Claim == nil {
		return
	}
	t.move(s, at)
}

// queue puts a task back; one that has no contract cannot be queued.
func (t *Task) queue(at time.Time) {
	if t.Digest == "" {
		t.move(Withdrawn, at)
		return
	}
	t.move(Queued, at)
}
