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
// first append wants them: a program that only opens the record pays for none. Each
// names its index, so that one that would walk the whole log does not prepare.
type writer struct {
	conn  *sql.Conn
	ready func() error

	last, byID, insert, propose, lastOf, claims, moved *sql.Stmt
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
		{&w.propose, propose},
		{&w.lastOf, `SELECT seq FROM event INDEXED BY event_task
			WHERE partition = ? AND task = ? AND task <> '' ORDER BY seq DESC LIMIT 1`},
		{&w.claims, `SELECT kind, claim FROM event INDEXED BY event_claim
			WHERE partition = ? AND task = ? AND kind IN ('task.claimed', 'task.released') ORDER BY seq DESC`},
		{&w.moved, `SELECT seq FROM event INDEXED BY event_moves WHERE partition = ?
			AND kind IN ('task.claimed', 'task.released', 'task.minted', 'task.reminted', 'task.withdrawn')
			ORDER BY seq DESC LIMIT 1`},
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
	for _, s := range []*sql.Stmt{w.last, w.byID, w.insert, w.propose, w.lastOf, w.claims, w.moved} {
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

// OpenClaim goes back from the newest: the last claim is open unless a release that
// names it has come after it.
func (f facts) OpenClaim(task string) (string, error) {
	rows, err := f.w.claims.Query(string(f.p), task)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	released := map[string]bool{}
	for rows.Next() {
		var kind record.Kind
		var claim string
		if err := rows.Scan(&kind, &claim); err != nil {
			return "", err
		}
		switch {
		case kind == record.KindReleased:
			released[claim] = true
		case released[claim]:
			return "", nil
		default:
			return claim, nil
		}
	}
	return "", rows.Err()
}

func (f facts) seq(s *sql.Stmt, args ...any) (record.Seq, error) {
	var n record.Seq
	err := s.QueryRow(args...).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}
