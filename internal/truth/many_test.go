package truth

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
)

// BenchmarkGatherOfTenThousandLandings reads a clone without a record: ten
// thousand landings, as many contracts, and a few that are only asked for. Its
// floor is one second of processor time.
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
	before := used(b)
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
	b.ReportMetric((used(b)-before).Seconds()/float64(b.N), "cpu-s/op")
}

// used is the processor time of this program and of the programs that it ran.
func used(b *testing.B) time.Duration {
	b.Helper()
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return total
}
