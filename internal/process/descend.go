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

// descendants are the living processes that come from the run, without the program.
func (r *run) descendants() []proc {
	all := slices.DeleteFunc(children.living(), func(p proc) bool { return p.pid == r.pid || p.born < r.born })
	return lineage(all, r.pid, func(p proc) bool {
		return p.group == r.pid || p.session == r.pid || marked(markOf(p.pid), r.mark)
	})
}

// lineage is who is ours by themselves, or by their parents.
func lineage(all []proc, root int, ours func(proc) bool) []proc {
	in := map[int]bool{root: true}
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

// endAll ends what find finds, until it finds nothing: politely, and after the grace
// not. It reports how many there were.
func endAll(find func() []proc, grace time.Duration) int {
	type one struct {
		pid  int
		born uint64
	}
	seen := map[one]bool{}
	begun, pause := time.Now(), time.Millisecond
	for {
		alive := find()
		if len(alive) == 0 || time.Since(begun) > grace+unkillable {
			return len(seen)
		}
		hard := time.Since(begun) >= grace
		for _, p := range alive {
			if id := (one{p.pid, p.born}); !seen[id] || hard {
				seen[id] = true
				p.signal(signalFor(hard))
			}
		}
		time.Sleep(pause)
		pause = min(2*pause, 50*time.Millisecond)
	}
}

func signalFor(hard bool) unix.Signal {
	if hard {
		return unix.SIGKILL
	}
	return unix.SIGTERM
}

// holds reports whether a name is anywhere in a mark.
func holds(found, name string) bool {
	return slices.Contains(strings.Split(found, "/"), name)
}
