package postgres

import (
	"bytes"
	"context"
	"errors"
	"strings"

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
	if errors.Is(err, record.ErrMoved) {
		return err
	}
	if err != nil {
		return fault("keeping a snapshot in", l.where, err)
	}
	failpoint.Hit(failpoint.RecordKept)
	return nil
}

const partOf = `INSERT INTO snapshot_part (partition, name, part, sum, body) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (partition, name, part) DO UPDATE SET sum = EXCLUDED.sum, body = EXCLUDED.body`

func keep(ctx context.Context, tx pgx.Tx, p record.Partition, s record.Snapshot) error {
	was, err := held(ctx, tx, p, s)
	if err != nil || was.Form == s.Form && was.Seq > s.Seq {
		return err
	}
	sums, err := sumsOf(ctx, tx, p, s.Name)
	if err != nil {
		return err
	}
	write, drop, err := s.Over(was, sums)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	for part, sum := range write {
		b.Queue(partOf, string(p), s.Name, part, sum, s.Parts[part])
	}
	for _, part := range drop {
		b.Queue("DELETE FROM snapshot_part WHERE partition = $1 AND name = $2 AND part = $3", string(p), s.Name, part)
	}
	b.Queue("UPDATE snapshot SET form = $3, seq = $4, hash = $5 WHERE partition = $1 AND name = $2", string(p), s.Name, s.Form, int64(s.Seq), s.Hash)
	return tx.SendBatch(ctx, b).Close()
}

// held takes the head of a snapshot's name for this transaction, making it where there is
// none, and gives what stands there.
func held(ctx context.Context, tx pgx.Tx, p record.Partition, s record.Snapshot) (was record.Snapshot, err error) {
	b := &pgx.Batch{}
	b.Queue("INSERT INTO snapshot (partition, name, form, seq, hash) VALUES ($1, $2, '', 0, '') ON CONFLICT DO NOTHING", string(p), s.Name)
	b.Queue("SELECT form, seq FROM snapshot WHERE partition = $1 AND name = $2 FOR UPDATE", string(p), s.Name).QueryRow(func(row pgx.Row) error {
		return row.Scan(&was.Form, &was.Seq)
	})
	return was, tx.SendBatch(ctx, b).Close()
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

// readParts reads the bodies of the parts that are named: by their whole names, and what lies
// below those that end in a slash. No other body is fetched.
func readParts(ctx context.Context, tx pgx.Tx, p record.Partition, parts []string, s record.Snapshot) error {
	const ask = "SELECT part, sum, body FROM snapshot_part WHERE partition = $1 AND name = $2"
	if len(parts) == 0 {
		return readInto(ctx, tx, s, ask, string(p), s.Name)
	}
	var named []string
	for _, part := range parts {
		below, is := strings.CutSuffix(part, "/")
		if !is {
			named = append(named, part)
			continue
		}
		// 0 is the sign behind the slash.
		if err := readInto(ctx, tx, s, ask+" AND part > $3 AND part < $4", string(p), s.Name, part, below+"0"); err != nil {
			return err
		}
	}
	if len(named) == 0 {
		return nil
	}
	return readInto(ctx, tx, s, ask+" AND part = ANY ($3)", string(p), s.Name, named)
}

func readInto(ctx context.Context, tx pgx.Tx, s record.Snapshot, ask string, args ...any) error {
	rows, err := tx.Query(ctx, ask, args...)
	if err != nil {
		return err
	}
	var part, sum string
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&part, &sum, &body}, func() error {
		return s.Take(part, sum, bytes.Clone(body))
	})
	return err
}
