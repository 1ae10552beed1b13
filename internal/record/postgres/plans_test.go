package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/recordtest"
)

// heard takes down every statement that a log sends, with what it asks about.
type heard struct {
	sync.Mutex
	args map[string]int
}

func (h *heard) note(text string, args []any) {
	h.Lock()
	defer h.Unlock()
	h.args[text] = len(args)
}

func (h *heard) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	h.note(d.SQL, d.Args)
	return ctx
}
func (h *heard) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (h *heard) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, q := range d.Batch.QueuedQueries {
		h.note(q.SQL, q.Arguments)
	}
	return ctx
}
func (h *heard) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (h *heard) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// everything asks of a log all that a log can be asked, but for a whole check.
func everything(t *testing.T, l record.Log, last record.Seq) {
	t.Helper()
	ctx := t.Context()
	read := func() {
		for _, err := range l.Read(ctx, part, last-3) {
			must(t, err)
		}
	}
	read()
	e, err := record.New(record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"}, recordtest.At,
		record.Envelope{Task: "T-7", Claim: "C-7", Actor: record.Actor{Kind: record.ByDispatch}})
	must(t, err)
	_, err = l.Append(ctx, part, record.ClaimsAt(last).And(record.TaskAt("T-8", 0)), e, judging(t, "T-7"))
	must(t, err)
	snapshots := l.(record.Snapshots)
	kept := record.Snapshot{Name: "board", Form: "1", Seq: last, Hash: recordtest.Digest("1"), Parts: map[string][]byte{"index": []byte("i"), "marks/1": []byte("m"), "gone": []byte("g")}}
	must(t, snapshots.Keep(ctx, part, kept))
	delete(kept.Parts, "gone")
	must(t, snapshots.Keep(ctx, part, kept))
	for _, parts := range [][]string{nil, {"index", "marks/"}, {"index", "marks/1"}} {
		_, err := snapshots.Kept(ctx, part, "board", parts...)
		must(t, err)
	}
	for _, actor := range []string{"", "T-7"} {
		for _, err := range l.(record.Ledger).Proposals(ctx, part, actor) {
			must(t, err)
		}
	}
	must(t, bench(ctx, l, "acme/bench"))
	leases := l.(record.Leases)
	must(t, leases.Lease(ctx, part, "C-7", "here", time.Second))
	_, err = leases.Leased(ctx, part, "C-7")
	must(t, err)
	must(t, leases.GiveUp(ctx, part, "C-7"))
	read()
}

// bench does all that one does, and what is refused in its partition.
func bench(ctx context.Context, l record.Log, p record.Partition) error {
	row, m := record.Proposal{Actor: "A", Kind: record.Plan, Model: "m", Settings: json.RawMessage("{}"), Verdict: "accepted"}, l.(record.Memories)
	_, err := l.(record.Ledger).Propose(ctx, p, row)
	err = errors.Join(err, m.Remember(ctx, p, record.Memory{Villager: "A", Register: record.Saw, Text: "B"}))
	for _, villager := range []string{"", "A"} {
		for _, wrong := range m.Memories(ctx, p, villager) {
			err = errors.Join(err, wrong)
		}
	}
	now, wrong := l.(record.Ledger).Current(ctx, p, "A")
	if wrong == nil && now == nil {
		wrong = errors.New("no plan is current")
	}
	return errors.Join(err, wrong, l.Check(ctx, p))
}

func judging(t testing.TB, task string) record.Event {
	t.Helper()
	j := recordtest.Accepted("arrival")
	j.Row = &record.Proposal{Actor: task, Kind: record.Plan, Model: "m", Settings: json.RawMessage("{}"), Answer: []byte("a"), Verdict: "accepted"}
	e, err := record.New(j, recordtest.At, record.Envelope{Task: task, Attempt: 1, Claim: "C", Actor: record.Actor{Kind: record.ByAttempt}})
	must(t, err)
	return e
}

