package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

const world record.Partition = "world"

// plans are as many rows of a bench, all alike.
func plans(many int) []record.Proposal {
	rows := make([]record.Proposal, many)
	for i := range rows {
		rows[i] = record.Proposal{Actor: "Ander", Tick: 1400, Kind: record.Plan, Model: "m", Settings: json.RawMessage("{}"), Answer: []byte("a"), Verdict: "accepted"}
	}
	return rows
}

// rowsOf counts the rows of a bench, whose ids are dense.
func rowsOf(t testing.TB, l record.Log) (rows, memories int64) {
	t.Helper()
	for r, err := range l.(record.Ledger).Proposals(t.Context(), world, "") {
		must(t, err)
		rows = r.ID
	}
	for m, err := range l.(record.Memories).Memories(t.Context(), world, "") {
		must(t, err)
		memories = m.ID
	}
	must(t, l.Check(t.Context(), world))
	return rows, memories
}

// A connection is cut after every so many bytes, as of an append of events: a row has no id by
// which it would be known, and is there once all the same, also when it was committed and the
// answer was lost.
func TestARowOfABenchThatIsCutAnywhereIsThereOnce(t *testing.T) {
	dsn := fresh(t)
	by, p := through(t, dsn)
	l := plainly(t, by)
	saw := record.Memory{Villager: "Ander", Tick: 1404, Register: record.Saw, Text: "Mose"}
	want, cuts := int64(0), 0
	for step, down := range map[int]bool{211: false, 29: true} {
		for bytes, whole := 0, false; !whole; bytes += step {
			p.cutAfter(bytes, down)
			id, err := l.(record.Ledger).Propose(t.Context(), world, plans(2)...)
			if err != nil || id != want+1 {
				t.Fatalf("cut after %d bytes it has the id %d, %v, and %d is next", bytes, id, err, want+1)
			}
			whole = !p.isCut()
			p.cutAfter(-1, down)
			p.cutAfter(bytes, down)
			if err := l.(record.Memories).Remember(t.Context(), world, saw, saw); err != nil {
				t.Fatalf("cut after %d bytes: %v", bytes, err)
			}
			whole = whole && !p.isCut()
			if want += 2; !whole {
				cuts++
			}
		}
		p.cutAfter(-1, down)
	}
	if rows, memories := rowsOf(t, l); rows != want || memories != want || cuts < 20 {
		t.Errorf("%d rows and %d memories are there, and %d of each were acknowledged over %d cuts", rows, memories, want, cuts)
	}
}

// A server that goes away between the question and the append, and stays away: an error that
// says so, and nothing half written; what was to be written is written the next time.
func TestARowForAServerThatIsKilledIsAnErrorAndNothingIsHalfWritten(t *testing.T) {
	t.Parallel()
	c := pgtest.Own(t)
	dsn := c.Database(t)
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	l := plainly(t, dsn)
	postgres.SetPatience(l, 300*time.Millisecond)
	_, err := l.(record.Ledger).Propose(t.Context(), world, plans(1)...)
	must(t, err)
	c.Kill(t)
	id, err := l.(record.Ledger).Propose(t.Context(), world, plans(3)...)
	is(t, dsn, err, record.ErrUnreachable, "writing")
	if id != 0 {
		t.Errorf("it has the id %d", id)
	}
	is(t, dsn, l.(record.Memories).Remember(t.Context(), world, record.Memory{Villager: "A", Register: record.Did, Text: "x"}), record.ErrUnreachable, "writing")
	_, err = l.(record.Ledger).Current(t.Context(), world, "Ander")
	is(t, dsn, err, record.ErrUnreachable, "reading the table proposal")
	c.Restart(t)
	postgres.SetPatience(l, time.Minute)
	if id, err := l.(record.Ledger).Propose(t.Context(), world, plans(3)...); id != 2 || err != nil {
		t.Errorf("afterwards it has the id %d, %v", id, err)
	}
	if rows, memories := rowsOf(t, l); rows != 4 || memories != 0 {
		t.Errorf("%d rows and %d memories", rows, memories)
	}
}

func TestARoleThatMayOnlyReadReadsABench(t *testing.T) {
	dsn := fresh(t)
	role := pgtest.Server(t).Role(t)
	if _, err := postgres.Migrate(t.Context(), dsn, postgres.Roles{Reader: role}); err != nil {
		t.Fatal(err)
	}
	_, err := plainly(t, dsn).(record.Ledger).Propose(t.Context(), world, plans(2)...)
	must(t, err)
	l, err := postgres.OpenRead(t.Context(), as(t, dsn, role))
	must(t, err)
	defer l.Close()
	if rows, memories := rowsOf(t, l); rows != 2 || memories != 0 {
		t.Errorf("%d rows and %d memories", rows, memories)
	}
	now, err := l.(record.Ledger).Current(t.Context(), world, "Ander")
	if err != nil || now == nil || now.ID != 2 {
		t.Errorf("the plan is %+v, %v", now, err)
	}
	_, err = l.(record.Ledger).Propose(context.Background(), world, plans(1)...)
	err = errors.Join(err, l.(record.Memories).Remember(context.Background(), world, record.Memory{Villager: "A", Register: record.Did, Text: "x"}))
	if fmt.Sprint(err) != fmt.Sprintf("%v\n%v", record.ErrReadOnly, record.ErrReadOnly) {
		t.Errorf("it says %v", err)
	}
}
