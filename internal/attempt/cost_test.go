package attempt

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"torve/internal/agent"
	"torve/internal/contract"
	"torve/internal/git/gittest"
)

func TestAnAttemptStartsFewGits(t *testing.T) {
	starts := gittest.Counted(t)
	w := worldOf(t, seedOf(t))
	w.s.Settings.Agents["fake"] = agent.Setting{Adapter: "command", Run: []string{"/bin/sh", "-c", "echo four >> a.txt"}}
	w.mint(task("T-0001", func(c *contract.Contract) { c.Base, c.Acceptance = "any", []string{"true"} }))
	j := w.job("T-0001")
	head := w.head()
	before := len(starts())
	wantAccepted(t, w.run(j))
	n := len(starts())
	if most := 14; n-before > most { // five of them only while the configuration was changed a moment ago
		t.Errorf("an attempt with one line of acceptance starts git %d times, and %d are allowed:\n%s", n-before, most, strings.Join(starts()[before:], "\n"))
	}
	j = w.job("T-0001")
	n = len(starts())
	due, err := w.s.Due(t.Context(), j, *j.Task.Attempt(1), head)
	if err != nil || !due.Verdict.OK || !due.Acceptance[0].Again {
		t.Fatal(due, err)
	}
	if all := starts(); len(all) > n {
		t.Errorf("asking it when due, on the same head, starts git:\n%s", strings.Join(all[n:], "\n"))
	}
}

// What an attempt costs besides its agent and its acceptance, beside a bare git worktree
// add --no-checkout of the same run.
func BenchmarkAttempt(b *testing.B) {
	w := worldOf(b, seedOf(b))
	w.s.Settings.Agents["fake"] = agent.Setting{Adapter: "command", Run: []string{"/bin/sh", "-c", "echo four >> a.txt"}}
	root := b.TempDir()
	var attempts, floors time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		w.repo.Git("worktree", "add", "--quiet", "--detach", "--no-checkout", filepath.Join(root, strconv.Itoa(i)), "main")
		floors += time.Since(began)
		id := fmt.Sprintf("T-%04d", i+1)
		w.mint(task(id, func(c *contract.Contract) { c.Base, c.Acceptance = "any", []string{"true"} }))
		j := w.job(id)
		began = time.Now()
		res, err := w.s.Run(b.Context(), j)
		attempts += time.Since(began)
		if err != nil || res.Judged == nil || !res.Judged.Verdict.OK {
			b.Fatal(res, err)
		}
	}
	n := float64(b.N)
	b.ReportMetric(attempts.Seconds()*1000/n, "attempt-ms")
	b.ReportMetric(floors.Seconds()*1000/n, "worktree-add-ms")
	b.ReportMetric((attempts-floors).Seconds()*1000/n, "above-ms")
}
