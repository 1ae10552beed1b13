package recordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"torve/internal/record"
)

// benchPart is the partition of a bench: it has rows, and no event.
const benchPart record.Partition = "world"

// bench is what a store offers to one.
type bench interface {
	record.Log
	record.Ledger
	record.Memories
}

func benches(t *testing.T, d Driver) bench {
	t.Helper()
	return benchOf(t, open(t, d))
}

func benchOf(t testing.TB, l record.Log) bench {
	t.Helper()
	b, can := l.(bench)
	if !can {
		t.Fatal("this driver keeps no rows of a bench")
	}
	return b
}

// Plan is a row of a bench's ledger, which change may alter.
func Plan(actor string, tick int64, change ...func(*record.Proposal)) record.Proposal {
	in, out := int64(374), int64(133)
	row := record.Proposal{
		Actor: actor, Tick: tick, Kind: record.Plan, Model: "qwen2.5:0.5b-instruct-q4_K_M", Digest: "c5396e06af294bd1",
		Settings: []byte(`{"limit":256,"context":4096,"temperature":0.00,"seed":1402}`), Prompt: Digest("c"),
		TokensIn: &in, TokensOut: &out, Grounding: []string{"1", "2", "3"}, Answer: []byte(`{"steps": []}`), Verdict: "accepted",
	}
	for _, f := range change {
		f(&row)
	}
	return row
}

func refusedRow(r *record.Proposal) {
	r.Verdict, r.Failed, r.Reason = "refused", "shape", "not the shape"
}

func step(r *record.Proposal) {
	r.Kind, r.Verdict, r.Failed, r.Reason = record.Step, "refused", "freshness", "75 ticks is too late"
}

