package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

var _ record.Leases = (*Log)(nil)

const renew = `INSERT INTO lease (partition, claim, holder, renewed, ends)
	VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + $4 * interval '1 microsecond')
	ON CONFLICT (partition, claim) DO UPDATE SET holder = EXCLUDED.holder, renewed = EXCLUDED.renewed, ends = EXCLUDED.ends`

// leased says in microseconds how long ago a lease was renewed, and how long it stands yet.
const leased = `SELECT holder, (extract(epoch FROM now - renewed) * 1000000)::bigint, (extract(epoch FROM ends - now) * 1000000)::bigint
	FROM lease, clock_timestamp() now WHERE partition = $1 AND claim = $2`

// Lease takes or renews the lease of a claim, by the database's clock alone.
func (l *Log) Lease(ctx context.Context, p record.Partition, claim, holder string, last time.Duration) error {
	return l.leases(ctx, "keeping a lease in", func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, renew, string(p), claim, holder, last.Microseconds())
		return err
	})
}

// GiveUp ends the lease of a claim; of none, it does nothing.
func (l *Log) GiveUp(ctx context.Context, p record.Partition, claim string) error {
	return l.leases(ctx, "giving up a lease in", func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "DELETE FROM lease WHERE partition = $1 AND claim = $2", string(p), claim)
		return err
	})
}

func (l *Log) leases(ctx context.Context, doing string, do func(context.Context, *pgx.Conn) error) error {
	if l.write == nil {
		return record.ErrReadOnly
	}
	return fault(doing, l.where, l.with(ctx, do))
}

// Leased gives the lease of a claim; record.ErrNone where there is none.
func (l *Log) Leased(ctx context.Context, p record.Partition, claim string) (record.Lease, error) {
	lease := record.Lease{Claim: claim}
	err := l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		var age, left int64
		err := c.QueryRow(ctx, leased, string(p), claim).Scan(&lease.Holder, &age, &left)
		lease.Age, lease.Left = time.Duration(age)*time.Microsecond, time.Duration(left)*time.Microsecond
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return record.Lease{}, record.ErrNone
	}
	return lease, fault("reading a lease in", l.where, err)
}
