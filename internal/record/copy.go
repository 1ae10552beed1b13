package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Entry is an event with the bytes that it is kept as.
type Entry struct {
	Event
	Bytes []byte
}

// Chained asks of events from the first one on, as they go by, what CheckEvents asks of rows:
// R2 to R6. A store inserts what it gives: what is broken comes out as a *Broken, and nothing
// after it.
func Chained(events iter.Seq2[Event, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		c := checker{open: map[string]string{}}
		for e, err := range events {
			var body []byte
			if err == nil {
				body, err = c.event(e)
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(Entry{e, body}, nil) {
				return
			}
		}
	}
}

// event asks an event, and gives its bytes: those that were read, since their hash is its own.
func (c *checker) event(e Event) ([]byte, error) {
	body, err := e.Body()
	if err != nil {
		return nil, &Broken{"R6", e.Seq, err.Error()}
	}
	if err := c.link(Stored{Seq: e.Seq, Prev: e.Prev, Hash: e.Hash, Body: body}); err != nil {
		return nil, err
	}
	p, err := Decode(e)
	return body, c.means(e, p, err)
}

// Copied says what a copy holds: the events from the first one on to the one that was the
// last when the reading came to it, which is the source as it was at that moment.
type Copied struct {
	Events Seq     // how many, and the last one's seq
	Hash   string  // the last one's
	Open   []Event // the claims that are open in it, oldest first
	Since  Seq     // how many more the source had when the copy was done
}

// Through counts events as they go by; what is open is known when all have.
func (c *Copied) Through(events iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		open := map[string]Event{} // by task
		for e, err := range events {
			if err == nil {
				c.Events, c.Hash = e.Seq, e.Hash
				switch {
				case e.Kind == KindClaimed:
					open[e.Task] = e
				case e.Kind == KindReleased && open[e.Task].Claim == e.Claim:
					delete(open, e.Task)
				}
			}
			if !yield(e, err) {
				return
			}
		}
		c.Open = slices.SortedFunc(maps.Values(open), func(a, b Event) int { return cmp.Compare(a.Seq, b.Seq) })
	}
}

// Take fills an empty partition of a log with events that keep their seqs and hashes, all of
// them or none, and asks afterwards of what is there whether it is whole and ends with the
// event that was given last. ErrNotEmpty when it has an event already. Of no events it
// writes nothing.
func Take(ctx context.Context, to Log, p Partition, events iter.Seq2[Event, error]) (Copied, error) {
	var c Copied
	store, can := to.(Imports)
	if !can {
		return c, errors.New("this store takes no copies")
	}
	last, err := store.Import(ctx, p, c.Through(events))
	if err != nil || last == 0 {
		return c, err
	}
	if err := to.Check(ctx, p); err != nil {
		return c, fmt.Errorf("checking what was written: %w", err)
	}
	_, err = c.ends(ctx, to, p)
	return c, err
}

// Copy is Take of a partition of another log, which it asks for its last event once more.
// ErrBench where it has rows that no event carries: they would be left behind.
func Copy(ctx context.Context, from, to Log, p, as Partition) (Copied, error) {
	c, err := Take(ctx, to, as, from.Read(ctx, p, 1))
	if err == nil && c.Events == 0 {
		err = Carried(ctx, from, p)
	}
	if err != nil || c.Events == 0 {
		return c, err
	}
	c.Since, err = c.ends(ctx, from, p)
	return c, err
}

// ends asks that a log's event at the copy's end is the copy's last one, and so, by the chain,
// that all before it are the same; it gives how many come after.
func (c Copied) ends(ctx context.Context, log Log, p Partition) (since Seq, err error) {
	at := ""
	for e, err := range log.Read(ctx, p, c.Events) {
		if err != nil {
			return 0, err
		}
		if e.Seq == c.Events {
			at = e.Hash
		}
		since = e.Seq - c.Events
	}
	if at != c.Hash {
		return 0, fmt.Errorf("event %d of %s has the hash %.7q, and the copy's has %.7q: %w", c.Events, p, at, c.Hash, ErrDamaged)
	}
	return since, nil
}

// Holds says how many events a partition has, and whether they are the first ones of a
// partition of another log.
func Holds(ctx context.Context, log, of Log, p, as Partition) (there Seq, same bool, err error) {
	var c Copied
	for _, err := range c.Through(log.Read(ctx, p, 1)) {
		if err != nil {
			return 0, false, err
		}
	}
	for e, err := range of.Read(ctx, as, c.Events) {
		return c.Events, err == nil && e.Hash == c.Hash, err
	}
	return c.Events, false, nil
}
