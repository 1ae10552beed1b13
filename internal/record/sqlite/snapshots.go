package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"torve/internal/failpoint"
	"torve/internal/record"
)

// shelf is where snapshots lie: apart from the events, made when the first is kept. A
// program that knows nothing of them passes them over, so that the version is the same.
const shelf = `
CREATE TABLE IF NOT EXISTS snapshot (
	partition TEXT NOT NULL,
	name TEXT NOT NULL,
	form TEXT NOT NULL,
	seq INTEGER NOT NULL,
	hash TEXT NOT NULL,
	PRIMARY KEY (partition, name)
) STRICT;
CREATE TABLE IF NOT EXISTS snapshot_part (
	partition TEXT NOT NULL,
	name TEXT NOT NULL,
	part TEXT NOT NULL,
	sum TEXT NOT NULL,
	body BLOB NOT NULL,
	PRIMARY KEY (partition, name, part)
) STRICT;
`

var _ record.Snapshots = (*Log)(nil)

// Keep writes the parts that differ from what is there, and drops those that are gone.
func (l *Log) Keep(ctx context.Context, p record.Partition, s record.Snapshot) error {
	if l.write == nil {
		return record.ErrReadOnly
	}
	w, err := l.take(ctx)
	if err != nil {
		return err
	}
	defer func() { l.write <- w }()
	err = transact(ctx, w.conn, func() error { return keep(w.conn, p, s) })
	failpoint.Hit(failpoint.RecordKept)
	if errors.Is(err, record.ErrMoved) {
		return err
	}
	return fault("keeping a snapshot in", l.path, err)
}

func keep(c *sql.Conn, p record.Partition, s record.Snapshot) error {
	ctx := context.Background() // inside the transaction there are only milliseconds left
	if _, err := c.ExecContext(ctx, shelf); err != nil {
		return err
	}
	have, err := head(ctx, c, p, s.Name)
	if err != nil && !errors.Is(err, record.ErrNone) {
		return err
	}
	if err == nil && have.Form == s.Form && have.Seq > s.Seq {
		return nil
	}
	sums, err := sumsOf(ctx, c, p, s.Name)
	if err != nil {
		return err
	}
	write, drop, err := s.Over(have, sums)
	if err != nil {
		return err
	}
	for part, sum := range write {
		_, err := c.ExecContext(ctx, "REPLACE INTO snapshot_part (partition, name, part, sum, body) VALUES (?, ?, ?, ?, ?)",
			string(p), s.Name, part, sum, s.Parts[part])
		if err != nil {
			return err
		}
	}
	for _, part := range drop {
		_, err := c.ExecContext(ctx, "DELETE FROM snapshot_part WHERE partition = ? AND name = ? AND part = ?", string(p), s.Name, part)
		if err != nil {
			return err
		}
	}
	_, err = c.ExecContext(ctx, "REPLACE INTO snapshot (partition, name, form, seq, hash) VALUES (?, ?, ?, ?, ?)",
		string(p), s.Name, s.Form, int64(s.Seq), s.Hash)
	return err
}

func sumsOf(ctx context.Context, c *sql.Conn, p record.Partition, name string) (map[string]string, error) {
	rows, err := c.QueryContext(ctx, "SELECT part, sum FROM snapshot_part WHERE partition = ? AND name = ?", string(p), name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	sums := map[string]string{}
	for rows.Next() {
		var part, sum string
		if err := rows.Scan(&part, &sum); err != nil {
			return nil, err
		}
		sums[part] = sum
	}
	return sums, rows.Err()
}

func head(ctx context.Context, a asker, p record.Partition, name string) (record.Snapshot, error) {
	s := record.Snapshot{Name: name, Parts: map[string][]byte{}}
	err := a.QueryRowContext(ctx, "SELECT form, seq, hash FROM snapshot WHERE partition = ? AND name = ?", string(p), name).
		Scan(&s.Form, &s.Seq, &s.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		return s, record.ErrNone
	}
	return s, err
}

// Kept reads head and parts in one transaction.
func (l *Log) Kept(ctx context.Context, p record.Partition, name string, parts ...string) (record.Snapshot, error) {
	if err := l.usable(); err != nil {
		return record.Snapshot{}, err
	}
	var s record.Snapshot
	err := l.rows.query(ctx, func(db *sql.DB) (err error) {
		s, err = kept(ctx, db, p, name, parts)
		return err
	})
	if errors.Is(err, record.ErrNone) {
		return s, err
	}
	return s, fault("reading a snapshot in", l.path, err)
}

func kept(ctx context.Context, db *sql.DB, p record.Partition, name string, parts []string) (record.Snapshot, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return record.Snapshot{}, err
	}
	defer tx.Rollback() //nolint:errcheck // it wrote nothing
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name IN ('snapshot', 'snapshot_part')").Scan(&tables); err != nil {
		return record.Snapshot{}, err
	}
	if tables != 2 {
		return record.Snapshot{}, record.ErrNone
	}
	s, err := head(ctx, tx, p, name)
	if err != nil {
		return s, err
	}
	return s, readParts(ctx, tx, p, parts, s)
}

// readParts reads the bodies of the parts that are named: those by their whole names at
// once, and what lies below each of the others. No other body is fetched.
func readParts(ctx context.Context, tx *sql.Tx, p record.Partition, parts []string, s record.Snapshot) error {
	const ask = "SELECT part, sum, body FROM snapshot_part WHERE partition = ? AND name = ?"
	if len(parts) == 0 {
		return readInto(ctx, tx, s, ask, string(p), s.Name)
	}
	named := []string{}
	for _, part := range parts {
		below, is := strings.CutSuffix(part, "/")
		if !is {
			named = append(named, part)
			continue
		}
		// 0 is the sign behind the slash.
		if err := readInto(ctx, tx, s, ask+" AND part > ? AND part < ?", string(p), s.Name, part, below+"0"); err != nil {
			return err
		}
	}
	if len(named) == 0 {
		return nil
	}
	list, err := json.Marshal(named)
	if err != nil {
		return err
	}
	return readInto(ctx, tx, s, ask+" AND part IN (SELECT value FROM json_each(?))", string(p), s.Name, string(list))
}

func readInto(ctx context.Context, tx *sql.Tx, s record.Snapshot, ask string, args ...any) error {
	rows, err := tx.QueryContext(ctx, ask, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var part, sum string
		var body []byte
		if err := rows.Scan(&part, &sum, &body); err != nil {
			return err
		}
		if err := s.Take(part, sum, body); err != nil {
			return err
		}
	}
	return rows.Err()
}
