package recordtest

import (
	"crypto/rand"
	"fmt"
	"testing"

	"torve/internal/record"
)

// Line is the text of an event as people write them: what a figure of speed is about.
const Line = "a line of some length, as people write them"

// timed is the partition that a figure is taken in.
const timed record.Partition = "acme/shop"

func said(b *testing.B) record.Event {
	b.Helper()
	e, err := record.New(record.Message{Text: Line}, At, record.Envelope{Actor: record.Actor{Kind: record.ByPerson}})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// BenchAppend appends one event at a time; its figure is one of them, made and kept.
func BenchAppend(b *testing.B, l record.Log) {
	for b.Loop() {
		if _, err := l.Append(b.Context(), timed, record.TaskAt("T-0001", 0), said(b)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchClaim claims a fresh task at a time, each on the condition that nobody claimed since.
func BenchClaim(b *testing.B, l record.Log) {
	var last record.Seq
	p := record.Partition("claims/" + rand.Text()) // one that nobody claimed in
	for i := 0; b.Loop(); i++ {
		task := fmt.Sprintf("T-%d", i)
		e, err := record.New(record.Claimed{Boot: "b", PID: 1, Start: "s", Worker: "w"}, At,
			record.Envelope{Task: task, Claim: task, Actor: record.Actor{Kind: record.ByDispatch}})
		if err != nil {
			b.Fatal(err)
		}
		if last, err = l.Append(b.Context(), p, record.ClaimsAt(last).And(record.TaskAt(task, 0)), e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchReplay reads an empty log, once some thousands of events are in it, and decodes them;
// its figure is one event.
func BenchReplay(b *testing.B, l record.Log) {
	all := make([]record.Event, 5000)
	for i := range all {
		all[i] = said(b)
	}
	if _, err := l.Append(b.Context(), timed, record.Always(), all...); err != nil {
		b.Fatal(err)
	}
	read := 0
	for b.Loop() {
		for e, err := range l.Read(b.Context(), timed, 1) {
			if err != nil {
				b.Fatal(err)
			}
			if _, err := record.Decode(e); err != nil {
				b.Fatal(err)
			}
			read++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(read), "ns/event")
}
