package record

import (
	"context"
	"errors"
	"iter"
	"slices"
)

// ErrMoved is returned by Append when its condition no longer holds: nothing was written.
var ErrMoved = errors.New("the record has moved on")

// ErrElsewhere is returned when a partition belongs to another repository.
var ErrElsewhere = errors.New("the partition belongs to another repository")

// ErrNone is returned by a read-only open where there is no record.
var ErrNone = errors.New("there is no record here")

// ErrTaken is returned by Append when an event's id is in the partition with another body.
var ErrTaken = errors.New("the event id is taken by another event")

// ErrReadOnly is returned by Append on a log that was opened to be read.
var ErrReadOnly = errors.New("the record was opened to be read")

// ErrUnwritable is returned where the store, or the folder that it is in, may not be written.
var ErrUnwritable = errors.New("it is read-only here")

// ErrNewer is returned by an open whose store was written by a newer version of the program.
var ErrNewer = errors.New("a newer torve wrote it")

// ErrDamaged is returned where a store's own file is broken.
var ErrDamaged = errors.New("the store's file is damaged")

// ErrReplaced is returned by every use of a log whose store was put aside, or another in its
// place, while it was open.
var ErrReplaced = errors.New("the record was replaced or removed while it was in use")

// ErrUnreachable is returned where a store does not answer: nothing listens, it refuses the
// connection, or it went away and did not come back in time.
var ErrUnreachable = errors.New("the store cannot be reached")

// ErrRefused is returned where a store answers and lets this user not do what is asked: a
// wrong password, a database that is not there, a role without the right.
var ErrRefused = errors.New("the store refuses it")

// ErrBehind is returned by an open of a store whose tables are missing or of an older
// version: it is brought up to date by a person, and by nothing else.
var ErrBehind = errors.New("the store has not been migrated")

// ErrFull is returned where a store has no room left.
var ErrFull = errors.New("the store is full")

// ErrSlow is returned where a store gave up on what was asked: it took longer than the time
// that it was given, or others held what it waited for. Nothing was written.
var ErrSlow = errors.New("the store gave it up after its time limit")

// ErrClosed is returned by every use of a log after its Close.
var ErrClosed = errors.New("the record is closed")

// Lost reports whether an error of a store says that asking it anything else is of no use, and
// may only take its time again: it is away, refuses, was closed, or the asker has gone.
func Lost(err error) bool {
	return slices.ContainsFunc([]error{ErrUnreachable, ErrRefused, ErrClosed, context.Canceled, context.DeadlineExceeded},
		func(is error) bool { return errors.Is(err, is) })
}

// Log is one store of partitions. Both drivers pass recordtest.
type Log interface {
	// Append adds events in one transaction if cond holds inside it, and
	// returns the last one's seq. An event id already in the partition with the
	// same body is taken as written before: a retry is harmless, and one whose
	// every event is there asks no condition. A claim of a task whose claim is
	// open is ErrMoved.
	Append(ctx context.Context, p Partition, cond Cond, events ...Event) (Seq, error)
	// Read yields every event from seq on, paged inside; an error ends it and is
	// never a silent prefix.
	Read(ctx context.Context, p Partition, from Seq) iter.Seq2[Event, error]
	// Watch is Read that then waits for what comes, until ctx ends; that end is no error.
	Watch(ctx context.Context, p Partition, from Seq) iter.Seq2[Event, error]
	// Check asks R1 to R7 and names the first fault, as a *Broken.
	Check(ctx context.Context, p Partition) error
	// Close may be called twice.
	Close() error
}
