package process

import (
	"os"
	"slices"
	"strconv"
	"time"
)

// Identity of a process, so that a pid used again is never taken for it.
type Identity struct {
	PID   int
	Start string // start time as the platform gives it
	Boot  string
}

// Self is this process.
func Self() Identity {
	p, ok := look(os.Getpid())
	if !ok {
		return Identity{PID: os.Getpid(), Boot: bootID()}
	}
	return Identity{PID: p.pid, Start: startText(p.born), Boot: bootID()}
}

// Alive reports whether that very process runs on this host. One of another boot, or
// one that has exited and was not reaped, does not.
func (i Identity) Alive() bool {
	if i.PID <= 0 || i.Start == "" || i.Boot != bootID() {
		return false
	}
	p, ok := look(i.PID)
	return ok && !p.dead && startText(p.born) == i.Start
}

// EndGroup ends a process group and the descendants of its leader if the leader's
// start time is the one named; it reports how many it ended. When the leader is gone
// but its group is not, its members are told by the mark of a run and by having
// started later: the number cannot be given to another while they live.
func EndGroup(pgid int, start string, grace time.Duration) int {
	born, err := strconv.ParseUint(start, 10, 64)
	if err != nil || pgid <= 1 {
		return 0
	}
	return endAll(func() []proc { return groupOf(pgid, born) }, grace)
}

// groupOf is who belongs to the group whose leader started at that time.
func groupOf(pgid int, born uint64) []proc {
	leader, there := look(pgid)
	if there && leader.born != born {
		return nil
	}
	mark := ""
	if there {
		mark = markOf(pgid)
	}
	all := slices.DeleteFunc(children.living(), func(p proc) bool { return p.born < born })
	return lineage(all, pgid, func(p proc) bool {
		if there && p.pid == pgid {
			return true
		}
		its := markOf(p.pid)
		if (p.group == pgid || p.session == pgid) && (there || its != "" || !marks) {
			return true
		}
		return mark != "" && marked(its, mark)
	})
}

// EndMarked ends whoever carries the mark of a run (Cmd.Mark) in its environment; it
// reports how many. It is for a run whose torve died: its orphans are then
// everywhere, and the leader may be gone.
func EndMarked(mark string, grace time.Duration) int {
	if mark == "" || mark == hostMark {
		return 0
	}
	self := os.Getpid()
	return endAll(func() []proc {
		all := slices.DeleteFunc(children.living(), func(p proc) bool { return p.pid == self })
		return lineage(all, nobody, func(p proc) bool { return holds(markOf(p.pid), mark) })
	}, grace)
}
