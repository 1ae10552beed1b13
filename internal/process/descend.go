package process

import (
	"crypto/rand"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	markName = "TORVE_RUN"
	hostMark = "host" // of trusted programs, whose daemons (an ssh master, an agent for keys) are let be
)

// proc is a process as the platform shows it.
type proc struct {
	pid, parent, group, session int
	born                        uint64
	dead                        bool // exited and not reaped
}

// newMark is the run's name in the environment: below the mark that this process
// has itself, so that an outer torve finds what an inner one started.
func newMark(c Cmd) string {
	mark := c.Mark
	switch {
	case c.Trusted:
		mark = hostMark
	case mark == "":
		mark = rand.Text()
	}
	if outer := os.Getenv(markName); outer != "" {
		return outer + "/" + mark
	}
	return mark
}

// marked reports whether a mark, as found in an environment, is or descends from one.
func marked(found, mark string) bool {
	return found == mark || strings.HasPrefix(found, mark+"/")
}

// among are those of the living processes that come from the run, without the program. What
// has no group is the kernel's.
func (r *run) among(living []proc) []proc {
	var all []proc
	for _, p := range living {
		if p.pid != r.pid && p.born >= r.born && p.group != 0 {
			all = append(all, p)
		}
	}
	return lineage(all, r.pid, func(p proc) bool {
		return p.group == r.pid || p.session == r.pid || marked(markOf(p.pid), r.mark) || r.stands(p)
	})
}

// stands reports whether an orphan that fell to us stands in the run's folder.
func (r *run) stands(p proc) bool {
	if r.cmd.Dir == "" || p.parent != os.Getpid() || children.started(p.pid) {
		return false
	}
	at := folderOf(p.pid)
	return at == r.cmd.Dir || strings.HasPrefix(at, r.cmd.Dir+"/")
}

// nobody is the root of a lineage that has none.
const nobody = -1

// lineage is who is ours by themselves, or by their parents. The machine's first process
// and what has no parent are no root: all that lives descends from them.
func lineage(all []proc, root int, ours func(proc) bool) []proc {
	in := map[int]bool{}
	if root > 1 {
		in[root] = true
	}
	var out []proc
	for _, p := range all {
		if ours(p) {
			in[p.pid] = true
			out = append(out, p)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grown = true, true
				out = append(out, p)
			}
		}
	}
	return out
}

// endAll ends what find finds, until it finds nothing and all that it found are gone:
// politely, and after the grace not. It reports how many there were.
func endAll(find func() []proc, grace time.Duration) int {
	seen := map[id]proc{}
	begun, pause := time.Now(), time.Millisecond
	for {
		hard := time.Since(begun) >= grace
		signalNew(seen, find(), hard)
		if !anyLives(seen) || time.Since(begun) > grace+unkillable {
			return len(seen)
		}
		time.Sleep(pause)
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// id tells a process from a later one of the same number.
type id struct {
	pid  int
	born uint64
}

// signalNew is polite to each once, and hard to all.
func signalNew(seen map[id]proc, found []proc, hard bool) {
	for _, p := range found {
		if _, known := seen[id{p.pid, p.born}]; !known && !hard {
			p.signal(unix.SIGTERM)
		}
		seen[id{p.pid, p.born}] = p
	}
	for _, p := range seen {
		if hard {
			p.signal(unix.SIGKILL)
		}
	}
}

// anyLives asks for those that were found once: one that is about to exit has no
// environment any more, and would not be found again.
func anyLives(seen map[id]proc) bool {
	for _, p := range seen {
		if now, ok := look(p.pid); ok && now.born == p.born && !now.dead {
			return true
		}
	}
	return false
}

// holds reports whether a name is anywhere in a mark.
func holds(found, name string) bool {
	return slices.Contains(strings.Split(found, "/"), name)
}
