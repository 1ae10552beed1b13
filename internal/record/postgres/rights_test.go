package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

// roles are a writer and a reader as migrate makes them.
func roles(t testing.TB, dsn string) (writer, reader string) {
	t.Helper()
	c := pgtest.Server(t)
	writer, reader = c.Role(t), c.Role(t)
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{Writer: writer, Reader: reader}); err != nil {
		t.Fatal(err)
	}
	return as(t, dsn, writer), as(t, dsn, reader)
}

func TestARoleThatMayOnlyReadReadsAndAppendsNothing(t *testing.T) {
	dsn := fresh(t)
	writer, reader := roles(t, dsn)
	add(t, plainly(t, writer), note(t, "one"))

	l := plainly(t, reader)
	_, err := l.Append(t.Context(), part, record.Always(), note(t, "two"))
	is(t, reader, err, record.ErrRefused, "writing", "permission denied", "42501")
	is(t, reader, l.(record.Leases).Lease(t.Context(), part, "C-1", "me", time.Minute), record.ErrRefused, "permission denied")
	is(t, reader, l.(record.Snapshots).Keep(t.Context(), part, record.Snapshot{Name: "board", Seq: 1}), record.ErrRefused, "permission denied")

	read, err := postgres.OpenRead(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() }) // after the watch
	if got := len(events(t, read)); got != 1 {
		t.Errorf("it reads %d events", got)
	}
	if err := read.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
	if _, err := read.Append(t.Context(), part, record.Always(), note(t, "three")); !errors.Is(err, record.ErrReadOnly) {
		t.Errorf("a log that was opened to be read appends: %v", err)
	}
	comes(t, watched(t, read), 1)
}

func TestWhereNothingMayBeWrittenTheErrorSaysSo(t *testing.T) {
	dsn := fresh(t) + "&default_transaction_read_only=on" // as a standby is
	_, err := plainly(t, dsn).Append(t.Context(), part, record.Always(), note(t, "one"))
	is(t, dsn, err, record.ErrUnwritable, "read-only transaction")
}

func TestALogThatWasOpenedToBeReadWritesInNoTransaction(t *testing.T) {
	dsn := fresh(t)
	l, err := postgres.OpenRead(t.Context(), dsn+"&application_name=reads&default_transaction_read_only=off")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var said string
	if err := postgres.Ask(l, "SHOW default_transaction_read_only", &said); err != nil || said != "on" {
		t.Errorf("its transactions are read-only: %q, %v", said, err)
	}
}

func events(t testing.TB, l record.Log) (got []record.Event) {
	t.Helper()
	for e, err := range l.Read(context.Background(), part, 1) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	return got
}
