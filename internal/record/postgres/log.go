// Package postgres is the record in a PostgreSQL database, for a team that shares one.
// Any number of partitions stand in one database, apart from each other.
package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"torve/internal/record"
)

// Log is one database, opened to write or to read.
type Log struct {
	where    string // for people
	pool     *pgxpool.Pool
	write    chan struct{}             // has a place for each append at once; nil when read-only
	patience time.Duration             // how long a store that went away is waited for
	away     atomic.Pointer[time.Time] // since when the store does not answer; nil while it does
	poll     time.Duration             // how often Watch asks by itself
	done     chan struct{}
	close    func() error
}

var _ record.Log = (*Log)(nil)

const (
	// patience is how long a store that went away is waited for, and briefly when it was
	// never there.
	patience = time.Minute
	briefly  = time.Second
	// poll is how often Watch asks by itself, should no notification come.
	poll = 3 * time.Second
)

// Open opens the record in a database to write; dsn is a URL or a list of key=value pairs as
// libpq takes them. It makes no table: a database that was not migrated is record.ErrBehind.
func Open(ctx context.Context, dsn string) (record.Log, error) { return open(ctx, dsn, false) }

// OpenRead opens it to read: every transaction is a read-only one, so that a role which may
// only read is enough.
func OpenRead(ctx context.Context, dsn string) (record.Log, error) { return open(ctx, dsn, true) }

func open(ctx context.Context, dsn string, read bool) (record.Log, error) {
	where := Where(dsn)
	c, err := settings(dsn, read)
	if err != nil {
		return nil, fault("opening", where, err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fault("opening", where, err)
	}
	l := &Log{where: where, pool: pool, patience: briefly, poll: poll, done: make(chan struct{})}
	l.close = sync.OnceValue(l.shut)
	if !read {
		// Appends of one partition wait for one another in the store; the other half of the
		// connections is for who reads meanwhile.
		l.write = make(chan struct{}, max(1, c.MaxConns/2))
	}
	if err := l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		if err := ofAge(c.PgConn().ParameterStatus("server_version")); err != nil {
			return err
		}
		return migrated(ctx, c)
	}); err != nil {
		pool.Close()
		return nil, fault("opening", where, err)
	}
	l.patience = patience
	return l, nil
}

// Close waits for what is under way. It may be called twice.
func (l *Log) Close() error { return l.close() }

func (l *Log) shut() error {
	close(l.done)
	l.pool.Close()
	return nil
}

// usable is record.ErrClosed once Close was called.
func (l *Log) usable() error {
	select {
	case <-l.done:
		return record.ErrClosed
	default:
		return nil
	}
}
