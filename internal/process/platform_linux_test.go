package process

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestANameInStatMayHoldAnything(t *testing.T) {
	rest := "S 10 20 30 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0"
	for _, name := range []string{"sh", "a b", ") R 1 1 1 (", "))"} {
		p, ok := parseStat(5, []byte("5 ("+name+") "+rest))
		if !ok || p != (proc{pid: 5, parent: 10, group: 20, session: 30, born: 4242}) {
			t.Errorf("%q: %+v %v", name, p, ok)
		}
	}
}

func TestADeadProcessIsDead(t *testing.T) {
	p, ok := parseStat(5, []byte("5 (x) Z 10 20 30 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0"))
	if !ok || !p.dead {
		t.Errorf("%+v", p)
	}
}

func TestAProcessThatBecomesAnotherProgramKeepsItsMark(t *testing.T) {
	script := t.TempDir() + "/again"
	if err := os.WriteFile(script, []byte(`[ $1 = 0 ] || exec sh "$0" $(($1-1))`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", script, "300")
	cmd.Env = append(os.Environ(), "TORVE_RUN=some/run")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for ; ; asked++ {
		mark := markOf(cmd.Process.Pid)
		if p, there := look(cmd.Process.Pid); !there || p.dead || exiting(cmd.Process.Pid) {
			break
		}
		if mark != "some/run" {
			t.Errorf("asked the %dth time, its mark is %q", asked, mark)
		}
	}
	if err := cmd.Wait(); err != nil || asked == 0 {
		t.Errorf("asked %d times; %v", asked, err)
	}
}

// exiting reports whether a process is about to be dead: its memory may be gone already.
func exiting(pid int) bool {
	const exits = 0x4 // PF_EXITING, of the ninth field
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := cutLast(stat, ')')
	fields := strings.Fields(string(rest))
	if len(fields) < 7 {
		return true
	}
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	return err != nil || flags&exits != 0
}

func TestAProcessOfNoEnvironmentIsNotWaitedFor(t *testing.T) {
	cmd := exec.Command("sleep", "10")
	cmd.Env = []string{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	began := time.Now()
	if mark := markOf(cmd.Process.Pid); mark != "" || time.Since(began) > time.Second {
		t.Errorf("its mark is %q, after %v", mark, time.Since(began))
	}
}

func FuzzStatIsReadOrRefused(f *testing.F) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(stat)
	f.Add([]byte("5 (x"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		if p, ok := parseStat(5, stat); ok && (p.pid != 5 || !strings.Contains(string(stat), ")")) {
			t.Errorf("%+v", p)
		}
	})
}
