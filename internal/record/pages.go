package record

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
)

// A page is at most PageRows rows, and ends with the row that makes its bodies more than
// PageBytes: a reader holds no transaction while its consumer works.
const (
	PageRows  = 1000
	PageBytes = 8 << 20
)

// Pages fetches one page of a partition's rows from a seq on, in their order, and says
// whether there may be more. Reading by it is the same for every store.
type Pages func(ctx context.Context, p Partition, from Seq) (rows []Stored, more bool, err error)

// Read yields events a page at a time; between pages nothing is held.
func (fetch Pages) Read(ctx context.Context, p Partition, from Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if _, err := fetch.events(ctx, p, max(from, 1), yield); err != nil {
			yield(Event{}, err)
		}
	}
}

// Watch is Read, and then, whenever wait returns, Read from where it was, until ctx ends. An
// error of wait ends it.
func (fetch Pages) Watch(ctx context.Context, p Partition, from Seq, wait func(context.Context) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		next, err := max(from, 1), error(nil)
		for {
			if next, err = fetch.events(ctx, p, next, yield); next == 0 || ctx.Err() != nil {
				return
			}
			if err == nil {
				err = wait(ctx)
			}
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				yield(Event{}, err)
				return
			}
		}
	}
}

// Stored yields the rows as they lie there, gaps and all.
func (fetch Pages) Stored(ctx context.Context, p Partition) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		for next, more := Seq(0), true; more; {
			var rows []Stored
			var err error
			if rows, more, err = fetch(ctx, p, next); err != nil {
				yield(Stored{}, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				next = row.Seq + 1
			}
		}
	}
}

// events yields what there is from next on, and gives where to go on; 0 when the consumer
// has had enough. A place where the seqs have a gap is an error: what comes after it is not
// the record.
func (fetch Pages) events(ctx context.Context, p Partition, next Seq, yield func(Event, error) bool) (Seq, error) {
	hash := "" // of the event before; not known where the reading begins
	for {
		rows, more, err := fetch(ctx, p, next)
		if err != nil {
			return next, err
		}
		events, faults := parsed(p, rows, hash)
		for i, row := range rows {
			if row.Seq != next {
				return next, &Broken{Rule: "R2", Seq: row.Seq, Why: fmt.Sprintf("event %d is missing before it", next)}
			}
			if faults[i] != nil {
				return next, faults[i]
			}
			hash = row.Hash
			if next++; !yield(events[i], nil) {
				return 0, nil
			}
		}
		if !more {
			return next, nil
		}
	}
}

// fewRows are parsed in less time than it takes to share them out.
const fewRows = 32

// parsed reads the rows of a page, after the event of a hash, by all processors: reading is
// most of the time that a fold of a long record takes. What is wrong with a row stands in its
// place.
func parsed(p Partition, rows []Stored, hash string) ([]Event, []error) {
	events, faults := make([]Event, len(rows)), make([]error, len(rows))
	workers := runtime.GOMAXPROCS(0)
	if len(rows) < fewRows {
		workers = 1
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(rows); i += workers {
				before := hash
				if i > 0 {
					before = rows[i-1].Hash
				}
				if faults[i] = rows[i].Follows(before); faults[i] == nil {
					events[i], faults[i] = rows[i].read(p)
				}
			}
		})
	}
	group.Wait()
	return events, faults
}

// read gives a row as the event that a reader gets: what its columns say is asked (R6), and
// its payload is left to Decode.
func (row Stored) read(p Partition) (Event, error) {
	e, err := ParseBody(row.Body)
	if err == nil {
		err = row.Says(e)
	}
	if err != nil {
		return e, &Broken{Rule: "R6", Seq: row.Seq, Why: err.Error()}
	}
	e.Partition, e.Seq, e.Prev, e.Hash = p, row.Seq, row.Prev, row.Hash
	return e, nil
}

// Bodies are events as their canonical bytes.
func Bodies(events []Event) ([][]byte, error) {
	bodies := make([][]byte, len(events))
	for i, e := range events {
		body, err := e.Body()
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", e.Kind, err)
		}
		bodies[i] = body
	}
	return bodies, nil
}
