package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// facts is what a condition asks, read at once in the first round trip of a transaction that
// holds its partition.
type facts struct {
	len   record.Seq
	moves record.Seq
	tasks map[string]task
	there map[string]record.Stored // of the events' ids, those that are in the partition: seq and body
}

type task struct {
	last record.Seq
	open string // its open claim
}

var _ record.Facts = (*facts)(nil)

const (
	begin = `BEGIN ISOLATION LEVEL READ COMMITTED`
	found = `INSERT INTO partition (partition) VALUES ($1) ON CONFLICT DO NOTHING`
	hold  = `SELECT seq FROM partition WHERE partition = $1 FOR UPDATE`
	// One id at a time, so that nothing but the index of ids will do.
	byID = `SELECT e.id, e.seq, e.body FROM unnest($2::text[]) i (id),
		LATERAL (SELECT id, seq, body FROM event WHERE partition = $1 AND event.id = i.id LIMIT 1) e`
	moves = `SELECT seq FROM event WHERE partition = $1
		AND kind IN ('task.claimed', 'task.released', 'task.minted', 'task.reminted', 'task.withdrawn')
		ORDER BY seq DESC LIMIT 1`
	// A task's last claim is open unless a release that names it has come after it.
	ofTasks = `SELECT t.task,
		coalesce((SELECT seq FROM event WHERE partition = $1 AND task = t.task AND task <> '' ORDER BY seq DESC LIMIT 1), 0),
		CASE WHEN EXISTS (SELECT FROM event WHERE partition = $1 AND task = t.task AND kind = 'task.released'
			AND seq > c.seq AND claim = c.claim) THEN '' ELSE coalesce(c.claim, '') END
	FROM unnest($2::text[]) t (task) LEFT JOIN LATERAL (
		SELECT seq, claim FROM event WHERE partition = $1 AND task = t.task AND kind = 'task.claimed' ORDER BY seq DESC LIMIT 1
	) c ON true`
)

// ask begins the transaction, waits until the partition is its own, and reads the facts. Each
// statement sees what was committed before it: those after the wait see what was waited for.
func ask(ctx context.Context, c *pgx.Conn, w writing) (*facts, error) {
	f := &facts{tasks: map[string]task{}, there: map[string]record.Stored{}}
	ids, tasks := make([]string, len(w.events)), w.cond.Tasks()
	for i, e := range w.events {
		ids[i], tasks = e.ID, append(tasks, e.Task)
	}
	b := &pgx.Batch{}
	b.Queue(begin)
	b.Queue(found, string(w.p))
	b.Queue(hold, string(w.p)).QueryRow(func(row pgx.Row) error { return row.Scan(&f.len) })
	b.Queue(byID, string(w.p), ids).Query(func(rows pgx.Rows) error {
		var s record.Stored
		_, err := pgx.ForEachRow(rows, []any{&s.ID, &s.Seq, &s.Body}, func() error {
			f.there[s.ID] = s
			return nil
		})
		return err
	})
	b.Queue(moves, string(w.p)).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&f.moves}, func() error { return nil })
		return err
	})
	b.Queue(ofTasks, string(w.p), tasks).Query(func(rows pgx.Rows) error {
		var name string
		var t task
		_, err := pgx.ForEachRow(rows, []any{&name, &t.last, &t.open}, func() error {
			f.tasks[name] = t
			return nil
		})
		return err
	})
	return f, c.SendBatch(ctx, b).Close()
}

// add is what an event of this append changes for those after it.
func (f *facts) add(e record.Event) {
	t := f.tasks[e.Task]
	switch {
	case e.Kind == record.KindClaimed:
		t.open = e.Claim
	case e.Kind == record.KindReleased && e.Claim == t.open:
		t.open = ""
	}
	f.tasks[e.Task] = t
}

func (f *facts) of(name string) (task, error) {
	t, asked := f.tasks[name]
	if !asked {
		return t, fmt.Errorf("the condition asks about %s, and its tasks do not name it", name)
	}
	return t, nil
}

// LastOf is the seq of a task's last event.
func (f *facts) LastOf(task string) (record.Seq, error) {
	t, err := f.of(task)
	return t.last, err
}

// OpenClaim is the claim of a task that is open.
func (f *facts) OpenClaim(task string) (string, error) {
	t, err := f.of(task)
	return t.open, err
}

// LastClaimsMove is the last seq of the kinds that change which task may be claimed.
func (f *facts) LastClaimsMove() (record.Seq, error) { return f.moves, nil }

// Len is the partition's last seq.
func (f *facts) Len() (record.Seq, error) { return f.len, nil }
