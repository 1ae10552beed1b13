package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	zombie = 5     // SZOMB of sys/proc.h
	marks  = false // the environment of a process cannot be read here
)

// adoptOrphans does nothing: darwin has no subreaper. Who leaves both group and
// session there, and loses its parents, is not found.
func adoptOrphans() {}

// untilExit waits until a child has exited and does not reap it: its pid stays taken.
func untilExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	watch := []unix.Kevent_t{{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT}}
	for {
		_, err := unix.Kevent(queue, watch, make([]unix.Kevent_t, 1), nil)
		if !errors.Is(err, unix.EINTR) { // ESRCH: it had exited before
			return
		}
	}
}

// table lists all processes that can be seen; steady says that none went meanwhile.
func table() (out []proc, steady bool) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, false
	}
	out = make([]proc, 0, len(all))
	for _, k := range all {
		out = append(out, fromKinfo(&k))
	}
	return out, true
}

// look reads one process; ok is false when there is none.
func look(pid int) (proc, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return proc{}, false
	}
	return fromKinfo(k), true
}

func fromKinfo(k *unix.KinfoProc) proc {
	pid := int(k.Proc.P_pid)
	session, _ := unix.Getsid(pid) // zero is no session of ours
	return proc{
		pid: pid, parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), session: session,
		born: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
		dead: k.Proc.P_stat == zombie,
	}
}

// markOf is never known: darwin shows no environment of a protected program.
func markOf(int) string { return "" }

// signal reaches the process if its start time is still the one seen.
func (p proc) signal(sig unix.Signal) {
	if now, ok := look(p.pid); ok && now.born == p.born {
		_ = unix.Kill(p.pid, sig)
	}
}

// bootID names this boot of the machine.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// folderOf is not told here.
func folderOf(int) string { return "" }
