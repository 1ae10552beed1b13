package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// dial opens one connection, for what is asked once.
func dial(ctx context.Context, dsn string, read bool) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	if read {
		c.RuntimeParams["default_transaction_read_only"] = "on"
	}
	return pgx.ConnectConfig(ctx, c)
}

func told(doing, dsn string, err error) error {
	return fmt.Errorf("%s the record %s: %w", doing, Where(dsn), err)
}
