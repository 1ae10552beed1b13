package recordtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"torve/internal/record"
)

// ledgers gives the log as a store with a ledger, which every driver is.
func ledgers(t *testing.T, d Driver) (record.Log, record.Ledger) {
	t.Helper()
	l := open(t, d)
	ledger, can := l.(record.Ledger)
	if !can {
		t.Fatal("this driver has no ledger")
	}
	return l, ledger
}

// Rows are a partition's rows in a log that has a ledger.
func Rows(ctx context.Context, l record.Log, p record.Partition) iter.Seq2[record.Proposal, error] {
	return l.(record.Ledger).Proposals(ctx, p, "")
}

// Proposed is a judgement with its row of the ledger, which change may alter.
func Proposed(j record.Judged, actor string, change ...func(*record.Proposal)) record.Judged {
	in, out := int64(374), int64(133)
	row := record.Proposal{
		Actor: actor, Tick: 12, Kind: record.Plan, Model: "claude@sonnet", Digest: "2.1", Settings: []byte(`{"mode":"first"}`),
		Prompt: Digest("5"), TokensIn: &in, TokensOut: &out, Grounding: []string{Object("b")}, Answer: []byte(Object("7")),
		Verdict: j.Verdict, Failed: j.Check, Reason: j.Reason,
	}
	if j.Moment == "due" {
		row.Kind = record.Step
	}
	for _, f := range change {
		f(&row)
	}
	j.Row = &row
	return j
}

func unknown(r *record.Proposal) { r.TokensIn, r.TokensOut, r.Digest, r.Prompt = nil, nil, "", "" }

func judging(t testing.TB, task string, j record.Judged) record.Event {
	return event(t, j, record.Envelope{Task: task, Attempt: 1, Claim: "C-1", Actor: record.Actor{Kind: record.ByAttempt}})
}

// night is a few tasks judged: some rows, and events without one between them.
func night(t testing.TB) []record.Event {
	refused := Refused("arrival", "law", "it is outside scope")
	due := Refused("due", "freshness", "201 commits behind")
	return []record.Event{
		message(t, "", "before"),
		judging(t, task(1), Proposed(refused, task(1))),
		judging(t, task(2), Proposed(Accepted("arrival"), task(2), unknown)),
		judging(t, task(2), Accepted("due")), // a due yes has no row
		claim(t, task(3), "C-3"),
		judging(t, task(2), Proposed(due, task(2), func(r *record.Proposal) { r.Tick = 213 })),
		judging(t, task(1), Proposed(Accepted("arrival"), task(1))),
	}
}

func rowsOf(t testing.TB, l record.Ledger, p record.Partition, actor string) []string {
	t.Helper()
	var all []string
	for r, err := range l.Proposals(context.Background(), p, actor) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rowText(t, r.ID, r))
	}
	return all
}

// rowText is a row in one form, so that two may be compared.
func rowText(t testing.TB, id int64, r record.Proposal) string {
	t.Helper()
	r.Answer, r.Grounding = append([]byte{}, r.Answer...), append([]string{}, r.Grounding...)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", id, data)
}

// carried are the rows of events, numbered from 1, of one actor where it is named.
func carried(t testing.TB, events []record.Event, actor string) []string {
	t.Helper()
	var all []string
	id := int64(0)
	for _, e := range events {
		row, err := record.ProposalOf(e)
		if err != nil {
			t.Fatal(err)
		}
		if row == nil {
			continue
		}
		if id++; actor == "" || row.Actor == actor {
			all = append(all, rowText(t, id, *row))
		}
	}
	return all
}