func propose(t testing.TB, l record.Ledger, p record.Partition, rows ...record.Proposal) int64 {
	t.Helper()
	id, err := l.Propose(context.Background(), p, rows...)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// proposesRows asks that rows come back from the store as they went in, byte for byte; what
// is another in it than was given is written out here.
func proposesRows(t *testing.T, d Driver) {
	l := benches(t, d)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	given := []record.Proposal{
		Plan("Ander", 1400),
		Plan("Mose", 1900, unknown),
		Plan("Mose", 1975, step, unknown),
		Plan("Halla", 2900, refusedRow, func(r *record.Proposal) { r.Answer, r.Reason = every, "invalid '\xff', \x00 店 \\ \"'{}," }),
		Plan("Halla", 1<<40, func(r *record.Proposal) { r.Answer, r.Grounding = nil, nil }),
		Plan("Æ'\"\\;--", 0, func(r *record.Proposal) {
			r.Grounding = []string{`a,b`, `{"c"}`, `NULL`, `\ '`, "店", " " + "x"}
			r.Settings = []byte(`{ "stop": ["\u0000", "\ud800", "<店>"], "limit": 1e3,` + "\n" + ` "a": {"a": null, "a": 0.00} }`)
			r.Answer = []byte(strings.Repeat("step\n", 100_000))
		}),
	}
	if id := propose(t, l, benchPart, given[:2]...); id != 1 {
		t.Errorf("the first of them has the id %d", id)
	}
	if id := propose(t, l, benchPart, given[2:]...); id != 3 {
		t.Errorf("the third of them has the id %d", id)
	}
	want := slices.Clone(given)
	want[3].Reason = `invalid '\xff', \x00 店 \ "'{},`
	want[5].Settings = []byte(`{"stop":["\u0000","\ud800","<店>"],"limit":1e3,"a":{"a":null,"a":0.00}}`)
	holdsProposed(t, l, benchPart, want)
	raw := d.Raw(t, l, benchPart)
	for where, want := range map[string]int{
		"tokens_in IS NULL AND tokens_out IS NULL AND digest = '' AND prompt_sha256 = ''": 2,
		"tokens_in = 374 AND tokens_out = 133":                                            4,
		"verdict = 'accepted' AND kind = 'plan' AND failed IS NULL AND reason IS NULL":    4,
		"verdict = 'refused' AND kind = 'step' AND tick = 1975 AND failed = 'freshness'":  1,
		"length(answer) = 0": 1,
		`CAST(settings AS text) LIKE '%"temperature":0.00%'`: 5,
	} {
		if n, err := raw.Count("SELECT count(*) FROM proposal WHERE " + where); err != nil || n != want {
			t.Errorf("%s: %d rows, %v; %d are wanted", where, n, err, want)
		}
	}
}

// holdsProposed asks that a partition's ledger is those rows, of all and of each actor, and
// that check agrees.
func holdsProposed(t testing.TB, l bench, p record.Partition, want []record.Proposal) {
	t.Helper()
	all, of := []string{}, map[string][]string{}
	for i, row := range want {
		all = append(all, rowText(t, int64(i+1), row))
		of[row.Actor] = append(of[row.Actor], all[i])
	}
	of[""] = all
	for actor, want := range of {
		if got := rowsOf(t, l, p, actor); !slices.Equal(got, want) {
			t.Errorf("of %q the ledger has\n%.2000s\nand not\n%.2000s", actor, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	sound(t, l, p)
}

// proposesWhole gives rows of which one is wrong: none of them is there afterwards.
func proposesWhole(t *testing.T, d Driver) {
	l := benches(t, d)
	for says, spoil := range map[string]func(*record.Proposal){
		"row 2 of 3: row.villager is empty":                func(r *record.Proposal) { r.Actor = " " },
		`row 2 of 3: row.kind "" is none of`:               func(r *record.Proposal) { r.Kind = "" },
		"row 2 of 3: row.model is empty":                   func(r *record.Proposal) { r.Model = "" },
		`row 2 of 3: row.verdict "yes" is none of`:         func(r *record.Proposal) { r.Verdict = "yes" },
		"row 2 of 3: row.tick is below zero":               func(r *record.Proposal) { r.Tick = -1 },
		"row 2 of 3: row.settings is no JSON object":       func(r *record.Proposal) { r.Settings = nil },
		"row 2 of 3: row.settings is no JSON object: ":     func(r *record.Proposal) { r.Settings = []byte(`{"limit":}`) },
		"row 2 of 3: row: accepted, with a reason":         func(r *record.Proposal) { r.Reason = "late" },
		"row 2 of 3: row: refused, and no check or reason": func(r *record.Proposal) { r.Verdict = "refused" },
	} {
		if _, err := l.Propose(context.Background(), benchPart, Plan("Ander", 1), Plan("Ander", 2, spoil), Plan("Ander", 3)); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("it says %v, and should %s", err, says)
		}
	}
	for says, spoil := range map[string]record.Memory{
		"row 2 of 2: memory.villager is empty":           {Register: record.Saw, Text: "x"},
		`row 2 of 2: memory.register "" is none of saw,`: {Villager: "Ander", Text: "x"},
		"row 2 of 2: memory.text is empty":               {Villager: "Ander", Register: record.Saw},
		"row 2 of 2: memory.tick is below zero":          {Villager: "Ander", Register: record.Saw, Text: "x", Tick: -1},
	} {
		if err := l.Remember(context.Background(), benchPart, saw("Ander", 1), spoil); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("it says %v, and should %s", err, says)
		}
	}
	if id, err := l.Propose(context.Background(), benchPart); id != 0 || err != nil {
		t.Errorf("no rows have the id %d, %v", id, err)
	}
	ok(t, l.Remember(context.Background(), benchPart))
	holdsProposed(t, l, benchPart, nil)
	remembers(t, l, benchPart, nil)
	add(t, l, benchPart, message(t, "", "it is nobody's yet"))
}

// readsCurrent: the current plan is the newest accepted row of kind plan, and nothing else.
func readsCurrent(t *testing.T, d Driver) {
	l := benches(t, d)
	current := func(p record.Partition, actor string, want int64) {
		t.Helper()
		row, err := l.Current(context.Background(), p, actor)
		if err != nil || row == nil && want != 0 || row != nil && row.ID != want {
			t.Errorf("the plan of %s is %+v, %v, and not row %d", actor, row, err, want)
		}
	}
	current(benchPart, "Ander", 0)
	propose(t, l, benchPart, Plan("Halla", 1400, refusedRow), Plan("Ander", 1400), Plan("Mose", 1400))
	propose(t, l, benchPart, Plan("Ander", 1900), Plan("Ander", 1975, step), Plan("Ander", 2400, refusedRow), Plan("Mose", 2900))
	propose(t, l, "another", Plan("Halla", 1400))
	for actor, id := range map[string]int64{"Halla": 0, "Ander": 4, "Mose": 7, "nobody": 0, "": 0} {
		current(benchPart, actor, id)
	}
	current("another", "Halla", 1)
	row, err := l.Current(context.Background(), benchPart, "Ander")
	ok(t, err)
	if want := Plan("Ander", 1900); rowText(t, row.ID, *row) != rowText(t, 4, want) {
		t.Errorf("it is %+v", row)
	}
	propose(t, l, benchPart, Plan("Ander", 2900, func(r *record.Proposal) { r.Kind = record.Step }))
	current(benchPart, "Ander", 4)
	add(t, l, part, night(t)...)
	current(part, task(1), 4)
	current(part, task(2), 2)
}

// proposesDensely has sixteen write rows and memories at once, and one who checks.
func proposesDensely(t *testing.T, d Driver) {
	const many, times, rows = 16, 6, 3
	l := benches(t, d)
	wrote := make([]map[int64]bool, many)
	each(many+1, func(w int) {
		mine := benchOf(t, again(t, d, l))
		for i := range times {
			if w == many {
				sound(t, mine, benchPart)
				continue
			}
			name := fmt.Sprint("V", w)
			id, err := mine.Propose(context.Background(), benchPart, Plan(name, int64(i)), Plan(name, int64(i), step), Plan(name, int64(i), refusedRow))
			if err == nil {
				err = mine.Remember(context.Background(), benchPart, saw(name, int64(i)), did(name, int64(i)))
			}
			if err != nil {
				t.Error(err)
				return
			}
			if wrote[w] == nil {
				wrote[w] = map[int64]bool{}
			}
			wrote[w][id] = true
		}
	})
	next := int64(0)
	for r, err := range l.Proposals(context.Background(), benchPart, "") {
		w := 0
		if _, bad := fmt.Sscanf(r.Actor, "V%d", &w); err != nil || bad != nil {
			t.Fatal(err, bad)
		}
		if next++; r.ID != next || (next%rows == 1) != wrote[w][r.ID] {
			t.Fatalf("row %d has the id %d; %s was given it: %v", next, r.ID, r.Actor, wrote[w][r.ID])
		}
	}
	if next != many*times*rows {
		t.Errorf("%d rows of %d", next, many*times*rows)
	}
	if got := memoryOf(t, l, benchPart, ""); len(got) != many*times*2 || got[len(got)-1].ID != many*times*2 {
		t.Errorf("%d memories of %d", len(got), many*times*2)
	}
	sound(t, l, benchPart)
}

// keepsBenchesApart: a partition has events or a bench's rows, whatever comes first.
func keepsBenchesApart(t *testing.T, d Driver) {
	l := benches(t, d)
	ctx := context.Background()
	events := night(t)
	add(t, l, part, events...)
	if _, err := l.Propose(ctx, part, Plan("Ander", 1400)); !errors.Is(err, record.ErrCarried) || !strings.Contains(err.Error(), string(part)) {
		t.Errorf("rows beside events: %v", err)
	}
	if err := l.Remember(ctx, part, saw("Ander", 1400)); !errors.Is(err, record.ErrCarried) {
		t.Errorf("a memory beside events: %v", err)
	}
	holdsRows(t, l, part, events)
	propose(t, l, "rows", Plan("Ander", 1400))
	ok(t, l.Remember(ctx, "memory", saw("Ander", 1400)))
	for _, p := range []record.Partition{"rows", "memory"} {
		if _, err := l.Append(ctx, p, record.Always(), events[0]); !errors.Is(err, record.ErrBench) || !strings.Contains(err.Error(), string(p)) {
			t.Errorf("an event in a bench's %s: %v", p, err)
		}
		if _, err := l.Append(ctx, p, record.Empty(), events[1]); !errors.Is(err, record.ErrBench) {
			t.Errorf("an event that carries a row in a bench's %s: %v", p, err)
		}
		if _, err := l.(record.Imports).Import(ctx, p, l.Read(ctx, part, 1)); !errors.Is(err, record.ErrBench) {
			t.Errorf("an import to a bench's %s: %v", p, err)
		}
		if _, err := record.Copy(ctx, l, l, p, "copy"); !errors.Is(err, record.ErrBench) || !strings.Contains(err.Error(), string(p)) {
			t.Errorf("a copy of a bench's %s: %v", p, err)
		}
		if n := len(all(t, l, p, 1)); n != 0 {
			t.Errorf("%s has %d events", p, n)
		}
		if err := record.Carried(ctx, l, p); !errors.Is(err, record.ErrBench) {
			t.Errorf("of %s it is said that %v", p, err)
		}
		propose(t, l, p, Plan("Ander", 1900)) // and it goes on
		ok(t, l.Remember(ctx, p, did("Ander", 1900)))
	}
	ok(t, errors.Join(record.Carried(ctx, l, part), record.Carried(ctx, l, "nobody")))
	add(t, l, "another", events...)
	sound(t, l, "rows", "memory", "another")
}

// comesFirst lets events and a bench's rows come to one partition at the same moment, often:
// whichever is first, the other is refused.
func comesFirst(t *testing.T, d Driver) {
	l := benches(t, d)
	logs := []bench{l, benchOf(t, again(t, d, l)), benchOf(t, again(t, d, l))}
	for i := range 12 {
		p := record.Partition(fmt.Sprint("race-", i))
		carries := judging(t, task(1), Proposed(Accepted("arrival"), task(1)))
		var done, refused atomic.Int32
		try := func(is error, err error) {
			switch {
			case err == nil:
				done.Add(1)
			case errors.Is(err, is):
				refused.Add(1)
			default:
				t.Error(err)
			}
		}
		var group sync.WaitGroup
		group.Go(func() {
			_, err := logs[0].Append(context.Background(), p, record.Always(), carries)
			try(record.ErrBench, err)
		})
		group.Go(func() {
			_, err := logs[1].Propose(context.Background(), p, Plan("Ander", 1400))
			try(record.ErrCarried, err)
		})
		group.Go(func() { try(record.ErrCarried, logs[2].Remember(context.Background(), p, saw("Ander", 1400))) })
		group.Wait()
		events, rows, memories := len(all(t, l, p, 1)), len(rowsOf(t, l, p, "")), len(memoryOf(t, l, p, ""))
		if one := events == 1 && rows == 1 && memories == 0; one != (done.Load() == 1) || !one && (events != 0 || rows != 1 || memories != 1) || done.Load()+refused.Load() != 3 {
			t.Errorf("%d events, %d rows, %d memories; %d were written, %d refused", events, rows, memories, done.Load(), refused.Load())
		}
		sound(t, l, p)
	}
}
