package recordtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"torve/internal/record"
)

func conditions(t *testing.T, d Driver) {
	l := open(t, d)
	holds := func(name string, c record.Cond, e record.Event) record.Seq {
		t.Helper()
		seq, err := l.Append(context.Background(), part, c, e)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return seq
	}
	note := func(task string) record.Event { return message(t, task, "note") }
	one, two := task(1), task(2)

	holds("empty, of nothing", record.Empty(), note(""))
	moved(t, l, record.Empty(), note(""))
	holds("a task without events", record.TaskAt(one, 0), note(one))
	moved(t, l, record.TaskAt(one, 0), note(one))
	moved(t, l, record.TaskAt(one, 1), note(one))
	holds("the task's last event", record.TaskAt(one, 2), note(two))
	holds("another task's event between", record.TaskAt(one, 2), note(one))

	moved(t, l, record.Holding(one, "C-1"), note(one))
	moved(t, l, record.Holding(one, ""), note(one))
	at := holds("no claim at all", record.ClaimsAt(0), claim(t, one, "C-1"))
	moved(t, l, record.ClaimsAt(at-1), note(one))
	holds("no claim since", record.ClaimsAt(at), note(one))
	holds("the open claim", record.Holding(one, "C-1"), note(one))
	moved(t, l, record.Holding(one, "C-2"), note(one))
	moved(t, l, record.Holding(two, "C-1"), note(two))
	moved(t, l, record.Holding(one, "C-1").And(record.TaskAt(two, 1)), note(one))
	moved(t, l, record.Holding(one, "C-1").And(record.Empty()), note(one))
	holds("both", record.Holding(one, "C-1").And(record.ClaimsAt(at)), note(one))
	holds("the holder's release", record.Holding(one, "C-1"), release(t, one, "C-1"))
	moved(t, l, record.Holding(one, "C-1"), note(one))
	moved(t, l, record.ClaimsAt(at), note(one))
	sound(t, l)
}

func together(t *testing.T, d Driver) {
	l := open(t, d)
	add(t, l, part, claim(t, task(1), "C-1"))
	moved(t, l, record.Always(), message(t, "", "first"), claim(t, task(1), "C-2"))
	moved(t, l, record.Always(), claim(t, task(2), "C-2"), claim(t, task(2), "C-3"))
	if n := len(all(t, l, part, 1)); n != 1 {
		t.Fatalf("%d events, want the one from before", n)
	}
	last := add(t, l, part, release(t, task(1), "C-1"), claim(t, task(1), "C-2"), message(t, "", "x"))
	if last != 4 {
		t.Errorf("three more after the first end at %d", last)
	}
	sound(t, l)
}

func retries(t *testing.T, d Driver) {
	l := open(t, d)
	e, f := claim(t, task(1), "C-1"), message(t, task(1), "started")
	cond := record.TaskAt(task(1), 0)
	for range 3 { // the answer to the first was lost
		seq, err := l.Append(context.Background(), part, cond, e, f)
		if err != nil || seq != 2 {
			t.Fatalf("seq %d, %v", seq, err)
		}
	}
	add(t, l, part, message(t, task(1), "more"))
	if seq, err := l.Append(context.Background(), part, cond, e); err != nil || seq != 1 {
		t.Errorf("a late retry of the first: seq %d, %v", seq, err)
	}
	if n := len(all(t, l, part, 1)); n != 3 {
		t.Errorf("%d events, want 3", n)
	}
	sound(t, l)
}

func taken(t *testing.T, d Driver) {
	l := open(t, d)
	one := event(t, record.Message{Text: "one"}, record.Envelope{ID: "E-1", Actor: record.Actor{Kind: record.ByPerson}})
	two := event(t, record.Message{Text: "two"}, record.Envelope{ID: "E-1", Actor: record.Actor{Kind: record.ByPerson}})
	add(t, l, part, one)
	for _, events := range [][]record.Event{{two}, {message(t, "", "x"), two}} {
		if _, err := l.Append(context.Background(), part, record.Always(), events...); !errors.Is(err, record.ErrTaken) {
			t.Errorf("another event under a taken id: %v", err)
		}
	}
	if _, err := l.Append(context.Background(), "new", record.Always(), one, two); err == nil {
		t.Error("two events of one append share an id")
	}
	if n := len(all(t, l, part, 1)); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	sound(t, l, "new")
}

