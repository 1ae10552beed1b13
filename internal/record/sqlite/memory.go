package sqlite

import (
	"context"
	"database/sql"
	"iter"

	"torve/internal/record"
)

// What the villagers of a bench remember. Like the ledger it has no rowid.
const memory = `
CREATE TABLE memory (
	partition TEXT NOT NULL,
	id INTEGER NOT NULL,
	villager TEXT NOT NULL,
	tick INTEGER NOT NULL,
	register TEXT NOT NULL CHECK (register IN ('saw', 'did')),
	text TEXT NOT NULL,
	PRIMARY KEY (partition, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_villager ON memory (partition, villager, id);
`

// memoryGuards are its triggers, by name, and what keeps it and events apart.
var memoryGuards = map[string]string{
	"memory_no_update": `CREATE TRIGGER memory_no_update BEFORE UPDATE ON memory
BEGIN SELECT RAISE(ABORT, 'memory is append-only (R1)'); END`,
	"memory_no_delete": `CREATE TRIGGER memory_no_delete BEFORE DELETE ON memory
BEGIN SELECT RAISE(ABORT, 'memory is append-only (R1)'); END`,
	"memory_next": `CREATE TRIGGER memory_next BEFORE INSERT ON memory
WHEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM memory WHERE partition = NEW.partition)
	OR EXISTS (SELECT 1 FROM event WHERE partition = NEW.partition)
BEGIN SELECT RAISE(ABORT, 'memory grows at its end alone (R1), in a partition without events (R7)'); END`,
	"event_first": `CREATE TRIGGER event_first BEFORE INSERT ON event
WHEN NEW.seq = 1 AND (EXISTS (SELECT 1 FROM proposal WHERE partition = NEW.partition)
	OR EXISTS (SELECT 1 FROM memory WHERE partition = NEW.partition))
BEGIN SELECT RAISE(ABORT, 'the partition is a bench''s, whose rows are carried by no event (R7)'); END`,
}

const remember = `INSERT INTO memory (partition, id, villager, tick, register, text)
	SELECT ?1, coalesce(max(id), 0) + 1, ?2, ?3, ?4, ?5 FROM memory WHERE partition = ?1`

var _ record.Memories = (*Log)(nil)

func makeMemory(ctx context.Context, c *sql.Conn) error { return execute(ctx, c, memory, memoryGuards) }

// Remember gives the rows their ids where they are written.
func (l *Log) Remember(ctx context.Context, p record.Partition, rows ...record.Memory) error {
	rows, err := record.AdmitMemories(rows)
	if err != nil {
		return err
	}
	return l.bench(ctx, p, len(rows), func(w *writer) error {
		for _, m := range rows {
			_, err := w.conn.ExecContext(context.Background(), remember, string(p), m.Villager, m.Tick, m.Register, m.Text)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Memories yields the rows a page at a time; between pages nothing is held.
func (l *Log) Memories(ctx context.Context, p record.Partition, villager string) iter.Seq2[record.Memory, error] {
	return l.memory(ctx, p, villager).Rows()
}

func (l *Log) memory(ctx context.Context, p record.Partition, villager string) record.Table[record.Memory] {
	return record.Table[record.Memory]{After: func(id int64) (rows []record.Memory, err error) {
		if err := l.usable(); err != nil {
			return nil, err
		}
		err = l.rows.query(ctx, func(db *sql.DB) error {
			rows, err = memories(ctx, db, p, villager, id)
			return err
		})
		return rows, fault("reading the table memory of", l.path, err)
	}}
}

func memories(ctx context.Context, db *sql.DB, p record.Partition, villager string, after int64) ([]record.Memory, error) {
	if there, err := has(ctx, db, "memory"); err != nil || !there {
		return nil, err
	}
	from, args := "memory WHERE partition = ?1", []any{string(p), after, record.PageRows}
	if villager != "" {
		from, args = "memory INDEXED BY memory_villager WHERE partition = ?1 AND villager = ?4", append(args, villager)
	}
	rows, err := db.QueryContext(ctx, "SELECT id, villager, tick, register, text FROM "+from+" AND id > ?2 ORDER BY id LIMIT ?3", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []record.Memory
	for size := 0; rows.Next() && size <= record.PageBytes; {
		var m record.Memory
		if err := rows.Scan(&m.ID, &m.Villager, &m.Tick, &m.Register, &m.Text); err != nil {
			return nil, err
		}
		all = append(all, m)
		size += len(m.Text)
	}
	return all, rows.Err()
}
