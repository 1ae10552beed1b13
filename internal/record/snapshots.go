package record

import "context"

// Snapshot is what a writer computed of a partition's events, up to one of them, so that
// a reader need not read them all again. It is no event and no carrier: nothing is true
// because a snapshot says so.
type Snapshot struct {
	Name  string // what it is of
	Form  string // of the code that wrote it; no other code reads it
	Seq   Seq    // the last event that it holds
	Hash  string // that event's hash
	Parts map[string][]byte

	// Upon is, of one that is to be kept, the seq of the snapshot that it goes on from: a
	// part whose body is nil has not changed since. It may be 0 where no part is nil.
	Upon Seq
}

// Snapshots is what a store may offer beside its log: a place for them. Whoever takes one
// asks first that the event at its seq has its hash, and does without it where anything is
// amiss: the events alone say what happened.
type Snapshots interface {
	// Keep puts a snapshot in the place of the one of its name, the whole of it or nothing.
	// One of the same form that is newer stays as it is. Parts whose body is nil stay as they
	// lie in the store: where what is there is of another form, older than Upon, or has no
	// such part, it is ErrMoved and nothing is written.
	Keep(ctx context.Context, p Partition, s Snapshot) error
	// Kept gives the snapshot of a name as it is at one moment, with those of its parts that
	// are named, or all when none is; a name that ends in / is all parts below it. ErrNone
	// where none is kept; ErrDamaged where a part is not as it was written.
	Kept(ctx context.Context, p Partition, name string, parts ...string) (Snapshot, error)
}
