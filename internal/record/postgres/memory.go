package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

var _ record.Memories = (*Log)(nil)

// remember adds rows to a memory, after the one of an id, while the partition is held.
const remember = `INSERT INTO memory (partition, id, villager, tick, register, text)
	SELECT $1, (SELECT coalesce(max(id), 0) FROM memory WHERE partition = $1) + n, ($2::text[])[n], ($3::bigint[])[n],
		($4::text[])[n], ($5::text[])[n] FROM generate_series(1, cardinality($2::text[])) n ORDER BY n`

// Remember gives the rows their ids where they are written.
func (l *Log) Remember(ctx context.Context, p record.Partition, rows ...record.Memory) error {
	rows, err := record.AdmitMemories(rows)
	if err != nil {
		return err
	}
	var villagers, registers, texts []string
	var ticks []int64
	for _, m := range rows {
		villagers, ticks = append(villagers, m.Villager), append(ticks, m.Tick)
		registers, texts = append(registers, m.Register), append(texts, m.Text)
	}
	w := bench{p: p, last: "SELECT coalesce(max(id), 0) FROM memory WHERE partition = $1", rows: len(rows), put: func(b *pgx.Batch) {
		b.Queue(remember, string(p), villagers, ticks, registers, texts)
	}}
	_, err = l.bench(ctx, w)
	return err
}

// Memories yields the rows a page at a time; between pages nothing is held.
func (l *Log) Memories(ctx context.Context, p record.Partition, villager string) iter.Seq2[record.Memory, error] {
	return l.memory(ctx, p, villager).Rows()
}

func (l *Log) memory(ctx context.Context, p record.Partition, villager string) record.Table[record.Memory] {
	return record.Table[record.Memory]{After: func(id int64) (rows []record.Memory, err error) {
		err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
			rows, err = memories(ctx, c, p, villager, id)
			return err
		})
		return rows, fault("reading the table memory of", l.where, err)
	}}
}

func memories(ctx context.Context, c *pgx.Conn, p record.Partition, villager string, after int64) ([]record.Memory, error) {
	text, args := "SELECT id, villager, tick, register, text FROM memory WHERE partition = $1 AND id > $2", []any{string(p), after, record.PageRows}
	if villager != "" {
		text, args = text+" AND villager = $4", append(args, villager)
	}
	rows, err := c.Query(ctx, text+" ORDER BY id LIMIT $3", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[record.Memory])
}
