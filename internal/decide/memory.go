package decide

import (
	"context"
	"fmt"

	"torve/internal/record"
	"torve/internal/village"
)

// remember gives the table of memory what the prompt took over of the villager's stream. What
// the table holds of it already, from a question before, is not given again; where it holds
// another life, nothing is.
func (b *bench) remember(ctx context.Context, v village.Villager) error {
	handed := memories(v.Name, b.world.Handed(v.ID))
	held, err := b.remembered(ctx, v.Name)
	if err != nil {
		return err
	}
	for i := range min(len(held), len(handed)) {
		held[i].ID = 0
		if held[i] != handed[i] {
			return unfit("-partition "+string(b.At)+"-2", "%s holds another life of %s: its row %d is of tick %d, %q, and here it is of tick %d, %q",
				b.At, v.Name, i+1, held[i].Tick, shown(held[i].Text), handed[i].Tick, handed[i].Text)
		}
	}
	fresh := handed[min(len(held), len(handed)):]
	if len(fresh) > 0 {
		if err := b.Store.Remember(ctx, b.At, fresh...); err != nil {
			return fmt.Errorf("appending what %s remembers: %w", v.Name, err)
		}
	}
	b.line("  the prompt has taken over %d rows of %s's stream; the memory held %d of them, and %d are appended", len(handed), v.Name, len(handed)-len(fresh), len(fresh))
	return nil
}

// remembered is the partition's memory: a villager's, or of all.
func (b *bench) remembered(ctx context.Context, who string) ([]record.Memory, error) {
	var all []record.Memory
	for m, err := range b.Store.Memories(ctx, b.At, who) {
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}
