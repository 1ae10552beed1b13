package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"torve/internal/record"
)

// writer is the one connection that appends, with its statements prepared when the
// first append wants them: a program that only opens the record pays for none.
type writer struct {
	conn  *sql.Conn
	ready func() error

	last, byID, insert, lastOf, open, moved *sql.Stmt
}

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn}
	w.ready = sync.OnceValue(w.prepare)
	return w, nil
}

func (w *writer) prepare() error {
	for _, s := range []struct {
		into **sql.Stmt
		text string
	}{
		{&w.last, `SELECT seq, hash FROM event WHERE partition = ? ORDER BY seq DESC LIMIT 1`},
		{&w.byID, `SELECT seq, body FROM event WHERE partition = ? AND id = ?`},
		{&w.insert, `INSERT INTO event (partition, seq, id, kind, task, claim, body, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.lastOf, `SELECT coalesce(max(seq), 0) FROM event WHERE partition = ? AND task = ? AND task <> ''`},
		{&w.open, `SELECT claim FROM event AS e WHERE partition = ? AND task = ? AND kind = 'task.claimed'
			AND NOT EXISTS (SELECT 1 FROM event AS r WHERE r.partition = e.partition AND r.task = e.task
				AND r.kind = 'task.released' AND r.claim = e.claim AND r.seq > e.seq)
			ORDER BY seq DESC LIMIT 1`},
		{&w.moved, `SELECT coalesce(max(seq), 0) FROM event WHERE partition = ?
			AND kind IN ('task.claimed', 'task.released', 'task.minted', 'task.reminted', 'task.withdrawn')`},
	} {
		stmt, err := w.conn.PrepareContext(context.Background(), s.text)
		if err != nil {
			return err
		}
		*s.into = stmt
	}
	return nil
}

// tail is the partition's last seq and hash; 0 and "" when it is empty.
func (w *writer) tail(p record.Partition) (record.Seq, string, error) {
	var last record.Seq
	var hash string
	err := w.last.QueryRow(string(p)).Scan(&last, &hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, "", nil
	case err == nil && len(hash) != 64:
		return 0, "", fmt.Errorf("event %d of %s has no hash to go on from: %w", last, p, record.ErrDamaged)
	}
	return last, hash, err
}

func (w *writer) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{w.last, w.byID, w.insert, w.lastOf, w.open, w.moved} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// facts is what a condition asks, inside the transaction.
type facts struct {
	w *writer
	p record.Partition
}

var _ record.Facts = facts{}

func (f facts) LastOf(task string) (record.Seq, error) {
	return f.seq(f.w.lastOf, string(f.p), task)
}

func (f facts) LastClaimsMove() (record.Seq, error) { return f.seq(f.w.moved, string(f.p)) }

func (f facts) Len() (record.Seq, error) {
	n, _, err := f.w.tail(f.p)
	return n, err
}

func (f facts) OpenClaim(task string) (string, error) {
	var id string
	err := f.w.open.QueryRow(string(f.p), task).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

func (f facts) seq(s *sql.Stmt, args ...any) (record.Seq, error) {
	var n record.Seq
	err := s.QueryRow(args...).Scan(&n)
	return n, err
}
