package attempt

import (
	"context"
	"fmt"

	"torve/internal/board"
	"torve/internal/record"
)

// standpoint is where kept work stands when it is asked: the commit that it was cut
// from, or a later head that it was cut again on.
type standpoint struct{ base, tree string }

// stands says where kept work stands. Work that freshness refused although it merges
// is not at fault: what asks it next cuts it again on the head as it is then, and from
// there on that is where it stands. Where it does not merge it stands where it was
// cut, and freshness finds the conflict itself.
func (s *Station) stands(ctx context.Context, of board.Attempt, anew bool, head string) (standpoint, error) {
	f := of.Finished
	base, stale := f.Base, false
	for _, j := range of.Judged {
		if stale && j.Moment == "arrival" && j.Head != "" {
			base, stale = j.Head, false
		}
		stale = stale || outlived(j.Judged)
	}
	if stale && anew {
		base = head
	}
	if base == f.Base {
		return standpoint{f.Base, f.Tree}, nil
	}
	m, err := s.Repo.Merge(ctx, f.Base, base, f.Head)
	if err != nil {
		return standpoint{}, fmt.Errorf("cutting %s again on %s: %w", short(f.Head), short(base), err)
	}
	if len(m.Conflicts) > 0 {
		return standpoint{f.Base, f.Tree}, nil
	}
	return standpoint{base, m.Tree}, nil
}

// outlived is freshness' no to work that merges with the head.
func outlived(j record.Judged) bool {
	return j.Verdict == "refused" && j.Check == "freshness" && len(j.Conflicts) == 0
}
