package truth

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
)

// BenchmarkGatherOfTenThousandLandings reads a clone without a record: ten
// thousand landings, as many contracts, and a few that are only asked for.
func BenchmarkGatherOfTenThousandLandings(b *testing.B) {
	r := gittest.New(b)
	for i := range 10_000 {
		id := fmt.Sprintf("T-%05d", i+1)
		r.Write(contract.PathOf(id), text(id))
		if i%100 == 0 {
			continue
		}
		l := landingOf(id, func(l *carrier.Landing) { l.At = l.At.Add(time.Duration(i) * time.Second) })
		data, err := carrier.WriteLanding(l)
		if err != nil {
			b.Fatal(err)
		}
		r.Write(carrier.LandingPath(id, "", 1, l.At), string(data))
	}
	head := r.Commit("Much was landed")
	r.Git("repack", "-adq")
	for b.Loop() {
		repo, err := git.Open(b.Context(), r.Dir)
		if err != nil {
			b.Fatal(err)
		}
		reading, err := Gather(b.Context(), Sources{Repo: repo, Target: "main", Head: head, WorkTree: r.Dir, States: filepath.Join(r.Dir, ".wt")})
		if err != nil || len(reading.Landings) != 9_900 || len(reading.Tasks()) != 10_000 {
			b.Fatalf("%d landings, %v", len(reading.Landings), err)
		}
		repo.Close()
	}
}
