package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"torve/internal/failpoint"
	"torve/internal/record"
)

// Append asks authority and wholeness before the store, then everything else inside
// one immediate transaction: what is there already, the condition, R4, and the chain.
func (l *Log) Append(ctx context.Context, p record.Partition, cond record.Cond, events ...record.Event) (record.Seq, error) {
	if l.write == nil {
		return 0, record.ErrReadOnly
	}
	if err := record.Admit(events...); err != nil {
		return 0, err
	}
	bodies, err := record.Bodies(events)
	if err != nil {
		return 0, err
	}
	w, err := l.take(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { l.write <- w }()
	var last record.Seq
	err = w.transact(ctx, func() error {
		last, err = w.append(p, cond, events, bodies)
		return err
	})
	if errors.Is(err, record.ErrMoved) || errors.Is(err, record.ErrTaken) || errors.Is(err, record.ErrBench) {
		return 0, err
	}
	return last, fault("writing", l.path, err)
}

// take waits for the writer: one append at a time within a process.
func (l *Log) take(ctx context.Context) (*writer, error) {
	if err := l.usable(); err != nil {
		return nil, err
	}
	select {
	case w := <-l.write:
		return w, nil
	case <-l.done:
		return nil, record.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// transact writes events, in one transaction.
func (w *writer) transact(ctx context.Context, do func() error) error {
	err := transact(ctx, w.conn, do)
	if err == nil {
		failpoint.Hit(failpoint.RecordCommitted)
	}
	return err
}

// transact runs do in one immediate transaction, which ends with a commit or with
// nothing written. Waiting for the lock heeds ctx; once it is held there are only
// milliseconds left, and breaking them off would leave the outcome unknown.
func transact(ctx context.Context, c *sql.Conn, do func() error) error {
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		if busy(err) {
			return fmt.Errorf("other processes held it for %v: %w", patience, err)
		}
		return err
	}
	err := do()
	if err == nil {
		failpoint.Hit(failpoint.RecordInserted)
		_, err = c.ExecContext(context.Background(), "COMMIT")
	}
	if err != nil {
		// SQLite may have rolled back by itself (a full disk): then there is nothing to undo.
		c.ExecContext(context.Background(), "ROLLBACK") //nolint:errcheck // the first error is the one to tell
	}
	return err
}

// append is the transaction's inside.
func (w *writer) append(p record.Partition, cond record.Cond, events []record.Event, bodies [][]byte) (record.Seq, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	there, err := w.present(p, events, bodies)
	if err != nil {
		return 0, err
	}
	if n := len(events); n > 0 && all(there) {
		return there[n-1], nil // a retry: written before
	}
	f := facts{w, p}
	if err := cond.Holds(f); err != nil {
		return 0, err
	}
	last, hash, err := w.tail(p)
	if err == nil && last == 0 {
		err = w.eventful(p)
	}
	if err != nil {
		return 0, err
	}
	for i, e := range events {
		if there[i] != 0 {
			continue
		}
		if err := record.Open(f, e); err != nil {
			return 0, err
		}
		last++
		if hash, err = w.put(p, last, hash, e, bodies[i]); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// put inserts an event after the one of the hash prev, and gives its own: whoever writes,
// the chain is computed here. The row of the ledger that it carries goes in with it.
func (w *writer) put(p record.Partition, seq record.Seq, prev string, e record.Event, body []byte) (hash string, err error) {
	hash = record.HashOf(prev, seq, body)
	_, err = w.insert.Exec(string(p), int64(seq), e.ID, string(e.Kind), e.Task, e.Claim, body, prev, hash)
	if err != nil {
		return "", err
	}
	row, err := record.ProposalOf(e)
	if err == nil && row != nil {
		_, err = w.propose.Exec(columns(p, *row)...)
	}
	return hash, err
}

// present says for each event at which seq it is already, 0 when it is not.
func (w *writer) present(p record.Partition, events []record.Event, bodies [][]byte) ([]record.Seq, error) {
	there := make([]record.Seq, len(events))
	for i, e := range events {
		var body []byte
		err := w.byID.QueryRow(string(p), e.ID).Scan(&there[i], &body)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, err
		case !bytes.Equal(body, bodies[i]):
			return nil, fmt.Errorf("event %s of %s: %w", e.ID, p, record.ErrTaken)
		}
	}
	return there, nil
}

func all(there []record.Seq) bool {
	for _, s := range there {
		if s == 0 {
			return false
		}
	}
	return true
}
