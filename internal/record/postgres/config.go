package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// limits are the server's own time limits, which a dsn that names one of them sets itself. An
// append waits for others' appends of its partition, each of which takes milliseconds; one
// whose program hangs with the partition in its hands loses it before others lose patience.
var limits = map[string]time.Duration{
	"statement_timeout":                   time.Minute,
	"lock_timeout":                        45 * time.Second,
	"idle_in_transaction_session_timeout": 15 * time.Second,
}

// answered is how long a server may take that says nothing at all: longer than its own limit
// of a statement.
const answered = 90 * time.Second

// connecting is how long one try to connect may take, unless the dsn says it.
const connecting = 10 * time.Second

// settings are a dsn's, with what it leaves open filled in. Everything else it says goes to
// the driver below as it is.
func settings(dsn string, read bool) (*pgxpool.Config, error) {
	if err := Reads(dsn); err != nil {
		return nil, err
	}
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("its settings do not read") // the parser would quote all of it
	}
	set := c.ConnConfig.RuntimeParams
	for name, limit := range limits {
		if !says(set, name) {
			set[name] = strconv.FormatInt(limit.Milliseconds(), 10)
		}
	}
	for name, value := range map[string]string{"application_name": "torve", "plan_cache_mode": "force_generic_plan"} {
		if !says(set, name) {
			set[name] = value
		}
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connecting
	}
	c.PingTimeout = c.ConnConfig.ConnectTimeout // of a connection that rested: a network forgets it silently
	if read {
		set["default_transaction_read_only"] = "on"
	} else {
		c.AfterConnect = durably
	}
	return c, nil
}

// says reports whether a setting is among those of a connection, by itself or in options: as
// -c name=value or --name=value, where a dash may stand for an underscore.
func says(set map[string]string, name string) bool {
	_, itself := set[name]
	return itself || slices.ContainsFunc(strings.Fields(set["options"]), func(word string) bool {
		word, _, _ = strings.Cut(strings.ReplaceAll(word, "-", "_"), "=")
		return strings.TrimPrefix(strings.TrimLeft(word, "_"), "c") == name // of ours none begins with a c
	})
}

// durably undoes a server's setting by which a commit returns before it is on the disk.
func durably(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false)
		WHERE current_setting('synchronous_commit') = 'off'`)
	return err
}

// Where names the database of a dsn for people: host, port, database and user, and never a
// password or another setting.
func Where(dsn string) string {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil || shaped(dsn) != nil {
		return "of a dsn that does not read"
	}
	hosts := []string{host(c.Host, c.Port)}
	for _, f := range c.Fallbacks { // other hosts, or the same one without TLS
		if h := host(f.Host, f.Port); !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	database := c.Database
	if database == "" {
		database = c.User // as the server takes it
	}
	return fmt.Sprintf("%s@%s/%s", c.User, strings.Join(hosts, ","), database)
}

func host(name string, port uint16) string {
	if strings.HasPrefix(name, "/") { // the folder of a socket
		return fmt.Sprintf("%s:%d", name, port)
	}
	return net.JoinHostPort(name, strconv.Itoa(int(port)))
}
