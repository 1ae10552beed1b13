package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"torve/internal/failpoint"
	"torve/internal/record"
)

var _ record.Snapshots = (*Log)(nil)

// Keep writes the parts that differ from what is there, and drops those that are gone. Two
// who keep one of the same name come one after the other: its head is theirs alone meanwhile.
func (l *Log) Keep(ctx context.Context, p record.Partition, s record.Snapshot) error {
	if l.write == nil {
		return record.ErrReadOnly
	}
	err := l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			return keep(ctx, tx, p, s)
		})
	})
	if err != nil {
		return fault("keeping a snapshot in", l.where, err)
	}
	failpoint.Hit(failpoint.RecordKept)
	return nil
}

// headOf puts a snapshot's head in its place, unless a newer one of its form is there.
const headOf = `INSERT INTO snapshot (partition, name, form, seq, hash) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (partition, name) DO UPDATE SET form = EXCLUDED.form, seq = EXCLUDED.seq, hash = EXCLUDED.hash
	WHERE snapshot.form <> EXCLUDED.form OR snapshot.seq <= EXCLUDED.seq`

const partOf = `INSERT INTO snapshot_part (partition, name, part, sum, body) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (partition, name, part) DO UPDATE SET sum = EXCLUDED.sum, body = EXCLUDED.body`

func keep(ctx context.Context, tx pgx.Tx, p record.Partition, s record.Snapshot) error {
	tag, err := tx.Exec(ctx, headOf, string(p), s.Name, s.Form, int64(s.Seq), s.Hash)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	sums, err := sumsOf(ctx, tx, p, s.Name)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	for part, body := range s.Parts {
		if sum := sumOf(body); sums[part] != sum {
			b.Queue(partOf, string(p), s.Name, part, sum, append([]byte{}, body...))
		}
		delete(sums, part)
	}
	for part := range sums {
		b.Queue("DELETE FROM snapshot_part WHERE partition = $1 AND name = $2 AND part = $3", string(p), s.Name, part)
	}
	return tx.SendBatch(ctx, b).Close()
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func sumsOf(ctx context.Context, tx pgx.Tx, p record.Partition, name string) (map[string]string, error) {
	rows, err := tx.Query(ctx, "SELECT part, sum FROM snapshot_part WHERE partition = $1 AND name = $2", string(p), name)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	var part, sum string
	_, err = pgx.ForEachRow(rows, []any{&part, &sum}, func() error {
		sums[part] = sum
		return nil
	})
	return sums, err
}

// Kept reads head and parts as they are at one moment.
func (l *Log) Kept(ctx context.Context, p record.Partition, name string, parts ...string) (record.Snapshot, error) {
	var s record.Snapshot
	err := l.with(ctx, func(ctx context.Context, c *pgx.Conn) (err error) {
		s, err = kept(ctx, c, p, name, parts)
		return err
	})
	if errors.Is(err, record.ErrNone) {
		return s, err
	}
	return s, fault("reading a snapshot in", l.where, err)
}

func kept(ctx context.Context, c *pgx.Conn, p record.Partition, name string, parts []string) (record.Snapshot, error) {
	s := record.Snapshot{Name: name, Parts: map[string][]byte{}}
	once := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, c, once, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, "SELECT form, seq, hash FROM snapshot WHERE partition = $1 AND name = $2", string(p), name).
			Scan(&s.Form, &s.Seq, &s.Hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return record.ErrNone
		}
		if err != nil {
			return err
		}
		return readParts(ctx, tx, p, parts, s)
	})
	return s, err
}

func readParts(ctx context.Context, tx pgx.Tx, p record.Partition, parts []string, s record.Snapshot) error {
	rows, err := tx.Query(ctx, `SELECT part, sum, body FROM snapshot_part WHERE partition = $1 AND name = $2
		AND (cardinality($3::text[]) = 0 OR part = ANY ($3))`, string(p), s.Name, append([]string{}, parts...))
	if err != nil {
		return err
	}
	var part, sum string
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&part, &sum, &body}, func() error {
		if sumOf(body) != sum {
			return fmt.Errorf("%w: the part %s of the snapshot %s is not as it was written", record.ErrDamaged, part, s.Name)
		}
		s.Parts[part] = bytes.Clone(body)
		return nil
	})
	return err
}
