package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

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

// SumOf is a part's SHA-256, in hex, as a store keeps it beside the part.
func SumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Over says what it takes to put s in the place of the snapshot that stands there, of whose
// parts the sums are given: which parts are written, with their sums, and which go. ErrMoved
// where a part that has not changed is not there.
func (s Snapshot) Over(was Snapshot, sums map[string]string) (write map[string]string, drop []string, err error) {
	write = map[string]string{}
	onward := was.Form == s.Form && was.Seq >= s.Upon
	for part, body := range s.Parts {
		if body == nil {
			if sums[part] == "" || !onward {
				return nil, nil, fmt.Errorf("the part %s of the snapshot %s: %w", part, s.Name, ErrMoved)
			}
		} else if sum := SumOf(body); sums[part] != sum {
			write[part] = sum
		}
	}
	for part := range sums {
		if _, stays := s.Parts[part]; !stays {
			drop = append(drop, part)
		}
	}
	return write, drop, nil
}

// Take puts a part that was read among those of s; ErrDamaged where it is not as it was written.
func (s Snapshot) Take(part, sum string, body []byte) error {
	if SumOf(body) != sum {
		return fmt.Errorf("%w: the part %s of the snapshot %s is not as it was written", ErrDamaged, part, s.Name)
	}
	s.Parts[part] = body
	return nil
}
