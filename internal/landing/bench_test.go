package landing

import (
	"fmt"
	"testing"
	"time"
)

// How many pieces of accepted work land in a second where nothing has to be run: the merge,
// its commits, the move of a branch that is checked out, and the record. Beside it, how
// many empty commits git itself makes there in a second.
func BenchmarkLand(b *testing.B) {
	g := newGround(b)
	var landing, commits time.Duration
	for i := 0; b.Loop(); i++ {
		j := g.attempt(fmt.Sprintf("T-%04d", i+1), work{fmt.Sprintf("x%d.txt", i): "one\n"})
		began := time.Now()
		out, err := g.s.Land(g.ctx, j)
		landing += time.Since(began)
		if err != nil || out.Landed == nil {
			b.Fatal(out, err)
		}
		began = time.Now()
		g.user.Git("commit", "-q", "--allow-empty", "-m", "empty")
		commits += time.Since(began)
	}
	b.ReportMetric(float64(b.N)/landing.Seconds(), "landings/s")
	b.ReportMetric(float64(b.N)/commits.Seconds(), "git-commits/s")
}
