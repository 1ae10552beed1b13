package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"torve/internal/record"
)

func TestAnAppendGivesUpAfterTheTimeThatTheDSNGivesIt(t *testing.T) {
	dsn := fresh(t)
	add(t, plainly(t, dsn), note(t, "one"))
	release := hold(t, dsn)
	for setting, words := range map[string]string{"statement_timeout": "statement timeout", "lock_timeout": "lock timeout"} {
		limited := fmt.Sprintf("%s&%s=100", dsn, setting)
		_, err := plainly(t, limited).Append(t.Context(), part, record.Always(), note(t, "two"))
		is(t, limited, err, record.ErrSlow, "writing", words)
	}
	release()
	add(t, plainly(t, dsn), note(t, "three"))
	if got := len(events(t, plainly(t, dsn))); got != 2 {
		t.Errorf("%d events, and two were acknowledged", got)
	}
}

// hold takes the partition, as an append does, until it is released.
func hold(t testing.TB, dsn string) (release func()) {
	t.Helper()
	tx, err := connect(t, dsn).Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(context.Background(), "SELECT FROM partition WHERE partition = $1 FOR UPDATE", string(part)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAWriterThatHangsWithThePartitionLosesIt(t *testing.T) {
	dsn := fresh(t) + "&idle_in_transaction_session_timeout=200"
	add(t, plainly(t, dsn), note(t, "one"))
	tx, err := connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM partition FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	add(t, plainly(t, dsn), note(t, "two"))
	tx.Rollback(t.Context()) //nolint:errcheck // its connection is gone
}
