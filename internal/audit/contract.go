package audit

import (
	"context"

	"torve/internal/board"
	"torve/internal/record"
)

// askContracts asks that the file that a contract was minted from is still in git. The
// record's copy binds all the same; without the file nobody can read it in a clone.
func (i *inquiry) askContracts(ctx context.Context) (int, error) {
	var ids []string
	var minted []*board.Task
	for _, t := range i.tasks() {
		if t.Digest != "" && t.Blob != "" {
			ids, minted = append(ids, t.Blob), append(minted, t)
		}
	}
	there, err := i.Repo.Present(ctx, ids)
	if err != nil {
		return 0, err
	}
	var away []string
	for _, t := range minted {
		if t.State == board.Withdrawn || t.State == board.Abandoned || there[t.Blob] != "" {
			continue
		}
		if record.Shared(i.Log) {
			away = append(away, t.ID)
			continue
		}
		i.differ("gone", t.ID, "its contract was minted from blob %s, which git no longer has", short(t.Blob)).
			by("commit " + t.Path + " again; the recorded copy binds until then")
	}
	if len(away) > 0 {
		i.note("minted in another clone, and %s here does not have the contract yet: %s", i.Target, listed(away))
	}
	return len(minted) - len(away), nil
}
