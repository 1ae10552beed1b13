package process

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// children mirrors what the kernel keeps once for this process: which of its children
// were started here and are waited for by who started them, and which runs are under
// way. All other children are orphans that fell to us.
var children = registry{pids: map[int]bool{}}

type registry struct {
	mu    sync.Mutex
	pids  map[int]bool
	runs  int    // untrusted ones under way
	since uint64 // start time of the first of them
}

// start starts the program and enters it in one step: nobody may see it as an orphan.
func (g *registry) start(r *run) error {
	if !r.cmd.Trusted {
		adoptOrphans()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := r.exe.Start(); err != nil {
		return err
	}
	r.pid = r.exe.Process.Pid
	p, _ := look(r.pid) // it is ours and not reaped, so it is there
	r.born = p.born
	g.pids[r.pid] = true
	if r.cmd.Trusted {
		return nil
	}
	if g.runs == 0 {
		g.since = r.born
	}
	g.runs++
	return nil
}

// leave takes the program out. With the last run go the orphans that carry no mark at
// all: while there were several nobody could say whose they were.
func (g *registry) leave(r *run) int {
	g.mu.Lock()
	if within(r.exited, 0) { // else it could not be killed, and is nobody's orphan
		delete(g.pids, r.pid)
	}
	if r.cmd.Trusted {
		g.mu.Unlock()
		return 0
	}
	g.runs--
	last, since := g.runs == 0, g.since
	g.mu.Unlock()
	if !last {
		return 0
	}
	return endAll(func() []proc { return g.strangers(since) }, r.cmd.Grace)
}

// strangers are orphans that shed their mark. The first process of a machine or a
// container is handed everybody's orphans, so there none is taken for ours.
func (g *registry) strangers(since uint64) []proc {
	self, group := os.Getpid(), unix.Getpgrp()
	if self == 1 {
		return nil
	}
	var out []proc
	for _, p := range g.orphans(table()) {
		if p.parent == self && p.group != group && p.born >= since && markOf(p.pid) == "" {
			out = append(out, p)
		}
	}
	return out
}

// orphans reaps those that are dead and leaves out what was started here. A child in
// our own group was started by other means, and is its starter's to wait for.
func (g *registry) orphans(all []proc) []proc {
	g.mu.Lock()
	defer g.mu.Unlock()
	self, group := os.Getpid(), unix.Getpgrp()
	var out []proc
	for _, p := range all {
		switch {
		case g.pids[p.pid]:
		case !p.dead:
			out = append(out, p)
		case p.parent == self && p.group != group:
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		}
	}
	return out
}

// startText is a start time as it is recorded.
func startText(born uint64) string { return strconv.FormatUint(born, 10) }
