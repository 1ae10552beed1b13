package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// marks says that the environment of a process can be read here.
const marks = true

// adoptOrphans makes this process the parent of its descendants' orphans, so that
// none gets out of sight. Saying it twice is harmless.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// untilExit waits until a child has exited and does not reap it: its pid stays taken.
func untilExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// table lists all processes that can be seen; steady says that none went meanwhile.
func table() (out []proc, steady bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1) // what was read is what can be acted on
	steady = err == nil
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			p, ok := look(pid)
			if ok {
				out = append(out, p)
			}
			steady = steady && ok
		}
	}
	return out, steady
}

// look reads one process; ok is false when there is none.
func look(pid int) (proc, bool) {
	var room [statRoom]byte
	stat := statOf(pid, room[:])
	if stat == nil {
		return proc{}, false
	}
	return parseStat(pid, stat)
}

// statRoom is more than the kernel ever prints for a process.
const statRoom = 4 << 10

// statOf reads what the kernel prints of a process in one step; nil when there is none. All
// processes are read again and again, so that no more is asked of the kernel than that.
func statOf(pid int, room []byte) []byte {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, room)
		if err == nil && n > 0 {
			return room[:n]
		}
		if !errors.Is(err, unix.EINTR) {
			return nil
		}
	}
}

// parseStat reads /proc/<pid>/stat. The name in parentheses may hold anything, so the
// fields begin behind the last closing one: state, parent, group, session ... start (22).
func parseStat(pid int, stat []byte) (proc, bool) {
	_, rest, found := cutLast(stat, ')')
	var fields [20]string
	n := 0
	for f := range strings.FieldsSeq(string(rest)) {
		if n == len(fields) {
			break
		}
		fields[n] = f
		n++
	}
	if !found || n < len(fields) {
		return proc{}, false
	}
	p := proc{pid: pid, dead: strings.ContainsAny(fields[0], "ZXx")}
	var err [4]error
	p.parent, err[0] = strconv.Atoi(fields[1])
	p.group, err[1] = strconv.Atoi(fields[2])
	p.session, err[2] = strconv.Atoi(fields[3])
	p.born, err[3] = strconv.ParseUint(fields[19], 10, 64)
	return p, errors.Join(err[:]...) == nil
}

func cutLast(s []byte, sep byte) (before, after []byte, found bool) {
	i := bytes.LastIndexByte(s, sep)
	if i < 0 {
		return s, nil, false
	}
	return s[:i], s[i+1:], true
}

// markOf is the run's mark in a process's environment; "" when it has none or may not be
// read. A process that is just becoming another program shows nothing for a moment, which
// is long on a busy machine, or only the beginning of what it was: it is asked again.
func markOf(pid int) string {
	for none, n := 0, 0; none < 3 && n < mostAsked; n++ {
		env, err := environOf(pid)
		if err != nil {
			return ""
		}
		mark := markIn(env)
		switch whole := bytes.HasSuffix(env, []byte{0}); {
		case mark != "" || whole:
			return mark
		case len(env) > 0 || !becoming(pid): // it may have become it since it was read
			none++
		default:
			time.Sleep(askedAgain)
		}
	}
	return ""
}

// environOf reads an environment in as few steps as there may be: between two of them it may
// become another's.
func environOf(pid int) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var env []byte
	for part := make([]byte, 32<<10); ; {
		n, err := f.Read(part)
		env = append(env, part[:n]...)
		if errors.Is(err, io.EOF) || n == 0 {
			return env, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

const (
	askedAgain = 200 * time.Microsecond
	mostAsked  = 10_000 // about two seconds
)

// becoming reports whether a process is just becoming another program: its new memory has
// no place for an environment yet. The kernel's own have none either, and no group.
func becoming(pid int) bool {
	const environEnd = 51 - 3 // of the fields behind the name
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := cutLast(stat, ')')
	fields := strings.Fields(string(rest))
	p, ok := parseStat(pid, stat)
	return ok && !p.dead && p.group != 0 && len(fields) > environEnd && fields[environEnd] == "0"
}

// folderOf is the folder that a process stands in; "" when that may not be read.
func folderOf(pid int) string {
	at, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return at
}

func markIn(env []byte) string {
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if mark, ok := bytes.CutPrefix(kv, []byte(markName+"=")); ok {
			return string(mark)
		}
	}
	return ""
}

// signal reaches that very process or none: the descriptor holds on to it while
// its start time is compared.
func (p proc) signal(sig unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, ok := look(p.pid); !ok || now.born != p.born {
		return
	}
	if err == nil {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	} else if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an old kernel, or a filter of system calls
		_ = unix.Kill(p.pid, sig)
	}
}

// bootID names this boot of the machine.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
