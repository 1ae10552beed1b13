package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
	"torve/internal/record/recordtest"
)

const part record.Partition = "acme/shop"

func note(t testing.TB, text string) record.Event {
	t.Helper()
	e, err := record.New(record.Message{Text: text}, recordtest.At, record.Envelope{Actor: record.Actor{Kind: record.ByPerson}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func add(t testing.TB, l record.Log, events ...record.Event) record.Seq {
	t.Helper()
	last, err := l.Append(context.Background(), part, record.Always(), events...)
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// plainly is a log as the driver opened it, closed at the test's end.
func plainly(t testing.TB, dsn string) record.Log {
	t.Helper()
	l, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// watched starts a watch from the first event on, and gives the seqs that it yields.
func watched(t testing.TB, l record.Log) <-chan record.Seq {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	seqs, ended := make(chan record.Seq, 1000), make(chan struct{})
	t.Cleanup(func() { cancel(); <-ended })
	go func() {
		defer close(ended)
		for e, err := range l.Watch(ctx, part, 1) {
			if err != nil {
				t.Errorf("the watch: %v", err)
				return
			}
			seqs <- e.Seq
		}
	}()
	return seqs
}

func comes(t testing.TB, seqs <-chan record.Seq, want record.Seq) {
	t.Helper()
	select {
	case seq := <-seqs:
		if seq != want {
			t.Fatalf("event %d was watched, and %d is next", seq, want)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("event %d was not watched", want)
	}
}

func TestAWatchIsToldOfWhatComes(t *testing.T) {
	dsn := fresh(t)
	l, other := plainly(t, dsn), plainly(t, dsn)
	postgres.SetPoll(l, time.Hour) // by itself it would never ask
	seqs := watched(t, l)
	for i := range record.Seq(20) {
		add(t, other, note(t, "next"))
		comes(t, seqs, i+1)
	}
}

func TestAWatchThatIsToldNothingAsks(t *testing.T) {
	dsn := fresh(t)
	l := plainly(t, dsn)
	postgres.SetPoll(l, 20*time.Millisecond)
	seqs := watched(t, l)
	add(t, l, note(t, "first"))
	comes(t, seqs, 1)
	// As a program would write that tells nobody.
	silent := connect(t, dsn)
	for i := range record.Seq(3) {
		e := note(t, "silent")
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := silent.Exec(t.Context(), `WITH moved AS (UPDATE partition SET seq = seq + 1, prev = hash,
				hash = encode(sha256(decode(hash, 'hex') || int8send(seq + 1) || $2::bytea), 'hex') RETURNING *)
			INSERT INTO event SELECT partition, seq, $1, 'message.sent', '', '', $2, prev, hash FROM moved`, e.ID, body); err != nil {
			t.Fatal(err)
		}
		comes(t, seqs, i+2)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}

func TestAWatchWhoseConnectionIsCutGoesOnAndListensAgain(t *testing.T) {
	c, name := pgtest.Server(t), "watch cut"
	dsn := fresh(t)
	l, other := plainly(t, dsn+"&application_name="+"watch%20cut"), plainly(t, dsn)
	postgres.SetPoll(l, 50*time.Millisecond)
	seqs := watched(t, l)
	for i := range record.Seq(5) {
		add(t, other, note(t, "next"))
		comes(t, seqs, i+1)
		c.Exec(t, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '%s'", name))
	}
	eventually(t, "it listens again", func() bool {
		return count(t, dsn, fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s' AND query LIKE 'LISTEN %%'", name)) == 1
	})
}

func TestAWordOfWhatWasSeenWakesNoWatch(t *testing.T) {
	dsn := fresh(t)
	l := plainly(t, dsn)
	postgres.SetPoll(l, time.Hour)
	seqs := watched(t, l)
	last := add(t, l, note(t, "1"), note(t, "2"), note(t, "3"))
	for i := range last {
		comes(t, seqs, i+1)
	}
	if _, err := connect(t, dsn).Exec(t.Context(), "SELECT pg_notify($1, '2'), pg_notify($1, 'nonsense')", postgres.Channel(part)); err != nil {
		t.Fatal(err)
	}
	add(t, l, note(t, "4"))
	comes(t, seqs, 4)
}

func count(t testing.TB, dsn, query string) (n int) {
	t.Helper()
	if err := connect(t, dsn).QueryRow(context.Background(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for wait := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(wait) {
			t.Fatalf("not so: %s", what)
		}
	}
}
