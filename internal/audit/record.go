package audit

import (
	"context"
	"fmt"

	"torve/internal/record"
)

// askRecord asks R1 to R7. Where an event is not as it was written, nothing else is
// compared with what the record says; the guards of R1 and the ledger of R7 are no word about that.
func (i *inquiry) askRecord(ctx context.Context) (int, error) {
	found, err := broken(i.Log.Check(ctx, i.Partition))
	if err != nil {
		return 0, err
	}
	store := ".git/torve"
	if record.Shared(i.Log) {
		store = "the database"
	}
	for _, b := range found {
		subject := "the store"
		if b.Seq != 0 {
			subject = fmt.Sprintf("event %d", b.Seq)
		}
		i.differ(b.Rule, subject, "%s", b.Error()).by("put " + store + " back from a copy; what landed is in git: torve verify --files")
		if b.Rule != "R1" && b.Rule != "R7" {
			i.unsound = "the record is broken"
		}
	}
	return 7, nil
}

// askRoot asks that the partition's first event names a root commit of this repository.
// That it names another's is refused before anything is read.
func (i *inquiry) askRoot(context.Context) (int, error) {
	if i.story.events == 0 {
		return 0, nil
	}
	if i.r.Board.Root == "" {
		i.differ("unnamed", "event 1", "no event of partition %s names the repository's first commit", i.Partition).
			by("torve mint")
	}
	return 1, nil
}
