package board

import (
	"fmt"
	"testing"
)

// BenchmarkFold replays a thousand tasks, eight events each.
func BenchmarkFold(b *testing.B) {
	s := newStory(b)
	for i := range 1000 {
		id := fmt.Sprintf("T-%04d", i+1)
		s.mint(id).tried(id, 1, "c"+id, "accepted").judged(id, 1, "due", "accepted").landed(id).release(id, "c"+id)
	}
	b.ResetTimer()
	for b.Loop() {
		s.board()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.events)), "ns/event")
}
