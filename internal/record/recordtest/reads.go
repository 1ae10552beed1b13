package recordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/record"
)

func readsInOrder(t *testing.T, d Driver) {
	l := open(t, d)
	var want []record.Event
	for i := range 10 {
		e := message(t, task(i%2), fmt.Sprintf("line %d\nwith <tags> & 'quotes' \u2028 ☃", i))
		want = append(want, e)
		if seq := add(t, l, part, e); seq != record.Seq(i+1) {
			t.Fatalf("event %d got the seq %d", i+1, seq)
		}
	}
	got := all(t, l, part, 1)
	if !slices.Equal(bodies(t, got), bodies(t, want)) {
		t.Fatalf("read %v", bodies(t, got))
	}
	prev := ""
	for i, e := range got {
		body, _ := e.Body()
		if e.Partition != part || e.Seq != record.Seq(i+1) || e.Prev != prev || e.Hash != record.HashOf(prev, e.Seq, body) {
			t.Errorf("event %d came back as %+v", i+1, e)
		}
		prev = e.Hash
	}
	sound(t, l)
}

func everyKind(t *testing.T, d Driver) {
	l := open(t, d)
	want := Samples(t)
	if last := add(t, l, part, want...); int(last) != len(want) {
		t.Fatalf("the last of %d events got the seq %d", len(want), last)
	}
	got := all(t, l, part, 1)
	if !slices.Equal(bodies(t, got), bodies(t, want)) {
		t.Fatal("what came back is not what was given")
	}
	sound(t, l)
}

func pages(t *testing.T, d Driver) {
	l := open(t, d)
	const n = 2300
	batch := make([]record.Event, n)
	for i := range batch {
		batch[i] = message(t, "", fmt.Sprint(i))
	}
	add(t, l, part, batch...)
	var next, written record.Seq = 0, n
	for e, err := range l.Read(context.Background(), part, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if next++; e.Seq != next {
			t.Fatalf("seq %d after %d", e.Seq, next-1)
		}
		if next%100 == 0 && next < n { // a writer meanwhile is not held up, and is seen
			written = add(t, l, part, message(t, "", "meanwhile"))
		}
	}
	if next <= n || next > written {
		t.Errorf("read %d events of %d, %d of which were there before", next, written, n)
	}
	sound(t, l)
}

// large writes more than a page's bytes in few events, and what comes after them.
func large(t *testing.T, d Driver) {
	l := open(t, d)
	want := []record.Event{message(t, "", "first")}
	for range 3 {
		want = append(want, message(t, "", strings.Repeat("x", record.PageBytes/3+1)))
	}
	want = append(want, message(t, "", "last"))
	add(t, l, part, want...)
	if !slices.Equal(bodies(t, all(t, l, part, 1)), bodies(t, want)) {
		t.Error("what came back is not what was given")
	}
	sound(t, l)
}

func readsFrom(t *testing.T, d Driver) {
	l := open(t, d)
	for i := range 5 {
		add(t, l, part, message(t, "", fmt.Sprint(i)))
	}
	for from, want := range map[record.Seq]int{0: 5, 1: 5, 3: 3, 5: 1, 6: 0, 99: 0} {
		if got := all(t, l, part, from); len(got) != want {
			t.Errorf("from %d: %d events, want %d", from, len(got), want)
		}
	}
	for range l.Read(context.Background(), part, 1) {
		break // a consumer that has had enough holds nothing up
	}
	add(t, l, part, message(t, "", "after"))
}

func brokenOff(t *testing.T, d Driver) {
	l := open(t, d)
	add(t, l, part, message(t, "", "one"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var said error
	for _, err := range l.Read(ctx, part, 1) {
		said = err
	}
	if !errors.Is(said, context.Canceled) {
		t.Errorf("a cancelled read ended with %v", said)
	}
}

func apart(t *testing.T, d Driver) {
	l := open(t, d)
	other := record.Partition("acme/other")
	same := claim(t, task(1), "C-1")
	for _, p := range []record.Partition{part, other} {
		if seq := add(t, l, p, same); seq != 1 {
			t.Fatalf("the first event of %s got the seq %d", p, seq)
		}
	}
	if _, err := l.Append(context.Background(), "third", record.Empty(), message(t, "", "x")); err != nil {
		t.Errorf("an empty partition beside others: %v", err)
	}
	add(t, l, other, release(t, task(1), "C-1"))
	moved(t, l, record.TaskAt(task(1), 2), message(t, task(1), "the other's seq"))
	if got := all(t, l, part, 1); len(got) != 1 {
		t.Errorf("%d events in %s, want its own one", len(got), part)
	}
	sound(t, l, other, "third")
}

func watches(t *testing.T, d Driver) {
	l := open(t, d)
	add(t, l, part, message(t, "", "1"), message(t, "", "2"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var got []record.Seq
	for e, err := range l.Watch(ctx, part, 2) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e.Seq); e.Seq < 5 {
			add(t, l, part, message(t, "", "next"))
			continue
		}
		cancel() // the loop ends by itself, without an error
	}
	if !slices.Equal(got, []record.Seq{2, 3, 4, 5}) {
		t.Errorf("watched %v", got)
	}
}

func closes(t *testing.T, d Driver) {
	l := open(t, d)
	add(t, l, part, message(t, "", "1"))
	ended := make(chan error, 1)
	seen := make(chan struct{})
	go func() {
		var last error
		for e, err := range l.Watch(context.Background(), part, 1) {
			if last = err; e.Seq == 1 {
				close(seen)
			}
		}
		ended <- last
	}()
	<-seen
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; !errors.Is(err, record.ErrClosed) {
		t.Errorf("a watch ended with %v", err)
	}
	if _, err := l.Append(context.Background(), part, record.Always(), message(t, "", "2")); !errors.Is(err, record.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	for _, err := range l.Read(context.Background(), part, 1) {
		if !errors.Is(err, record.ErrClosed) {
			t.Errorf("read: %v", err)
		}
	}
	if err := l.Check(context.Background(), part); !errors.Is(err, record.ErrClosed) {
		t.Errorf("check: %v", err)
	}
}
