package process

import (
	"os"
	"slices"
	"strings"
)

// Inside names the runs that this process descends from, as Cmd.Mark named them: by its
// own environment, and by those of the processes above it, since what a run starts may
// have been given another. Programs that were trusted are no runs.
func Inside() []string {
	var names []string
	add := func(mark string) {
		for name := range strings.SplitSeq(mark, "/") {
			if name != "" && name != hostMark && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	add(os.Getenv(markName))
	for pid, hops := os.Getppid(), 0; pid > 1 && hops < mostAbove; hops++ {
		add(markOf(pid))
		p, ok := look(pid)
		if !ok {
			break
		}
		pid = p.parent
	}
	return names
}

// mostAbove bounds the walk: a table of processes that changes meanwhile may have circles.
const mostAbove = 256
