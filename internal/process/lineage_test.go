package process

import (
	"os/exec"
	"slices"
	"syscall"
	"testing"
)

// All that lives descends from the machine's first process: it is nobody's root.
func TestALineageHasNoRootInTheMachinesFirstProcess(t *testing.T) {
	all := []proc{{pid: 1, parent: 0}, {pid: 20, parent: 1}, {pid: 21, parent: 20}, {pid: 30, parent: 1}}
	never := func(proc) bool { return false }
	for _, root := range []int{nobody, 0, 1} {
		if got := lineage(all, root, never); len(got) != 0 {
			t.Errorf("from %d: %v", root, got)
		}
	}
	if got := lineage(all, 20, never); len(got) != 1 || got[0].pid != 21 {
		t.Errorf("from 20: %v", got)
	}
	if got := lineage(all, nobody, func(p proc) bool { return p.pid == 20 }); len(got) != 2 {
		t.Errorf("20 and its child: %v", got)
	}
}

// An orphan that died may have left one that came too late for the list.
func TestAListInWhichAnOrphanDiedServesOnce(t *testing.T) {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil { // not by this package: for it, an orphan that fell to us
		t.Fatal(err)
	}
	untilExit(cmd.Process.Pid)
	got := children.list()
	if got.steady || slices.ContainsFunc(got.all, func(p proc) bool { return p.pid == cmd.Process.Pid }) {
		t.Errorf("steady %v, %d processes", got.steady, len(got.all))
	}
}
