package postgres

import (
	"context"
	"iter"

	"torve/internal/record"
)

var _ record.Memories = (*Log)(nil)

// Remember writes the rows in one transaction.
func (l *Log) Remember(ctx context.Context, p record.Partition, rows ...record.Memory) error {
	panic("unwritten")
}

// Memories yields the rows a page at a time; between pages nothing is held.
func (l *Log) Memories(ctx context.Context, p record.Partition, villager string) iter.Seq2[record.Memory, error] {
	panic("unwritten")
}
