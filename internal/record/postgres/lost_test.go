package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

// ends cuts, in the server, every connection of an application.
func ends(t testing.TB, c *pgtest.Cluster, application string) {
	t.Helper()
	c.Exec(t, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '%s'", application))
}

func TestAnAppendWhoseConnectionIsCutInItsMidstIsDoneOnce(t *testing.T) {
	c, dsn := pgtest.Server(t), fresh(t)
	l := plainly(t, dsn+"&application_name=cut_append")
	add(t, l, note(t, "one"))
	release := hold(t, dsn)
	done := make(chan error, 1)
	go func() {
		seq, err := l.Append(context.Background(), part, record.Always(), note(t, "two"), note(t, "three"))
		if err == nil && seq != 3 {
			err = fmt.Errorf("its last event got the seq %d", seq)
		}
		done <- err
	}()
	for range 3 {
		eventually(t, "it waits in its transaction", func() bool {
			return count(t, dsn, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cut_append' AND wait_event_type = 'Lock'") == 1
		})
		ends(t, c, "cut_append")
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := len(events(t, l)); got != 3 {
		t.Errorf("%d events", got)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}

// A connection is cut after every so many bytes of an append, on the way there and on the way
// back: before anything was written, in the midst of it, and when it was committed and the
// answer was lost.
func TestAnAppendThatIsCutAnywhereIsDoneOnce(t *testing.T) {
	dsn := fresh(t)
	by, p := through(t, dsn)
	l := plainly(t, by)
	want := add(t, l, note(t, "first"))
	for _, down := range []bool{false, true} {
		step, whole := 37, false
		for bytes := 0; !whole; bytes += step {
			p.cutAfter(bytes, down)
			want += 2
			if seq := add(t, l, note(t, "a"), note(t, "b")); seq != want {
				t.Fatalf("cut after %d bytes it was written as %d, and %d is next", bytes, seq, want)
			}
			whole = !p.isCut()
			if bytes > 1<<20 {
				t.Fatal("every append was cut")
			}
		}
		p.cutAfter(-1, down)
	}
	if got := record.Seq(len(events(t, l))); got != want || want < 30 {
		t.Errorf("%d events are there, and %d were acknowledged", got, want)
	}
	if err := l.Check(t.Context(), part); err != nil {
		t.Error(err)
	}
}

func TestAReadGoesOnAfterItsConnectionIsCut(t *testing.T) {
	c, dsn := pgtest.Server(t), fresh(t)
	l := plainly(t, dsn+"&application_name=cut_read")
	const n = 2*record.PageRows + 10
	batch := make([]record.Event, n)
	for i := range batch {
		batch[i] = note(t, fmt.Sprint(i))
	}
	add(t, l, batch...)
	next := record.Seq(0)
	for e, err := range l.Read(t.Context(), part, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if next++; e.Seq != next {
			t.Fatalf("event %d after %d", e.Seq, next-1)
		}
		if e.Seq%500 == 0 {
			ends(t, c, "cut_read")
		}
	}
	if next != n {
		t.Errorf("read %d of %d events", next, n)
	}
}

func TestAConnectionThatTheNetworkForgotIsReplaced(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	by, p := through(t, dsn+"&connect_timeout=1")
	l := plainly(t, by)
	add(t, l, note(t, "one"))
	time.Sleep(1100 * time.Millisecond) // it rests longer than it is trusted without asking
	p.forget()
	began := time.Now()
	if last := add(t, l, note(t, "two")); last != 2 {
		t.Errorf("it was written as %d", last)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	p.hangUp() // nobody waits for the end of what is forgotten
}

func TestAStoreThatStaysAwayIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	by, p := through(t, dsn)
	l, err := postgres.Open(t.Context(), by)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const long = 4 * time.Second
	postgres.SetPatience(l, long)
	add(t, l, note(t, "one"))
	p.listener.Close()
	p.cutAfter(0, false)
	for n, waits := range []bool{true, false, false} {
		began := time.Now()
		_, err = l.Append(t.Context(), part, record.Always(), note(t, "two"))
		is(t, by, err, record.ErrUnreachable, "writing", "connection refused")
		if took := time.Since(began); (took > long/2) != waits {
			t.Errorf("append %d was given up after %v", n, took)
		}
	}
}

func TestAStoreThatDoesNotComeBackIsUnreachable(t *testing.T) {
	dsn := fresh(t)
	by, p := through(t, dsn)
	l, err := postgres.Open(t.Context(), by)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	postgres.SetPatience(l, 300*time.Millisecond)
	add(t, l, note(t, "one"))
	p.listener.Close()
	p.cutAfter(0, false)
	_, err = l.Append(t.Context(), part, record.Always(), note(t, "two"))
	is(t, by, err, record.ErrUnreachable, "writing", "connection refused")
	for _, err := range l.Read(t.Context(), part, 1) {
		is(t, by, err, record.ErrUnreachable, "reading")
	}
	is(t, by, l.Check(t.Context(), part), record.ErrUnreachable, "checking")

	postgres.SetPatience(l, time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = l.Append(ctx, part, record.Always(), note(t, "three"))
	is(t, by, err, record.ErrUnreachable, "writing")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits no longer is told %v", err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := l.Append(context.Background(), part, record.Always(), note(t, "four"))
		ended <- err
	}()
	time.Sleep(50 * time.Millisecond)
	l.Close()
	if err := <-ended; !errors.Is(err, record.ErrClosed) {
		t.Errorf("an append that waited for the store, when the log was closed: %v", err)
	}
}
