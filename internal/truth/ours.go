package truth

import (
	"context"
	"fmt"

	"torve/internal/git"
	"torve/internal/record"
)

// Ours refuses a partition whose first event names a root commit that is not in this
// repository, as record.ErrElsewhere. One that has not named any yet is nobody's.
func Ours(ctx context.Context, repo *git.Repo, p record.Partition, root string) error {
	if root == "" {
		return nil
	}
	held, err := repo.HoldsRoot(ctx, root)
	if err == nil && !held {
		err = fmt.Errorf("it began at root commit %s, which is not in this repository: %w", short(root), record.ErrElsewhere)
	}
	if err != nil {
		return fmt.Errorf("partition %s: %w", p, err)
	}
	return nil
}
