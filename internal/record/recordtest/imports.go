package recordtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"torve/internal/record"
)

// importing gives the log as a store that takes a partition of another, which a driver need
// not be.
func importing(t *testing.T, d Driver) (record.Log, record.Imports) {
	t.Helper()
	l := open(t, d)
	s, can := l.(record.Imports)
	if !can {
		t.Skip("this driver imports nothing")
	}
	return l, s
}

// History is a partition's events, chained as a store would chain them: one of each kind, a
// claim that was released and one that is open, and texts that JSON writes in several ways.
func History(t testing.TB) []record.Event {
	t.Helper()
	events := append(Samples(t),
		claim(t, task(2), "C-2"), release(t, task(2), "C-2"), claim(t, task(3), "C-3"),
		message(t, task(3), "tags <a> & 'quotes' \u2028 ☃ \\ \"\x7f\n"))
	return Chain(t, events)
}

// Chain gives events the seqs and hashes that an empty partition would give them.
func Chain(t testing.TB, events []record.Event) []record.Event {
	t.Helper()
	out, prev := slices.Clone(events), ""
	for i := range out {
		s := stored(t, out[i], record.Seq(i+1), prev)
		out[i].Seq, out[i].Prev, out[i].Hash = s.Seq, s.Prev, s.Hash
		prev = s.Hash
	}
	return out
}

// Stream yields as many events, chained, and holds none of them; each has a text of a
// kilobyte.
func Stream(t testing.TB, many int) iter.Seq2[record.Event, error] {
	t.Helper()
	e := message(t, task(1), strings.Repeat("x", 1000))
	return func(yield func(record.Event, error) bool) {
		e := e
		for i := range many {
			e.ID, e.Seq, e.Prev = fmt.Sprint("E-", i), record.Seq(i+1), e.Hash
			body, err := e.Body()
			e.Hash = record.HashOf(e.Prev, e.Seq, body)
			if !yield(e, err) {
				return
			}
		}
	}
}

// given yields events, and then an error where there is one.
func given(events []record.Event, err error) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(record.Event{}, err)
		}
	}
}

func imports(t *testing.T, d Driver) {
	l, s := importing(t, d)
	want := History(t)
	last, err := s.Import(context.Background(), part, given(want, nil))
	if err != nil || int(last) != len(want) {
		t.Fatalf("the last of %d events got the seq %d, %v", len(want), last, err)
	}
	same(t, l, part, want)
	moved(t, l, record.Always(), claim(t, task(3), "C-4"))
	if _, err := l.Append(context.Background(), part, record.Always(), message(t, "", "x"), want[0]); err != nil {
		t.Errorf("an event that was imported is not taken as written: %v", err)
	}
	if next := add(t, l, part, release(t, task(3), "C-3")); int(next) != len(want)+2 {
		t.Errorf("the second event after %d got the seq %d", len(want), next)
	}
	sound(t, l)
}

// same asks that a partition holds those events, in every byte.
func same(t testing.TB, l record.Log, p record.Partition, want []record.Event) {
	t.Helper()
	got := all(t, l, p, 1)
	if !slices.Equal(bodies(t, got), bodies(t, want)) {
		t.Fatalf("%d events came back of %d, or other bytes", len(got), len(want))
	}
	for i, e := range got {
		if e.Partition != p || e.Seq != want[i].Seq || e.Prev != want[i].Prev || e.Hash != want[i].Hash {
			t.Errorf("event %d came back as %+v", i+1, e)
		}
	}
	sound(t, l, p)
}

// importsWhole breaks what is imported in one way after another: nothing of it is there
// afterwards, and what is whole goes in as if nothing had been tried.
func importsWhole(t *testing.T, d Driver) {
	l, s := importing(t, d)
	want := History(t)
	lost := errors.New("the connection was lost")
	for name, c := range map[string]struct {
		rule  string
		spoil func(events []record.Event) []record.Event
	}{
		"a hash is another's": {"R3", func(e []record.Event) []record.Event { e[5].Hash = Digest("0"); return e }},
		"a body was changed":  {"R3", func(e []record.Event) []record.Event { e[5].Host = "there"; return e }},
		"an event is missing": {"R2", func(e []record.Event) []record.Event { return slices.Delete(e, 5, 6) }},
		"two have changed places": {"R2", func(e []record.Event) []record.Event {
			e[5], e[6] = e[6], e[5]
			return e
		}},
		"it begins in the middle": {"R2", func(e []record.Event) []record.Event { return e[3:] }},
		"a task has two claims": {"R4", func(e []record.Event) []record.Event {
			return Chain(t, append(e, claim(t, task(3), "C-9")))
		}},
		"a landing names another's file": {"R5", func(e []record.Event) []record.Event {
			x := landing(t)
			x.Task = task(2)
			return Chain(t, append(e, x))
		}},
		"a kind is not known": {"R6", func(e []record.Event) []record.Event {
			e[5].Kind = "message.shouted"
			return Chain(t, e)
		}},
		"an id stands twice": {"", func(e []record.Event) []record.Event {
			return Chain(t, append(e, e[5]))
		}},
	} {
		_, err := s.Import(context.Background(), part, given(c.spoil(slices.Clone(want)), nil))
		var found *record.Broken
		if err == nil || c.rule != "" && (!errors.As(err, &found) || found.Rule != c.rule) {
			t.Errorf("%s: the import says %v, and %s is broken", name, err, c.rule)
		}
		empty(t, l, name)
	}
	for _, n := range []int{0, 1, 7} {
		if _, err := s.Import(context.Background(), part, given(want[:n], lost)); !errors.Is(err, lost) {
			t.Errorf("an error after %d events: %v", n, err)
		}
		empty(t, l, "an error after some events")
	}
	if _, err := s.Import(context.Background(), part, given(want, nil)); err != nil {
		t.Fatal(err)
	}
	same(t, l, part, want)
}

