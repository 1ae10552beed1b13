package pgtest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
)

// DSN is where a role of the cluster finds a database. Each role's password is the cluster's.
func (c *Cluster) DSN(database, role string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, c.password), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)),
		Path: database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Port is the port of loopback that the server listens on.
func (c *Cluster) Port() int { return c.port }

// Database is the DSN of a fresh database with nothing in it, that goes at the test's end.
// Its role may everything.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("torve_%d", c.made.Add(1))
	c.Exec(t, "create database "+name+" template template0")
	t.Cleanup(func() {
		if anyRuns([]int{c.postmaster().pid}) { // it goes with the cluster else
			c.Exec(t, "drop database if exists "+name+" with (force)")
		}
	})
	return c.DSN(name, admin)
}

// Schema is the DSN of a fresh schema with nothing in it, in a database that all of them
// share: tables are apart, and notifications are not. It is made several times as quickly as
// a database, and goes with the cluster.
func (c *Cluster) Schema(ctx context.Context) (dsn string, err error) {
	name := fmt.Sprintf("schema_%d", c.made.Add(1))
	if err := c.exec(ctx, "create schema "+name); err != nil {
		return "", fmt.Errorf("making a schema: %w", err)
	}
	return c.DSN("postgres", admin) + "&options=" + url.QueryEscape("-csearch_path="+name), nil
}

// Role makes a role of the cluster that may log in and nothing more, and gives its name.
func (c *Cluster) Role(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("role_%d", c.made.Add(1))
	c.Exec(t, fmt.Sprintf("create role %s login password '%s'", name, c.password))
	return name
}

// Exec runs a statement in the database postgres, as the role that may everything.
func (c *Cluster) Exec(t testing.TB, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	if err := c.exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (c *Cluster) exec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, c.DSN("postgres", admin))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, sql)
	return err
}
