package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"torve/internal/record"
	"torve/internal/record/sqlite"
)

func TestManyProcessesAppendAndNoEventIsLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "torve", "record.db")
	const many, count = 8, 25
	var all []process
	for i := range many { // they make the file at once, too
		all = append(all, start(t, "append", path, fmt.Sprintf("w%d", i), count, false))
	}
	var acknowledged []string
	for _, p := range all {
		said, ok := p.lines(t)
		if !ok || len(said) != count {
			t.Errorf("a writer ended with %v", said)
		}
		acknowledged = append(acknowledged, said...)
	}
	there := ids(t, path)
	slices.Sort(there)
	slices.Sort(acknowledged)
	if !slices.Equal(there, acknowledged) {
		t.Errorf("%d events were acknowledged, and %d are there", len(acknowledged), len(there))
	}
}

func TestOneOfManyProcessesWinsAClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	const many, tasks = 6, 20
	var all []process
	for i := range many {
		all = append(all, start(t, "claim", path, fmt.Sprintf("w%d", i), tasks, false))
	}
	won := map[string]int{}
	for _, p := range all {
		said, ok := p.lines(t)
		if !ok {
			t.Errorf("a claimant ended with %v", said)
		}
		for _, task := range said {
			won[task]++
		}
	}
	if len(won) != tasks {
		t.Errorf("%d of %d tasks were claimed", len(won), tasks)
	}
	for task, n := range won {
		if n != 1 {
			t.Errorf("%s was claimed %d times", task, n)
		}
	}
	if n := len(ids(t, path)); n != tasks {
		t.Errorf("%d claims are in the record", n)
	}
}

func TestAKillLosesNothingThatWasAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	for round := range 3 {
		p := start(t, "append", path, fmt.Sprintf("r%d", round), 0, false)
		acknowledged := p.after(t, 40)
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		p.lines(t)
		there := ids(t, path)
		for _, id := range acknowledged {
			if !slices.Contains(there, id) {
				t.Errorf("%s was acknowledged and is not there", id)
			}
		}
	}
}

func TestAReaderIsNotDisturbedByWritersThatComeAndGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "torve", "record.db")
	const waves, many = 4, 3
	var writers []process
	acknowledged, last := 0, 0
	for wave := range waves {
		for i := range many { // each makes the last connection now and then, which takes the log away
			writers = append(writers, start(t, "append", path, fmt.Sprintf("w%d-%d", wave, i), 2, false))
		}
		for _, p := range writers {
			for range 10 {
				l, err := sqlite.OpenRead(t.Context(), path)
				if errors.Is(err, record.ErrNone) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				n := len(idsOf(t, l))
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				if n < last {
					t.Fatalf("%d events after %d", n, last)
				}
				last = n
			}
			said, ok := p.lines(t)
			if !ok {
				t.Fatalf("a writer ended with %v", said)
			}
			acknowledged += len(said)
		}
		writers = nil
	}
	if n := len(ids(t, path)); n != acknowledged {
		t.Errorf("%d of %d events", n, acknowledged)
	}
}