func empty(t testing.TB, l record.Log, after string) {
	t.Helper()
	if n := len(all(t, l, part, 1)); n != 0 {
		t.Fatalf("%s: %d events are there", after, n)
	}
}

func importsBrokenOff(t *testing.T, d Driver) {
	l, s := importing(t, d)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := s.Import(ctx, part, func(yield func(record.Event, error) bool) {
		for i, e := range History(t) {
			if i == 5 {
				cancel()
			}
			if !yield(e, nil) {
				return
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an import that was cancelled says %v", err)
	}
	empty(t, l, "cancelled")
	add(t, l, part, message(t, "", "a writer goes on"))
	sound(t, l)
}

func importsIntoEmpty(t *testing.T, d Driver) {
	l, s := importing(t, d)
	if last, err := s.Import(context.Background(), part, given(nil, nil)); last != 0 || err != nil {
		t.Errorf("of no events: %d, %v", last, err)
	}
	empty(t, l, "nothing was imported")
	add(t, l, part, message(t, "", "1"), message(t, "", "2"))
	asked := false
	_, err := s.Import(context.Background(), part, func(func(record.Event, error) bool) { asked = true })
	if !errors.Is(err, record.ErrNotEmpty) || !strings.Contains(err.Error(), "2 events") || !strings.Contains(err.Error(), string(part)) {
		t.Errorf("into two events: %v", err)
	}
	if asked {
		t.Error("the source was read for a partition that is not empty")
	}
	if n := len(all(t, l, part, 1)); n != 2 {
		t.Errorf("%d events are there afterwards", n)
	}
	want := History(t)
	if _, err := s.Import(context.Background(), "acme/other", given(want, nil)); err != nil {
		t.Fatalf("beside a partition that is not empty: %v", err)
	}
	same(t, l, "acme/other", want)
	sound(t, l)
}

// importsAtOnce: of many who fill one partition one does, and an append comes before or after
// the whole of it.
func importsAtOnce(t *testing.T, d Driver) {
	l, s := importing(t, d)
	const many = 6
	want := History(t)
	filled := make(chan record.Seq, many)
	each(many, func(i int) {
		if i == 0 {
			if _, err := l.Append(context.Background(), part, record.Always(), message(t, "", "beside")); err != nil {
				t.Error(err)
			}
			return
		}
		switch last, err := s.Import(context.Background(), part, given(want, nil)); {
		case err == nil:
			filled <- last
		case !errors.Is(err, record.ErrNotEmpty):
			t.Error(err)
		}
	})
	if n, there := len(filled), len(all(t, l, part, 1)); n > 1 || there != n*len(want)+1 {
		t.Errorf("%d of %d filled it, and it has %d events", n, many-1, there)
	}
	sound(t, l)
}

// copies takes a partition from one store to another of its kind, to a file and back.
func copies(t *testing.T, d Driver) {
	from, _ := importing(t, d)
	to, _ := importing(t, d)
	ctx := context.Background()
	var events []record.Event
	for i := range 2300 { // more than a page
		events = append(events, message(t, task(i), fmt.Sprint("line ", i)))
	}
	add(t, from, part, append(events, claim(t, task(7), "C-7"))...)
	want := all(t, from, part, 1)

	c, err := record.Copy(ctx, from, to, part, "acme/new")
	if err != nil || int(c.Events) != len(want) || c.Hash != want[len(want)-1].Hash || len(c.Open) != 1 || c.Open[0].Claim != "C-7" || c.Since != 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	same(t, to, "acme/new", want)
	if _, err := record.Copy(ctx, from, to, part, "acme/new"); !errors.Is(err, record.ErrNotEmpty) {
		t.Errorf("once more: %v", err)
	}
	add(t, from, part, release(t, task(7), "C-7"))
	if n, is, err := record.Holds(ctx, to, from, "acme/new", part); int(n) != len(want) || !is || err != nil {
		t.Errorf("the copy holds %d events, the source's own: %v, %v", n, is, err)
	}
	back, err := record.Copy(ctx, to, from, "acme/new", "acme/back")
	if err != nil || back.Hash != c.Hash {
		t.Fatalf("%+v, %v", back, err)
	}
	same(t, from, "acme/back", want)
	if c, err := record.Copy(ctx, from, to, "nobody", "nobody"); c.Events != 0 || err != nil {
		t.Errorf("of nothing: %+v, %v", c, err)
	}
}
