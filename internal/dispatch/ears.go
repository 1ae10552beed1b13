package dispatch

import (
	"context"
	"sync"
	"time"

	"torve/internal/record"
)

// ears hear the record while a run lasts: a person who stops a task that the run holds,
// and what others do that may let something start.
type ears struct {
	mu      sync.Mutex
	stops   map[string]chan struct{} // by claim; closed when a person stops it
	stirred chan struct{}            // another's fact has come since it was last asked
}

// of is the channel that is closed when a claim's task is stopped. The message may come
// before whoever holds the claim asks.
func (e *ears) of(claim string) chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stops == nil {
		e.stops = map[string]chan struct{}{}
	}
	if e.stops[claim] == nil {
		e.stops[claim] = make(chan struct{})
	}
	return e.stops[claim]
}

func (e *ears) stop(claim string) {
	c := e.of(claim)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !isClosed(c) {
		close(c)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (e *ears) stir() {
	select {
	case e.stirred <- struct{}{}:
	default: // it is known already
	}
}

// deaf is how long a record that cannot be read is left alone before it is asked again.
const deaf = time.Second

// listen hears the record from a seq on, until the end that it gives is called.
func (r *run) listen(ctx context.Context, from record.Seq) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		for said := false; ctx.Err() == nil; {
			for e, err := range r.Log.Watch(ctx, r.Partition, from) {
				if err != nil {
					if !said && ctx.Err() == nil {
						r.note(Note{Kind: "warn", Text: "torve stop is not heard while the record cannot be read: " + err.Error()})
					}
					said = true
					break
				}
				said, from = false, e.Seq+1
				r.hear(e)
			}
			pause(ctx, deaf)
		}
	}()
	return func() { cancel(); <-over }
}

// hear takes in one event. What this run wrote itself it knows.
func (r *run) hear(e record.Event) {
	if e.Kind == record.KindMessage {
		if m, err := record.Decode(e); err == nil && e.Actor.Kind == record.ByPerson {
			if m := m.(record.Message); m.Text == record.Stop {
				r.ears.stop(m.To)
			}
		}
		return
	}
	switch e.Kind {
	case record.KindReleased, record.KindMinted, record.KindReminted, record.KindResolved, record.KindLanded:
		if !r.holds(e.Claim) {
			r.ears.stir()
		}
	}
}

// pause waits; false when one of the stops came first. It counts awake time.
func pause(ctx context.Context, d time.Duration, stops ...<-chan struct{}) bool {
	ctx, cancel := either(ctx, stops...)
	defer cancel()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
