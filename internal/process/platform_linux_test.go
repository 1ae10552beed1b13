package process

import (
	"os"
	"strings"
	"testing"
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