func exclusive(t *testing.T, d Driver) {
	l := open(t, d)
	add(t, l, part, claim(t, task(1), "C-1"))
	moved(t, l, record.Always(), claim(t, task(1), "C-2"))
	add(t, l, part, claim(t, task(2), "C-2"))
	add(t, l, part, release(t, task(1), "C-9")) // names no open claim, and ends none
	moved(t, l, record.Always(), claim(t, task(1), "C-3"))
	add(t, l, part, release(t, task(1), "C-1"))
	add(t, l, part, claim(t, task(1), "C-3"))
	moved(t, l, record.Holding(task(1), "C-1"), message(t, task(1), "from the one before"))
	sound(t, l)
}

// race runs rounds in which many claim one task at once.
func race(t *testing.T, d Driver) {
	l := open(t, d)
	const rounds, many = 5, 8
	for r := range rounds {
		wins := make(chan string, many)
		each(many, func(i int) {
			id := fmt.Sprintf("C-%d-%d", r, i)
			switch _, err := l.Append(context.Background(), part, record.Always(), claim(t, task(1), id)); {
			case err == nil:
				wins <- id
			case !errors.Is(err, record.ErrMoved):
				t.Error(err)
			}
		})
		if len(wins) != 1 {
			t.Fatalf("%d of %d claimants won", len(wins), many)
		}
		add(t, l, part, release(t, task(1), <-wins))
	}
	sound(t, l)
}

func gapless(t *testing.T, d Driver) {
	l := open(t, d)
	const writers, writes = 8, 20
	each(writers, func(w int) {
		for i := range writes {
			if _, err := l.Append(context.Background(), part, record.Always(), message(t, task(w), fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		}
	})
	of := map[string]int{}
	for i, e := range all(t, l, part, 1) {
		if e.Seq != record.Seq(i+1) {
			t.Fatalf("event %d has the seq %d", i+1, e.Seq)
		}
		p, err := record.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if text := p.(record.Message).Text; text != fmt.Sprint(of[e.Task]) {
			t.Errorf("%s: line %s where %d was next", e.Task, text, of[e.Task])
		}
		of[e.Task]++
	}
	for w := range writers {
		if of[task(w)] != writes {
			t.Errorf("%d of %d events of writer %d", of[task(w)], writes, w)
		}
	}
	sound(t, l)
}

func authority(t *testing.T, d Driver) {
	l := open(t, d)
	e := claim(t, task(1), "C-1")
	e.Actor = record.Actor{Kind: record.ByAgent, ID: "claude"}
	var refused *record.Forbidden
	if _, err := l.Append(context.Background(), part, record.Always(), message(t, "", "x"), e); !errors.As(err, &refused) {
		t.Fatalf("an agent claimed a task: %v", err)
	}
	if n := len(all(t, l, part, 1)); n != 0 {
		t.Errorf("%d events were written", n)
	}
}

func whole(t *testing.T, d Driver) {
	l := open(t, d)
	for name, spoil := range map[string]func(*record.Event){
		"no id":           func(e *record.Event) { e.ID = "" },
		"no time":         func(e *record.Event) { e.At = time.Time{} },
		"half a payload":  func(e *record.Event) { e.Payload = []byte(`{}`) },
		"an unknown key":  func(e *record.Event) { e.Payload = []byte(`{"text":"x","texts":1}`) },
		"a newer schema":  func(e *record.Event) { e.Schema = 99 },
		"an unknown kind": func(e *record.Event) { e.Kind = "message.shouted" },
	} {
		e := message(t, "", "x")
		spoil(&e)
		if _, err := l.Append(context.Background(), part, record.Always(), e); err == nil {
			t.Errorf("%s: it was written", name)
		}
	}
	if n := len(all(t, l, part, 1)); n != 0 {
		t.Errorf("%d events were written", n)
	}
}

// each runs do many times at once.
func each(many int, do func(i int)) {
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
