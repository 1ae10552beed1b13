package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestARefIsMadeThoughTheProgramThatIsOpenWasEnded(t *testing.T) {
	g, r, c := creating(t)
	for n := range 4 {
		name := fmt.Sprintf("refs/torve/%d", n)
		ok(t, r.UpdateRefs(ctx, RefUpdate{name, "", c}))
		same(t, name, g.Git("rev-parse", name), c)
		for _, pid := range openPrograms(t) {
			ok(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
}

// openPrograms are the update-refs that this process started and that run.
func openPrograms(t *testing.T) (pids []int) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ok(t, err)
	for _, file := range all {
		line, _ := os.ReadFile(file)
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		var pid, parent int
		var state string
		_, after, _ := strings.Cut(string(stat), ") ")
		_, _ = fmt.Sscan(after, &state, &parent)
		_, _ = fmt.Sscan(filepath.Base(filepath.Dir(file)), &pid)
		if parent == os.Getpid() && state != "Z" && strings.Contains(string(line), "update-ref\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}