// filled is a log over tables of which a walk would be dear: many events, rows and leases.
func filled(t *testing.T, dsn string) record.Seq {
	t.Helper()
	l, err := postgres.Open(t.Context(), dsn)
	must(t, err)
	defer l.Close()
	const n, tasks = 3000, 1000
	var events []record.Event
	for i := range n {
		task := fmt.Sprintf("T-%d", 100+i%tasks)
		switch i / tasks {
		case 0:
			e, err := record.New(record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"}, recordtest.At,
				record.Envelope{Task: task, Claim: task, Actor: record.Actor{Kind: record.ByDispatch}})
			must(t, err)
			events = append(events, e)
		case 1:
			events = append(events, judging(t, task))
		default:
			events = append(events, note(t, recordtest.Line))
		}
	}
	var last record.Seq
	for some := range slices.Chunk(events, 500) {
		last, err = l.Append(t.Context(), part, record.Always(), some...)
		must(t, err)
	}
	many := record.Snapshot{Name: "other", Form: "1", Seq: 1, Parts: map[string][]byte{}}
	for i := range 50 {
		many.Parts[fmt.Sprintf("tasks/%d", i)] = []byte(strings.Repeat("a task ", 100))
	}
	for i := range 20 { // of other teams, in the same database
		other := record.Partition(fmt.Sprint("acme/other-", i))
		must(t, l.(record.Snapshots).Keep(t.Context(), other, many))
		for range 5 {
			must(t, l.(record.Memories).Remember(t.Context(), "bench of "+other, slices.Repeat([]record.Memory{
				{Villager: "A", Register: record.Did, Text: "ate"}, {Villager: "B", Register: record.Saw, Text: "A"}}, 30)...))
		}
		for n := range 20 {
			must(t, l.(record.Leases).Lease(t.Context(), other, fmt.Sprint("C-", n), "here", time.Minute))
		}
	}
	return last
}

func TestEveryStatementFindsItsRowsByAnIndex(t *testing.T) {
	dsn := fresh(t)
	last := filled(t, dsn)
	db, err := pgconn.Connect(t.Context(), dsn)
	must(t, err)
	defer db.Close(context.Background())
	for _, set := range []string{"ANALYZE", "SET plan_cache_mode = force_generic_plan"} {
		_, err := db.Exec(t.Context(), set).ReadAll()
		must(t, err)
	}
	said := &heard{args: map[string]int{}}
	l, err := postgres.OpenHeard(t.Context(), dsn, said)
	must(t, err)
	defer l.Close()
	everything(t, l, last)
	used := map[string]bool{}
	for text, args := range said.args {
		if !asksOfRows.MatchString(text) {
			continue
		}
		for _, step := range planOf(t, db, text, args) {
			used[step.Index] = true
			if step.Kind == "Seq Scan" && !tiny[step.Table] {
				t.Errorf("%s\nwalks all of %s", text, step.Table)
			}
		}
	}
	for _, index := range []string{"event_seq", "event_id", "event_task", "event_moves", "event_claim", "partition_pkey", "proposal_pkey", "proposal_villager", "memory_pkey", "memory_villager",
		"snapshot_pkey", "snapshot_part_pkey", "lease_pkey"} {
		if !used[index] && !tiny[strings.TrimSuffix(index, "_pkey")] {
			t.Errorf("no statement uses %s: %v", index, slices.Sorted(maps.Keys(used)))
		}
	}
}

// tiny are tables of a row a partition or a snapshot: there is nothing to find in them.
var tiny = map[string]bool{"partition": true, "snapshot": true}

// asksOfRows are statements that find rows, not those about transactions and settings.
var asksOfRows = regexp.MustCompile(`(?s)\b(FROM|INTO|UPDATE) (event|partition|proposal|memory|snapshot|snapshot_part|lease)\b`)

// step is one node of a plan that reads a table.
type step struct {
	Kind  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Index string `json:"Index Name"`
	Below []step `json:"Plans"`
}

// planOf is how the server carries a statement out for a log, whatever it is asked about.
func planOf(t *testing.T, c *pgconn.PgConn, text string, args int) (steps []step) {
	t.Helper()
	ask := fmt.Sprintf("PREPARE asked AS %s; EXPLAIN (FORMAT JSON) EXECUTE asked", text)
	if args > 0 {
		ask += "(NULL" + strings.Repeat(", NULL", args-1) + ")"
	}
	results, err := c.Exec(t.Context(), ask+"; DEALLOCATE asked").ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var plans []struct{ Plan step }
	must(t, json.Unmarshal(results[1].Rows[0][0], &plans))
	var walk func(s step)
	walk = func(s step) {
		steps = append(steps, s)
		for _, below := range s.Below {
			walk(below)
		}
	}
	for _, p := range plans {
		walk(p.Plan)
	}
	return steps
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
