package recordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"torve/internal/record"
)

// writers lets sixteen work at once as stations do, each over a log of its own where the
// driver can: what was acknowledged is there once, nothing else is, and whoever watches
// meanwhile is given all of it in order.
func writers(t *testing.T, d Driver) {
	const many = 16
	l := open(t, d)
	seen := watching(t, again(t, d, l))
	var all acknowledged
	each(many, func(w int) { all.work(t, again(t, d, l), w, many) })
	last := message(t, "", lastWords)
	all.got(add(t, l, part, last), last)
	watched, there := <-seen, bodies(t, allOf(t, l))
	if !slices.Equal(watched, there) {
		t.Errorf("%d events were watched, and %d are there", len(watched), len(there))
	}
	all.are(t, l)
	sound(t, l)
}

const lastWords = "that was all"

// again opens the store of a log once more, as another program would.
func again(t testing.TB, d Driver, l record.Log) record.Log {
	t.Helper()
	if d.Again == nil {
		return l
	}
	other := d.Again(t, l)
	t.Cleanup(func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	return other
}

func allOf(t testing.TB, l record.Log) []record.Event { return all(t, l, part, 1) }

// watching gives the bodies of what a watch yields, up to the last words.
func watching(t *testing.T, l record.Log) <-chan []string {
	seen := make(chan []string, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		var got []string
		defer func() { seen <- got }()
		for e, err := range l.Watch(ctx, part, 1) {
			if err != nil {
				t.Error(err)
				return
			}
			body, err := e.Body()
			if err != nil {
				t.Error(err)
				return
			}
			if got = append(got, string(body)); e.Task == "" {
				return
			}
		}
	}()
	return seen
}

// acknowledged is what was written, by the seq that the store gave.
type acknowledged struct {
	sync.Mutex
	seqs map[string]record.Seq // of each append's last event, and 0 of those before it
}

func (a *acknowledged) got(last record.Seq, events ...record.Event) {
	a.Lock()
	defer a.Unlock()
	if a.seqs == nil {
		a.seqs = map[string]record.Seq{}
	}
	for i, e := range events {
		if a.seqs[e.ID] = 0; i == len(events)-1 {
			a.seqs[e.ID] = last
		}
	}
}

// are asks that a log holds what was acknowledged, at its place, and nothing else.
func (a *acknowledged) are(t *testing.T, l record.Log) {
	t.Helper()
	there := allOf(t, l)
	for _, e := range there {
		seq, written := a.seqs[e.ID]
		switch {
		case !written:
			t.Errorf("event %d, a %s, is there, and nobody was told", e.Seq, e.Kind)
		case seq != 0 && seq != e.Seq:
			t.Errorf("event %d was acknowledged as %d", e.Seq, seq)
		}
	}
	if len(there) != len(a.seqs) {
		t.Errorf("%d events were acknowledged, and %d are there", len(a.seqs), len(there))
	}
}

// work is one writer: it claims what others claim too, works under the claim and gives it
// back, and writes of a task that is its own.
func (a *acknowledged) work(t *testing.T, l record.Log, w, many int) {
	own, last := task(1000+w), record.Seq(0)
	for i := range many / 2 {
		note := message(t, own, fmt.Sprint(i))
		seq, err := l.Append(context.Background(), part, record.TaskAt(own, last), note)
		if err != nil {
			t.Errorf("writer %d, of a task that nobody else writes of: %v", w, err)
			return
		}
		a.got(seq, note)
		last = seq
		a.claims(t, l, task(i), fmt.Sprintf("C-%d-%d", w, i))
	}
}

func (a *acknowledged) claims(t *testing.T, l record.Log, task, id string) {
	write := func(c record.Cond, events ...record.Event) bool {
		seq, err := l.Append(context.Background(), part, c, events...)
		if errors.Is(err, record.ErrMoved) {
			return false
		}
		if err != nil {
			t.Error(err)
			return false
		}
		a.got(seq, events...)
		return true
	}
	if !write(record.Always(), claim(t, task, id)) {
		return // another has it
	}
	held := record.Holding(task, id)
	notes := []record.Event{message(t, task, id), message(t, task, id)}
	if !write(held, notes...) || !write(held, notes...) || !write(held, release(t, task, id)) {
		t.Errorf("%s held %s, and could not write", id, task)
	}
	if write(held, message(t, task, id)) {
		t.Errorf("%s wrote of %s, and had given it back", id, task)
	}
}
