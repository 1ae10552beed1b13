package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"torve/internal/carrier"
	"torve/internal/record"
)

// TestSeveralMayGatherWithOneMemoryWhileTheRecordGrows is worth most under the race detector:
// what a reading was given is never changed by the next.
func TestSeveralMayGatherWithOneMemoryWhileTheRecordGrows(t *testing.T) {
	p := newPlace(t).opened()
	for i := range 4 {
		p.ask(fmt.Sprintf("T-%04d", i))
		p.mint(fmt.Sprintf("T-%04d", i))
	}
	src := p.sources()
	src.Memory = &p.memory
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for last := record.Seq(0); last < 24; {
				r, err := Gather(t.Context(), src)
				if err != nil {
					t.Error(err)
					return
				}
				if r.Board.Seq < last {
					t.Errorf("event %d after %d", r.Board.Seq, last)
				}
				last = r.Board.Seq
				if _, err := json.Marshal(r.Board); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 20 {
		task := fmt.Sprintf("T-%04d", i%4)
		p.event(task, 0, "", record.ByPerson, record.Message{Text: "look"})
		if i%5 == 0 {
			p.try(task)
		}
	}
	group.Wait()
}

func TestWhatWasLearntIsThereForTheNextCommand(t *testing.T) {
	p := newPlace(t).opened()
	for i := range worthKeeping + 10 {
		id := fmt.Sprintf("T-%04d", i)
		l := landingOf(id)
		data, err := carrier.WriteLanding(l)
		if err != nil {
			t.Fatal(err)
		}
		p.repo.Write(carrier.LandingPath(l.Task, l.Spec, l.Attempt, l.At), string(data))
	}
	p.repo.Commit("Much landed")
	p.event("", 0, "", record.ByMint, record.Source{Root: p.repo.Git("rev-list", "--max-parents=0", "HEAD")})
	src := p.sources()
	var first Memory
	src.Memory = &first
	want, err := Gather(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var second Memory
	src.Memory = &second
	got, err := Gather(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if len(second.kept) == 0 || len(got.Landings) != worthKeeping+10 || fmt.Sprint(paths(got.Landings)) != fmt.Sprint(paths(want.Landings)) {
		t.Errorf("%d landings, %d trees were known", len(got.Landings), len(second.kept))
	}

	// Whoever may write to the store may write there what git does not hold.
	store := src.Log.(record.Snapshots)
	s, err := store.Kept(t.Context(), src.Partition, agreedName)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range s.Parts {
		if strings.Contains(name, partMark) {
			s.Parts[name] = bytes.ReplaceAll(part, []byte("T-0007"), []byte("T-9007"))
		}
	}
	if err := store.Keep(t.Context(), src.Partition, s); err != nil {
		t.Fatal(err)
	}
	var third Memory
	src.Memory = &third
	if got, err = Gather(t.Context(), src); err != nil || fmt.Sprint(paths(got.Landings)) != fmt.Sprint(paths(want.Landings)) {
		t.Errorf("a listing that is no tree's was believed: %d landings, %v", len(got.Landings), err)
	}
}
