package audit

import (
	"context"
	"fmt"
	"slices"

	"torve/internal/board"
	"torve/internal/record"
	"torve/internal/truth"
)

// askSnapshots asks that whoever reads the record by what is kept beside it, to be quicker,
// reads the very same as from its events.
func (i *inquiry) askSnapshots(ctx context.Context) (int, error) {
	if _, keeps := i.Log.(record.Snapshots); !keeps {
		return 0, nil
	}
	if err := board.CheckSnapshot(ctx, i.Log, i.Partition); err != nil {
		if ctx.Err() != nil {
			return 0, err
		}
		i.kept("board", err)
	}
	from := i.Sources.Sources
	from.Memory, from.Brief = nil, false
	quick, err := truth.Gather(ctx, from)
	if err != nil {
		return 0, err
	}
	if !slices.EqualFunc(quick.Landings, i.r.Landings, sameFile) || len(quick.Faults) != len(i.r.Faults) {
		i.kept("landings", fmt.Errorf("%d landings by it, and %d in the tree", len(quick.Landings), len(i.r.Landings)))
	}
	return len(i.r.Board.Tasks) + len(i.r.Landings), nil
}

// kept names what is kept of something beside the record and is not what it should be.
func (i *inquiry) kept(what string, why error) {
	i.differ("otherwise", what, "what is kept of it beside the record is not what the events give: %v", why).
		mends(func(ctx context.Context, _ Hands) (string, error) {
			return "dropped what was kept of the " + what + "; the next who writes keeps it anew", truth.Forget(ctx, i.Log, i.Partition)
		})
}

func sameFile(a, b truth.LandingFile) bool {
	return a.Path == b.Path && a.Blob == b.Blob && a.Task == b.Task && slices.Equal(a.Reverts(), b.Reverts())
}