// holdsRows asks that a partition's ledger is what events carry, and that check agrees.
func holdsRows(t testing.TB, l record.Log, p record.Partition, events []record.Event) {
	t.Helper()
	if got, want := rowsOf(t, l.(record.Ledger), p, ""), carried(t, events, ""); !slices.Equal(got, want) {
		t.Errorf("the ledger has\n%s\nand the events carry\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	sound(t, l, p)
}

func fillsLedger(t *testing.T, d Driver) {
	l, ledger := ledgers(t, d)
	if rows := rowsOf(t, ledger, part, ""); len(rows) != 0 {
		t.Fatalf("an empty record has the rows %v", rows)
	}
	events := night(t)
	add(t, l, part, events[:2]...)
	add(t, l, part, events[2:]...)
	holdsRows(t, l, part, events)
	if got, want := rowsOf(t, ledger, part, task(2)), carried(t, events, task(2)); len(got) != 2 || !slices.Equal(got, want) {
		t.Errorf("of %s there are\n%v\nand not\n%v", task(2), got, want)
	}
	if rows := rowsOf(t, ledger, part, "T-9999"); len(rows) != 0 {
		t.Errorf("of nobody there are %v", rows)
	}
	raw := d.Raw(t, l, part)
	for where, want := range map[string]int{
		"tokens_in IS NULL AND tokens_out IS NULL AND digest = '' AND prompt_sha256 = ''":    1,
		"tokens_in = 374 AND tokens_out = 133":                                               3,
		"verdict = 'accepted' AND kind = 'plan' AND failed IS NULL AND reason IS NULL":       2,
		"verdict = 'refused' AND failed = 'freshness' AND kind = 'step' AND tick = 213":      1,
		"model = 'claude@sonnet' AND length(answer) = 40 AND CAST(settings AS text) <> ''":   4,
		"villager = 'T-0001' AND partition = 'acme/shop' AND reason = 'it is outside scope'": 1,
	} {
		if n, err := raw.Count("SELECT count(*) FROM proposal WHERE " + where); err != nil || n != want {
			t.Errorf("%s: %d rows, %v; %d are wanted", where, n, err, want)
		}
	}
}

func keepsAnswers(t *testing.T, d Driver) {
	l, _ := ledgers(t, d)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	var events []record.Event
	for i, answer := range [][]byte{every, nil, {0}, []byte("\xff\xfe' \\x27; --"), []byte(strings.Repeat("step\n", 100_000))} {
		j := Refused("arrival", "shape", "invalid character 'T', \"{,}\", NULL \\x00 \xff\x00 店")
		events = append(events, judging(t, task(i), Proposed(j, "Halla\x00 \xe9 \\ \"'{},", func(r *record.Proposal) {
			r.Answer = answer
			r.Grounding = []string{"1", `a,b`, `{"c"}`, `NULL`, `\ '`, "店", " " + task(i)}[:i+1]
			r.Settings = []byte(`{"temperature":0.00,"stop":["\u0000","\ud800"],"limit":1e3,"seed":1402,"a":{"a":null}}`)
			r.Model, r.Tick = "qwen2.5:0.5b-instruct-q4_K_M", 1<<40
		})))
	}
	events = append(events, judging(t, task(1), Proposed(Accepted("arrival"), task(1), func(r *record.Proposal) { r.Grounding = nil })))
	add(t, l, part, events...)
	holdsRows(t, l, part, events)
}

func keepsLedgerOnRetry(t *testing.T, d Driver) {
	l, _ := ledgers(t, d)
	events := night(t)
	add(t, l, part, events[:3]...)
	for range 2 {
		add(t, l, part, events[:3]...)
	}
	add(t, l, part, events...) // some are there, and some are new
	moved(t, l, record.Empty(), judging(t, task(5), Proposed(Accepted("arrival"), task(5))))
	moved(t, l, record.Always(), judging(t, task(5), Proposed(Accepted("arrival"), task(5))), claim(t, task(3), "C-9"))
	other := message(t, "", "another")
	other.ID = events[0].ID
	if _, err := l.Append(context.Background(), part, record.Always(), judging(t, task(5), Proposed(Accepted("arrival"), task(5))), other); !errors.Is(err, record.ErrTaken) {
		t.Errorf("another event under a taken id: %v", err)
	}
	holdsRows(t, l, part, events)
}

func keepsLedgersApart(t *testing.T, d Driver) {
	l, _ := ledgers(t, d)
	const other record.Partition = "acme/other"
	one, two := night(t), night(t)
	for i := range one {
		add(t, l, part, one[i])
		add(t, l, other, two[i])
	}
	holdsRows(t, l, part, one)
	holdsRows(t, l, other, two)
}

func pagesLedger(t *testing.T, d Driver) {
	l, ledger := ledgers(t, d)
	var events []record.Event
	for i := range record.PageRows + 10 {
		events = append(events, judging(t, task(i%3), Proposed(Accepted("arrival"), task(i%3), func(r *record.Proposal) {
			if i < 3 {
				r.Answer = make([]byte, record.PageBytes/2) // a page that ends early
			}
		})))
	}
	add(t, l, part, events...)
	holdsRows(t, l, part, events)
	n := 0
	for _, err := range ledger.Proposals(context.Background(), part, "") {
		if n++; err != nil || n == 2 {
			break // and nothing is held
		}
	}
	add(t, l, part, message(t, "", "after"))
}

// densely has many writers of rows at once, and one who checks.
func densely(t *testing.T, d Driver) {
	l, ledger := ledgers(t, d)
	const writers, writes = 8, 10
	each(writers+1, func(w int) {
		for range writes {
			if w == writers { // who checks meanwhile finds nothing amiss
				sound(t, l)
				continue
			}
			e := judging(t, task(w), Proposed(Accepted("arrival"), task(w)))
			if _, err := l.Append(context.Background(), part, record.Always(), message(t, task(w), "x"), e); err != nil {
				t.Error(err)
			}
		}
	})
	id := int64(0)
	for r, err := range ledger.Proposals(context.Background(), part, "") {
		if id++; err != nil || r.ID != id {
			t.Fatalf("row %d has the id %d, %v", id, r.ID, err)
		}
	}
	if id != writers*writes {
		t.Errorf("%d rows of %d", id, writers*writes)
	}
	holdsRows(t, l, part, all(t, l, part, 1))
}

// importsLedger copies a partition: its rows come with its events.
func importsLedger(t *testing.T, d Driver) {
	from, _ := ledgers(t, d)
	add(t, from, part, night(t)...)
	to, _ := ledgers(t, d)
	store, can := to.(record.Imports)
	if !can {
		t.Fatal("this driver takes no copies")
	}
	if _, err := store.Import(context.Background(), "acme/copy", from.Read(context.Background(), part, 1)); err != nil {
		t.Fatal(err)
	}
	holdsRows(t, to, "acme/copy", all(t, from, part, 1))
	add(t, to, "acme/copy", judging(t, task(1), Proposed(Accepted("arrival"), task(1))))
	holdsRows(t, to, "acme/copy", all(t, to, "acme/copy", 1))
}

// copyRow is SQL that adds a row like the one of id 1 under another id.
func copyRow(id int) string {
	return fmt.Sprintf(`INSERT INTO proposal (partition, id, villager, tick, kind, model, digest, settings, prompt_sha256, tokens_in,
		tokens_out, grounding, answer, verdict, failed, reason) SELECT partition, %d, villager, tick, kind, model, digest, settings,
		prompt_sha256, tokens_in, tokens_out, grounding, answer, verdict, failed, reason FROM proposal WHERE id = 1`, id)
}

func guardsLedger(t *testing.T, d Driver) {
	l, _ := ledgers(t, d)
	events := night(t)
	add(t, l, part, events...)
	raw := d.Raw(t, l, part)
	for _, text := range []string{
		"UPDATE proposal SET verdict = 'accepted'", "UPDATE proposal SET id = 9 WHERE id = 4", "DELETE FROM proposal WHERE id = 4",
		"DELETE FROM proposal", copyRow(2), copyRow(9), copyRow(0),
	} {
		if raw.Exec(text) == nil {
			t.Errorf("the store took %s", text)
		}
	}
	holdsRows(t, l, part, events)
}

// brokenLedger makes the ledger another than its events carry; R7 must name the row.
func brokenLedger(t *testing.T, d Driver) {
	for text, says := range map[string]string{
		"UPDATE proposal SET verdict = 'refused' WHERE id = 2":                                                         "event 3: row 2 of the table proposal has another verdict",
		"UPDATE proposal SET verdict = 'accepted' WHERE id = 1":                                                        "event 2: row 1 of the table proposal has another verdict",
		"UPDATE proposal SET reason = 'because' WHERE id = 3":                                                          "event 6: row 3 of the table proposal has another reason",
		"UPDATE proposal SET failed = NULL WHERE id = 3":                                                               "event 6: row 3 of the table proposal has another failed",
		"UPDATE proposal SET villager = 'T-0009' WHERE id = 4":                                                         "event 7: row 4 of the table proposal has another villager",
		"UPDATE proposal SET tick = tick + 1 WHERE id = 4":                                                             "event 7: row 4 of the table proposal has another tick",
		"UPDATE proposal SET kind = 'step' WHERE id = 4":                                                               "event 7: row 4 of the table proposal has another kind",
		"UPDATE proposal SET model = 'x' WHERE id = 4":                                                                 "event 7: row 4 of the table proposal has another model",
		"UPDATE proposal SET digest = 'x' WHERE id = 4":                                                                "event 7: row 4 of the table proposal has another digest",
		`UPDATE proposal SET settings = '{"mode": "first"}' WHERE id = 4`:                                              "event 7: row 4 of the table proposal has another settings",
		"UPDATE proposal SET prompt_sha256 = '' WHERE id = 4":                                                          "event 7: row 4 of the table proposal has another prompt_sha256",
		"UPDATE proposal SET tokens_in = 0 WHERE id = 2":                                                               "event 3: row 2 of the table proposal has another tokens_in",
		"UPDATE proposal SET tokens_out = NULL WHERE id = 4":                                                           "event 7: row 4 of the table proposal has another tokens_out",
		"UPDATE proposal SET answer = (SELECT body FROM event WHERE partition = 'acme/shop' AND seq = 1) WHERE id = 4": "event 7: row 4 of the table proposal has another answer",
		"DELETE FROM proposal WHERE id = 2":                                                                            "event 3: it carries row 2 of the table proposal, which is not there",
		"DELETE FROM proposal WHERE id = 4":                                                                            "event 7: it carries row 4 of the table proposal, which is not there",
		"DELETE FROM proposal":                                                                                         "event 2: it carries row 1 of the table proposal, which is not there",
		copyRow(5):                                                                                                     "R7 is broken: row 5 of the table proposal is carried by no event",
		copyRow(99):                                                                                                    "R7 is broken: row 99 of the table proposal is carried by no event",
		copyRow(0):                                                                                                     "R7 is broken: row 0 of the table proposal is carried by no event",
		copyRow(-7):                                                                                                    "R7 is broken: row -7 of the table proposal is carried by no event",
	} {
		t.Run(says+" "+strings.Fields(text)[0], func(t *testing.T) {
			l, _ := ledgers(t, d)
			add(t, l, part, night(t)...)
			add(t, l, "acme/other", night(t)...)
			raw := d.Raw(t, l, part)
			if err := errors.Join(raw.Unguard(), raw.Exec(strings.Replace(text, "WHERE id", "WHERE partition = 'acme/shop' AND id", 1)), raw.Guard()); err != nil {
				t.Fatal(err)
			}
			var found *record.Broken
			if err := l.Check(context.Background(), part); !errors.As(err, &found) || found.Rule != "R7" || !strings.Contains(found.Error(), says) {
				t.Errorf("check says %v, and should %s", err, says)
			}
		})
	}
}

// asksLedger runs the queries of the documentation, which either store must take.
func asksLedger(t *testing.T, d Driver) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "record.md"))
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, block := range strings.Split(string(page), "```sql\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		queries = append(queries, strings.Split(block, ";\n")...)
	}
	l, ledger := ledgers(t, d)
	add(t, l, part, night(t)...)
	propose(t, ledger, benchPart, Plan("Mose", 1900), Plan("Mose", 1975, step))
	raw := d.Raw(t, l, part)
	asked := 0
	for _, query := range queries {
		if strings.TrimSpace(query) == "" {
			continue
		}
		_, query, _ = strings.Cut(query, "\n") // what it asks, in words
		n, err := raw.Count("SELECT count(*) FROM (" + query + ") answer")
		if asked++; err != nil || n == 0 {
			t.Errorf("%s\nanswers %d rows, %v", query, n, err)
		}
	}
	if asked != 4 {
		t.Errorf("the documentation has %d queries", asked)
	}
}
