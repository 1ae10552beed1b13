package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"torve/internal/record"
)

// SetPoll sets how often a log's Watch asks by itself.
func SetPoll(l record.Log, every time.Duration) { l.(*Log).poll = every }

// SetPatience sets how long a log waits for a store that went away.
func SetPatience(l record.Log, long time.Duration) { l.(*Log).patience = long }

// Channel is where the appends of a partition are told.
func Channel(p record.Partition) string { return channel(p) }

// Ask asks a log's own connection for one value.
func Ask(l record.Log, query string, into any) error {
	return l.(*Log).pool.QueryRow(context.Background(), query).Scan(into)
}

// OpenHeard is Open of a log whose every statement is told.
func OpenHeard(ctx context.Context, dsn string, to pgx.QueryTracer) (record.Log, error) {
	log, err := Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	l := log.(*Log)
	c := l.pool.Config()
	c.ConnConfig.Tracer = to
	l.pool.Close()
	l.pool, err = pgxpool.NewWithConfig(ctx, c)
	return l, err
}
