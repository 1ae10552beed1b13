// Package recordtest is what every driver of the record must do, as one suite that
// each runs, and whole sample events for the tests of others.
package recordtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"torve/internal/record"
)

// Driver is how the suite gets at one.
type Driver struct {
	// Open makes an empty log of its own; the suite closes it.
	Open func(t testing.TB) record.Log
	// Again opens the store of such a log once more; the suite closes it. Nil: it cannot.
	Again func(t testing.TB, l record.Log) record.Log
	// Raw reaches past the log into its store.
	Raw func(t testing.TB, l record.Log, p record.Partition) Raw
}

// Raw writes to a store as nobody should.
type Raw interface {
	// Put replaces the row at its seq, or adds it.
	Put(record.Stored) error
	// Drop deletes a row.
	Drop(record.Seq) error
	// Exec runs a statement, and Count gives the number that a query asks for.
	Exec(text string) error
	Count(query string) (int, error)
	// Unguard takes the store's own guards away, so that all of these work, and Guard
	// puts them back.
	Unguard() error
	Guard() error
}

// Run is the suite.
func Run(t *testing.T, d Driver) {
	for name, test := range map[string]func(*testing.T, Driver){
		"what was appended is read in order, as it was given":  readsInOrder,
		"every kind of event goes in and comes out":            everyKind,
		"a read goes over its pages while others write":        pages,
		"a read goes over pages of large events":               large,
		"a read begins where it is told":                       readsFrom,
		"a read that is broken off says so":                    brokenOff,
		"partitions are apart":                                 apart,
		"each condition holds or is moved on":                  conditions,
		"several events go in together or not at all":          together,
		"a retry is harmless":                                  retries,
		"an id with another body is refused":                   taken,
		"a task has one open claim (R4)":                       exclusive,
		"one of many claimants wins":                           race,
		"seqs have no gap under many writers (R2)":             gapless,
		"sixteen writers lose nothing and write nothing twice": writers,
		"who may write what is asked before the store":         authority,
		"what is not whole is not written":                     whole,
		"watch gives what is there and what comes":             watches,
		"a closed log says so":                                 closes,
		"a snapshot comes back as it was kept":                 keeps,
		"a newer snapshot stays":                               keepsNewest,
		"the parts that are named are given":                   givesNamedParts,
		"a part that has not changed stays as it lies":         keepsWhatHasNotChanged,
		"a lease stands for its time and is given up":          leasesStand,
		"a lease ends by the store's own clock":                leasesEnd,
		"leases of many are apart":                             leasesOfMany,
		"an import is what was read, in every byte":            imports,
		"an import that is not whole leaves nothing":           importsWhole,
		"an import that is broken off leaves nothing":          importsBrokenOff,
		"an import goes into an empty partition":               importsIntoEmpty,
		"one of many imports fills a partition":                importsAtOnce,
		"a partition is copied there and back":                 copies,
		"the store itself refuses update and delete (R1)":      guards,
		"check finds every broken invariant":                   broken,
		"the ledger is what the events carry":                  fillsLedger,
		"an answer is kept in the ledger whatever it is":       keepsAnswers,
		"a retry adds nothing to the ledger":                   keepsLedgerOnRetry,
		"the ledgers of partitions are apart":                  keepsLedgersApart,
		"the ledger is read a page at a time":                  pagesLedger,
		"the ledger's ids have no gap under many writers":      densely,
		"an import brings its ledger along":                    importsLedger,
		"the store itself refuses changes of the ledger (R1)":  guardsLedger,
		"check finds a ledger that says otherwise (R7)":        brokenLedger,
		"the documented queries of the ledger are answered":    asksLedger,
		"a bench's rows come back as they were given":          proposesRows,
		"a bench's rows go in together or not at all":          proposesWhole,
		"the current plan is the newest that was accepted":     readsCurrent,
		"sixteen writers of a bench leave no gap":              proposesDensely,
		"a partition has events or a bench's rows":             keepsBenchesApart,
		"events or a bench's rows, whichever comes first":      comesFirst,
		"memories come back as they were given":                remembersRows,
		"a memory is read a page at a time":                    pagesMemory,
		"the store itself refuses changes of a bench (R1)":     guardsBench,
		"check finds a bench that is not whole (R7)":           brokenBench,
		"a closed log takes and gives no row of a bench":       closesBench,
		"any sequence of appends does what the rules say":      model,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, d) })
	}
}

const part record.Partition = "acme/shop"

// open opens a log that is checked and closed at the end of the test.
func open(t testing.TB, d Driver) record.Log {
	t.Helper()
	l := d.Open(t)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// sound checks at the end of a test that the log is still whole.
func sound(t testing.TB, l record.Log, parts ...record.Partition) {
	t.Helper()
	for _, p := range append(parts, part) {
		if err := l.Check(context.Background(), p); err != nil {
			t.Errorf("check of %s: %v", p, err)
		}
	}
}

// event makes one, whole.
func event(t testing.TB, p record.Payload, o record.Envelope) record.Event {
	t.Helper()
	e, err := record.New(p, At, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func message(t testing.TB, task, text string) record.Event {
	return event(t, record.Message{Text: text}, record.Envelope{Task: task, Actor: record.Actor{Kind: record.ByPerson}})
}

func claim(t testing.TB, task, id string) record.Event {
	return event(t, record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"},
		record.Envelope{Task: task, Claim: id, Actor: record.Actor{Kind: record.ByDispatch}})
}

func release(t testing.TB, task, id string) record.Event {
	return event(t, record.Released{Why: "ready"},
		record.Envelope{Task: task, Claim: id, Actor: record.Actor{Kind: record.ByDispatch}})
}

func add(t testing.TB, l record.Log, p record.Partition, events ...record.Event) record.Seq {
	t.Helper()
	seq, err := l.Append(context.Background(), p, record.Always(), events...)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func moved(t testing.TB, l record.Log, c record.Cond, events ...record.Event) {
	t.Helper()
	if _, err := l.Append(context.Background(), part, c, events...); !errors.Is(err, record.ErrMoved) {
		t.Fatalf("appended under a condition that does not hold: %v", err)
	}
}

func all(t testing.TB, l record.Log, p record.Partition, from record.Seq) []record.Event {
	t.Helper()
	var got []record.Event
	for e, err := range l.Read(context.Background(), p, from) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	return got
}

// bodies are what was given, as bytes.
func bodies(t testing.TB, events []record.Event) []string {
	t.Helper()
	out := make([]string, len(events))
	for i, e := range events {
		b, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(b)
	}
	return out
}

func task(i int) string { return fmt.Sprintf("T-%04d", i) }
