// Package pgtest starts a PostgreSQL server of its own for tests: an unprivileged user, a
// free port of loopback, a folder of the test. Nothing is left of it afterwards.
package pgtest
