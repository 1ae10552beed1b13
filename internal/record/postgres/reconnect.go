package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

const (
	shortPause = 20 * time.Millisecond
	longPause  = 2 * time.Second
)

// with does something over a connection. Where the connection is lost it does it again over
// another, until it is done, the patience is at its end or ctx is: so
// what is done must be harmless a second time.
func (l *Log) with(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	var until time.Time
	for pause := shortPause; ; pause = min(2*pause, longPause) {
		if err := l.usable(); err != nil {
			return err
		}
		err := l.once(ctx, do)
		if ctx.Err() != nil && err != nil {
			return err
		}
		if err == nil || !lost(err) {
			l.away.Store(nil)
			return err
		}
		if until.IsZero() {
			until = l.waits(time.Now())
		}
		if time.Now().Add(pause).After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, after %w", ctx.Err(), err)
		case <-l.done:
			return record.ErrClosed
		case <-time.After(pause):
		}
	}
}

// waits is until when who lost the store now waits for it. The patience counts from when it
// went away: it is had once, and not again by each that asks after it was in vain.
func (l *Log) waits(now time.Time) time.Time {
	l.away.CompareAndSwap(nil, &now)
	until := now.Add(min(briefly, l.patience))
	if since := l.away.Load(); since != nil && since.Add(l.patience).After(until) {
		return since.Add(l.patience)
	}
	return until
}

// once does it over one connection, within the time that a server has to answer.
func (l *Log) once(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, answered)
	defer cancel()
	c, err := l.pool.Acquire(ctx)
	if err != nil {
		if closed := l.usable(); closed != nil {
			return closed
		}
		return err
	}
	defer c.Release() // one that is still in a transaction is not used again
	return do(ctx, c.Conn())
}
