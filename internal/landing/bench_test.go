package landing

import (
	"fmt"
	"testing"
	"time"

	"torve/internal/board"
)

// BenchmarkLand lands kept and accepted work, each on the head that the landing before it made, the
// due check being asked of nobody: what is left is the landing's own. Its floor is a commit by git
// and one append to the record, which no landing is under.
func BenchmarkLand(b *testing.B) {
	g := newGround(b)
	f := board.Follow(g.log, part)
	g.s.Board = f.Now
	var took, floor time.Duration
	for i := 0; b.Loop(); i++ {
		id := fmt.Sprintf("T-%04d", i+1)
		j := g.attempt(id, work{"new/" + id: "made\n"})
		began := time.Now()
		g.lands(j)
		took += time.Since(began)
		began = time.Now()
		g.user.Git("commit", "-q", "--allow-empty", "-m", "x")
		floor += time.Since(began)
	}
	n := float64(b.N)
	b.ReportMetric(n/took.Seconds(), "landings/s")
	b.ReportMetric(n/floor.Seconds(), "git-commits/s")
}
