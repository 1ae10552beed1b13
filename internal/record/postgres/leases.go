package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

var _ record.Leases = (*Log)(nil)

const renew = `INSERT INTO lease (partition, claim, holder, renewed, ends)
	VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + $4 * interval '1 microsecond')
	ON CONFLICT (partition, claim) DO UPDATE SET holder = EXCLUDED.holder, renewed = EXCLUDED.renewed, ends = EXCLUDED.ends`

// Lease takes or renews the lease of a claim, by the database's clock alone.
func (l *Log) Lease(ctx context.Context, p record.Partition, claim, holder string, last time.Duration) error {
	return l.leases(ctx, "keeping a lease in", func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, renew, string(p), claim, holder, last.Microseconds())
		return err
	})
}

// longAgo finds what nobody gave up: the leases of runs that died, a week after they ended.
// Who looks there at the same time takes others.
const longAgo = `DELETE FROM lease WHERE partition = $1 AND claim IN (
	SELECT claim FROM lease WHERE partition = $1 AND ends < clock_timestamp() - interval '7 days' FOR UPDATE SKIP LOCKED)`

// GiveUp ends the lease of a claim; of none, it does nothing. It also drops the partition's
// leases that ended long ago.
func (l *Log) GiveUp(ctx context.Context, p record.Partition, claim string) error {
	return l.leases(ctx, "giving up a lease in", func(ctx context.Context, c *pgx.Conn) error {
		b := &pgx.Batch{}
		b.Queue("DELETE FROM lease WHERE partition = $1 AND claim = $2", string(p), claim)
		b.Queue(longAgo, string(p))
		return c.SendBatch(ctx, b).Close()
	})
}

func (l *Log) leases(ctx context.Context, doing string, do func(context.Context, *pgx.Conn) error) error {
	if l.write == nil {
		return record.ErrReadOnly
	}
	return fault(doing, l.where, l.with(ctx, do))
}

// leaseNow reads leases by one reading of the clock: in microseconds, how long ago each was
// renewed, and how long it stands yet.
const leaseNow = `SELECT claim, holder, (extract(epoch FROM now - renewed) * 1000000)::bigint, (extract(epoch FROM ends - now) * 1000000)::bigint
	FROM lease, clock_timestamp() AS now WHERE partition = $1`

// Leased gives the lease of a claim; record.ErrNone where there is none.
func (l *Log) Leased(ctx context.Context, p record.Partition, claim string) (record.Lease, error) {
	all, err := l.readLeases(ctx, leaseNow+" AND claim = $2", string(p), claim)
	switch {
	case err != nil:
		return record.Lease{}, err
	case len(all) == 0:
		return record.Lease{}, record.ErrNone
	}
	return all[0], nil
}

// Leases gives all of a partition.
func (l *Log) Leases(ctx context.Context, p record.Partition) ([]record.Lease, error) {
	return l.readLeases(ctx, leaseNow+" ORDER BY claim", string(p))
}

func (l *Log) readLeases(ctx context.Context, query string, args ...any) (all []record.Lease, err error) {
	err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (lease record.Lease, err error) {
			var age, left int64
			err = row.Scan(&lease.Claim, &lease.Holder, &age, &left)
			lease.Age, lease.Left = time.Duration(age)*time.Microsecond, time.Duration(left)*time.Microsecond
			return lease, err
		})
		return err
	})
	return all, fault("reading leases in", l.where, err)
}
