package recordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"torve/internal/record"
)

// model runs random appends against a log and against the rules written once more, in
// memory: they must agree on every answer and on what is there afterwards.
func model(t *testing.T, d Driver) {
	l := open(t, d)
	var run atomic.Int64
	var used []record.Partition
	rapid.Check(t, func(rt *rapid.T) {
		m := &memory{p: record.Partition(fmt.Sprintf("model/%d", run.Add(1)))}
		used = append(used, m.p)
		for i := range rapid.IntRange(1, 25).Draw(rt, "appends") {
			events := m.events(rt, t, i)
			cond, holds := m.cond(rt)
			want, why := m.append(holds, events)
			got, err := l.Append(context.Background(), m.p, cond, events...)
			if !errors.Is(err, why) || (why == nil) != (err == nil) || got != want {
				rt.Fatalf("append %d of %d events: seq %d, %v; the rules say %d, %v", i, len(events), got, err, want, why)
			}
		}
		if !slices.Equal(bodies(t, all(t, l, m.p, 1)), bodies(t, m.rows)) {
			rt.Fatal("the log does not hold what was appended")
		}
	})
	sound(t, l, used...)
}

// memory is a partition as the rules say it is.
type memory struct {
	p    record.Partition
	rows []record.Event
	past [][]record.Event // what was appended, for retries
}

// events draws what to append: new events of few tasks, or a retry.
func (m *memory) events(rt *rapid.T, t testing.TB, i int) []record.Event {
	if len(m.past) > 0 && rapid.IntRange(0, 5).Draw(rt, "retry") == 0 {
		return rapid.SampledFrom(m.past).Draw(rt, "of")
	}
	var events []record.Event
	for j := range rapid.IntRange(1, 3).Draw(rt, "events") {
		task := task(rapid.IntRange(1, 3).Draw(rt, "task"))
		id := fmt.Sprintf("C-%d", rapid.IntRange(1, 2).Draw(rt, "claim"))
		switch rapid.IntRange(0, 2).Draw(rt, "kind") {
		case 0:
			events = append(events, claim(t, task, id))
		case 1:
			events = append(events, release(t, task, id))
		default:
			events = append(events, message(t, task, fmt.Sprint(i, j)))
		}
	}
	return events
}

// cond draws a condition, and says whether it holds now.
func (m *memory) cond(rt *rapid.T) (record.Cond, bool) {
	one := task(rapid.IntRange(1, 3).Draw(rt, "asked"))
	id := fmt.Sprintf("C-%d", rapid.IntRange(1, 2).Draw(rt, "holder"))
	near := func(at record.Seq) record.Seq {
		return max(0, at-record.Seq(rapid.IntRange(0, 1).Draw(rt, "late")))
	}
	switch rapid.IntRange(0, 4).Draw(rt, "cond") {
	case 0:
		at := near(m.last(one))
		return record.TaskAt(one, at), at == m.last(one)
	case 1:
		return record.Holding(one, id), m.open(one) == id
	case 2:
		at := near(m.moves())
		return record.ClaimsAt(at), m.moves() <= at
	case 3:
		at := near(m.last(one))
		return record.TaskAt(one, at).And(record.Empty()), at == m.last(one) && len(m.rows) == 0
	}
	return record.Always(), true
}

func (m *memory) append(holds bool, events []record.Event) (record.Seq, error) {
	there := func(e record.Event) int {
		return slices.IndexFunc(m.rows, func(r record.Event) bool { return r.ID == e.ID })
	}
	if !slices.ContainsFunc(events, func(e record.Event) bool { return there(e) < 0 }) {
		return record.Seq(there(events[len(events)-1]) + 1), nil
	}
	if !holds {
		return 0, record.ErrMoved
	}
	before := len(m.rows)
	for _, e := range events {
		if e.Kind == record.KindClaimed && m.open(e.Task) != "" {
			m.rows = m.rows[:before]
			return 0, record.ErrMoved
		}
		m.rows = append(m.rows, e)
	}
	m.past = append(m.past, events)
	return record.Seq(len(m.rows)), nil
}

func (m *memory) find(is func(record.Event) bool) record.Seq {
	for i, e := range slices.Backward(m.rows) {
		if is(e) {
			return record.Seq(i + 1)
		}
	}
	return 0
}

func (m *memory) last(task string) record.Seq {
	return m.find(func(e record.Event) bool { return e.Task == task })
}

func (m *memory) moves() record.Seq {
	return m.find(func(e record.Event) bool { return slices.Contains(record.MovesClaims(), e.Kind) })
}

func (m *memory) open(task string) string {
	open := ""
	for _, e := range m.rows {
		switch {
		case e.Task == task && e.Kind == record.KindClaimed:
			open = e.Claim
		case e.Task == task && e.Kind == record.KindReleased && e.Claim == open:
			open = ""
		}
	}
	return open
}
