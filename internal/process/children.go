package process

import (
	"os"
	"os/exec"
	"slices"
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
	runs  []*run // untrusted ones under way
	since uint64 // start time of the first there ever was
	turns int    // how often one of them began or ended
}

// listing is the processes that lived, at which turn they were listed, and whether none went
// meanwhile: who went may have left one that came too late to be listed.
type listing struct {
	all    []proc
	turn   int
	steady bool
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
	if g.since == 0 {
		g.since = r.born
	}
	g.runs = append(g.runs, r)
	g.turns++
	return nil
}

// wait runs a program that is not a run, entered for as long as it lives.
func (g *registry) wait(cmd *exec.Cmd) error {
	g.mu.Lock()
	err := cmd.Start()
	if err == nil {
		g.pids[cmd.Process.Pid] = true
	}
	g.mu.Unlock()
	if err != nil {
		return err
	}
	defer g.forget(cmd.Process.Pid)
	return cmd.Wait()
}

// forget takes out a program that was reaped.
func (g *registry) forget(pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.pids, pid)
}

// leave ends the run, and with it the orphans that can be nobody else's. What was listed last
// serves where it was steady and no run was under way beside it: else another may have left
// since then what it could not end itself.
func (g *registry) leave(r *run, last listing) int {
	g.mu.Lock()
	g.runs = slices.DeleteFunc(g.runs, func(other *run) bool { return other == r })
	serves := last.steady && len(g.runs) == 0 && g.turns == last.turn
	g.turns++
	g.mu.Unlock()
	return endAll(func() []proc {
		if !serves {
			last = g.list()
		}
		serves = false
		return g.strangers(last.all)
	}, r.cmd.Grace)
}

// strangers are the orphans of which no run that is under way can be the origin: it began
// after they did, or there is none. Nobody can say whose an orphan is that carries no mark,
// and one that is just about to become another program shows none; so it lives until the
// last run has ended that was under way when it began. A trusted program's are let be.
// The first process of a machine or a container is handed everybody's orphans, so there
// none is taken for ours.
func (g *registry) strangers(living []proc) []proc {
	g.mu.Lock()
	runs, since := slices.Clone(g.runs), g.since
	g.mu.Unlock()
	self, group, trusted := os.Getpid(), unix.Getpgrp(), newMark(Cmd{Trusted: true})
	if self == 1 {
		return nil
	}
	return lineage(living, nobody, func(p proc) bool {
		maybe := slices.ContainsFunc(runs, func(r *run) bool { return r.born <= p.born })
		return !maybe && p.parent == self && p.group != group && p.born >= since && !g.started(p.pid) && !marked(markOf(p.pid), trusted)
	})
}

func (g *registry) started(pid int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pids[pid]
}

// living lists the processes that live.
func (g *registry) living() []proc { return g.list().all }

// list lists the processes that live and reaps the orphans that do not. A dead child
// that was started here, or is in our own group and was started by other means, is
// its starter's to wait for.
func (g *registry) list() listing {
	self, group := os.Getpid(), unix.Getpgrp()
	g.mu.Lock()
	defer g.mu.Unlock()
	all, steady := table()
	all = slices.DeleteFunc(all, func(p proc) bool {
		if p.dead && p.parent == self && p.group != group && !g.pids[p.pid] {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
			steady = false
		}
		return p.dead
	})
	return listing{all, g.turns, steady}
}

// startText is a start time as it is recorded.
func startText(born uint64) string { return strconv.FormatUint(born, 10) }
