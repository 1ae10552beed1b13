package record

import (
	"context"
	"errors"
	"iter"
)

// ErrNotEmpty is returned by Import into a partition that has an event.
var ErrNotEmpty = errors.New("the partition is not empty")

// Imports is what a store offers to take a whole partition from another.
type Imports interface {
	// Import writes events with the seqs and hashes that they have into a partition that has
	// none, all of them or, on any error, none, and gives the last one's seq. The store
	// computes the chain itself: an event whose hash is not what comes out is a *Broken.
	Import(ctx context.Context, p Partition, events iter.Seq2[Event, error]) (Seq, error)
}
