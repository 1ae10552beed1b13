package sqlite

import (
	"context"
	"errors"
	"fmt"

	"torve/internal/record"
)

// bench writes rows that no event carries, in one transaction: of a partition that has none.
func (l *Log) bench(ctx context.Context, p record.Partition, rows int, write func(*writer) error) error {
	if l.write == nil {
		return record.ErrReadOnly
	}
	if rows == 0 {
		return l.usable()
	}
	w, err := l.take(ctx)
	if err != nil {
		return err
	}
	defer func() { l.write <- w }()
	err = w.transact(ctx, func() error {
		if err := w.ready(); err != nil {
			return err
		}
		last, _, err := w.tail(p)
		if err != nil {
			return err
		}
		if last != 0 {
			return fmt.Errorf("%s holds %d events: %w", p, last, record.ErrCarried)
		}
		return write(w)
	})
	if errors.Is(err, record.ErrCarried) {
		return err
	}
	return fault("writing", l.path, err)
}

// eventful asks of a partition without events that it may have some: that it is no bench's.
func (w *writer) eventful(p record.Partition) error {
	var bench bool
	err := w.conn.QueryRowContext(context.Background(), `SELECT EXISTS (SELECT 1 FROM proposal WHERE partition = ?1)
		OR EXISTS (SELECT 1 FROM memory WHERE partition = ?1)`, string(p)).Scan(&bench)
	if err == nil && bench {
		return fmt.Errorf("%s takes no event: %w", p, record.ErrBench)
	}
	return err
}
