package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// process is one that is there; a zombie only awaits its parent.
type process struct {
	parent int
	zombie bool
}

// processes are all, by pid: as /proc has them, else as ps tells.
func processes() map[int]process {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(files) == 0 {
		return told()
	}
	all := map[int]process{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')'):]), " ")
		add(all, append([]string{filepath.Base(filepath.Dir(file))}, strings.Fields(rest)...))
	}
	return all
}

func told() map[int]process {
	out, _ := exec.Command("ps", "-A", "-o", "pid=,stat=,ppid=").Output()
	all := map[int]process{}
	for line := range strings.Lines(string(out)) {
		add(all, strings.Fields(line))
	}
	return all
}

// add adds one of its pid, state and parent.
func add(all map[int]process, fields []string) {
	if len(fields) < 3 {
		return
	}
	pid, err := strconv.Atoi(fields[0])
	parent, err2 := strconv.Atoi(fields[2])
	if err == nil && err2 == nil {
		all[pid] = process{parent: parent, zombie: strings.HasPrefix(fields[1], "Z")}
	}
}

// children are the processes that a process started.
func children(of int) (pids []int) {
	for pid, p := range processes() {
		if p.parent == of {
			pids = append(pids, pid)
		}
	}
	return pids
}

// anyRuns reports whether one of them is there and no zombie.
func anyRuns(pids []int) bool {
	all := processes()
	return slices.ContainsFunc(pids, func(pid int) bool {
		p, there := all[pid]
		return there && !p.zombie
	})
}
