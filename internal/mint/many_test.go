package mint_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"torve/internal/mint"
	"torve/internal/record"
)

func TestTwoMintsAtOnceMintNothingTwice(t *testing.T) {
	s := open(t)
	const n, mints = 230, 4
	for i := range n {
		s.ask(fmt.Sprintf("T-%04d", i+1), "")
	}
	s.Commit("Ask")
	stations := make([]*mint.Station, mints)
	for i := range stations {
		stations[i] = s.station()
	}
	var group sync.WaitGroup
	minted := make([]int, mints)
	for i, m := range stations {
		group.Go(func() {
			results, err := m.Pass(t.Context())
			if err != nil || len(results) != n {
				t.Errorf("%d results, %v", len(results), err)
			}
			for _, r := range results {
				if r.Outcome == mint.Minted {
					minted[i]++
				}
			}
		})
	}
	group.Wait()
	all := 0
	for _, m := range minted {
		all += m
	}
	kinds := s.kinds()
	slices.Sort(kinds)
	if len(kinds) != n+1 || len(slices.Compact(kinds)) != n+1 || all != n {
		t.Errorf("%d events for %d contracts, and the mints say %v", len(kinds), n, minted)
	}
}

func BenchmarkAThousandContracts(b *testing.B) {
	s := open(b)
	for i := range 1000 {
		s.ask(fmt.Sprintf("T-%04d", i+1), "")
	}
	s.Commit("Ask")
	for i := range b.N {
		m := s.station()
		m.Partition = record.Partition(fmt.Sprint("p", i))
		if results, err := m.Pass(b.Context()); err != nil || len(results) != 1000 {
			b.Fatal(len(results), err)
		}
	}
}
