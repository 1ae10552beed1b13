package recordtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"torve/internal/record"
)

func guards(t *testing.T, d Driver) {
	l := open(t, d)
	for _, text := range []string{"1", "2", "3"} {
		add(t, l, part, message(t, "", text))
	}
	before := bodies(t, all(t, l, part, 1))
	raw := d.Raw(t, l, part)
	if raw.Drop(2) == nil || raw.Drop(3) == nil {
		t.Error("a row was deleted")
	}
	other := stored(t, message(t, "", "other"), 2, "")
	if raw.Put(other) == nil {
		t.Error("a row was replaced")
	}
	if after := bodies(t, all(t, l, part, 1)); len(after) != len(before) {
		t.Errorf("%d rows of %d", len(after), len(before))
	}
	sound(t, l)
}

// stored is an event as a store would hold it at a seq after a hash.
func stored(t testing.TB, e record.Event, seq record.Seq, prev string) record.Stored {
	t.Helper()
	body, err := e.Body()
	if err != nil {
		t.Fatal(err)
	}
	return record.Stored{
		Seq: seq, Prev: prev, Hash: record.HashOf(prev, seq, body), Body: body,
		ID: e.ID, Task: e.Task, Kind: e.Kind, Claim: e.Claim,
	}
}

// broken breaks one invariant after the other by hand; each rule must be found by name.
func broken(t *testing.T, d Driver) {
	chained := func(t testing.TB, l record.Log, e record.Event) record.Stored {
		there := all(t, l, part, 1)
		return stored(t, e, record.Seq(len(there)+1), there[len(there)-1].Hash)
	}
	found := func(as func(*record.Stored)) func(testing.TB, record.Log, Raw) error {
		return func(t testing.TB, l record.Log, raw Raw) error {
			s := chained(t, l, message(t, "", "x"))
			as(&s)
			return raw.Put(s)
		}
	}
	bytes := func(s record.Stored, body string) record.Stored {
		s.Body, s.Hash = []byte(body), record.HashOf(s.Prev, s.Seq, []byte(body))
		return s
	}
	for name, c := range map[string]struct {
		rule string
		do   func(t testing.TB, l record.Log, raw Raw) error
	}{
		"the guards are gone": {"R1", nil},
		"a row is gone":       {"R2", func(_ testing.TB, _ record.Log, raw Raw) error { return raw.Drop(2) }},
		"the first is gone":   {"R2", func(_ testing.TB, _ record.Log, raw Raw) error { return raw.Drop(1) }},
		"a body was changed": {"R3", func(t testing.TB, l record.Log, raw Raw) error {
			e := all(t, l, part, 1)[1]
			s := stored(t, e, 2, e.Prev)
			s.Body[len(s.Body)-3]++
			return raw.Put(s)
		}},
		"a whole row was changed": {"R3", func(t testing.TB, l record.Log, raw Raw) error {
			return raw.Put(stored(t, message(t, "", "another"), 2, all(t, l, part, 1)[1].Prev))
		}},
		"a row has another one before it": {"R3", func(t testing.TB, l record.Log, raw Raw) error {
			s := chained(t, l, message(t, "", "x"))
			s.Prev = Digest("0")
			return raw.Put(s)
		}},
		"a task has two claims": {"R4", func(t testing.TB, l record.Log, raw Raw) error {
			return raw.Put(chained(t, l, claim(t, task(1), "C-2")))
		}},
		"a landing names another's file": {"R5", func(t testing.TB, l record.Log, raw Raw) error {
			e := landing(t)
			e.Task = task(2)
			return raw.Put(chained(t, l, e))
		}},
		"a payload has an unknown key": {"R6", func(t testing.TB, l record.Log, raw Raw) error {
			e := message(t, "", "x")
			e.Payload = []byte(`{"text":"x","shout":true}`)
			return raw.Put(chained(t, l, e))
		}},
		"a kind is not known": {"R6", func(t testing.TB, l record.Log, raw Raw) error {
			e := message(t, "", "x")
			e.Kind = "message.shouted"
			return raw.Put(chained(t, l, e))
		}},
		"a body is no JSON": {"R6", func(t testing.TB, l record.Log, raw Raw) error {
			return raw.Put(bytes(chained(t, l, message(t, "", "x")), "{"))
		}},
		"a body is not canonical": {"R6", func(t testing.TB, l record.Log, raw Raw) error {
			s := chained(t, l, message(t, "", "x"))
			return raw.Put(bytes(s, string(s.Body)+" "))
		}},
		"a row is found by another's task":  {"R6", found(func(s *record.Stored) { s.Task = task(9) })},
		"a row is found by another's id":    {"R6", found(func(s *record.Stored) { s.ID = "E-9" })},
		"a row is found by another's kind":  {"R6", found(func(s *record.Stored) { s.Kind = record.KindSpend })},
		"a row is found by another's claim": {"R6", found(func(s *record.Stored) { s.Claim = "C-9" })},
	} {
		t.Run(name, func(t *testing.T) { findsBroken(t, d, c.rule, c.do) })
	}
}

// findsBroken breaks a log of its own, with the guards away for the while; with
// nothing to do they stay away.
func findsBroken(t *testing.T, d Driver, rule string, do func(testing.TB, record.Log, Raw) error) {
	l := open(t, d)
	add(t, l, part, message(t, "", "1"), message(t, "", "2"), claim(t, task(1), "C-1"))
	sound(t, l)
	raw := d.Raw(t, l, part)
	if err := raw.Unguard(); err != nil {
		t.Fatal(err)
	}
	if do != nil {
		if err := errors.Join(do(t, l, raw), raw.Guard()); err != nil {
			t.Fatal(err)
		}
	}
	var found *record.Broken
	if err := l.Check(context.Background(), part); !errors.As(err, &found) || found.Rule != rule {
		t.Errorf("check says %v, and %s is broken", err, rule)
	}
	if rule == "R2" || rule == "R3" || strings.Contains(t.Name(), "found_by") {
		notRead(t, l, rule)
	}
}

// notRead asks that a read over what breaks a rule ends with that error, and not as if
// what came before were all, or what is broken were an event.
func notRead(t *testing.T, l record.Log, rule string) {
	var said error
	for _, err := range l.Read(context.Background(), part, 1) {
		said = err
	}
	var found *record.Broken
	if !errors.As(said, &found) || found.Rule != rule {
		t.Errorf("a read over what breaks %s ends with %v", rule, said)
	}
}

func landing(t testing.TB) record.Event {
	return event(t, record.Landed{
		Path: ".torve/execution/T-0001-1-20260131T100000Z.yaml", Target: "main", Commit: Object("8"), Contract: Digest("1"),
	}, record.Envelope{Task: task(1), Attempt: 1, Actor: record.Actor{Kind: record.ByLanding}})
}
