package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The tests of death and of many at once run the real program, built once a test run.

// programs is where what was built stands; it goes when the tests are over.
var programs struct {
	sync.Mutex
	dir   string
	built map[string]error
}

// sweeping runs the tests and removes what they built.
type sweeping struct{ m testscript.TestingM }

func (s sweeping) Run() int {
	abreast()
	code := s.m.Run()
	if programs.dir != "" {
		_ = os.RemoveAll(programs.dir)
	}
	return code
}

// abreast runs twice as many scripts at a time as there are processors: a script waits, for
// a commit of the store or a process's end, about as long as it works. -parallel says otherwise.
func abreast() {
	n := strconv.Itoa(2 * runtime.GOMAXPROCS(0))
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(n) // it is a number
	}
}

// program is torve built with tags, "" for the normal build. Only where there is no go
// tool it skips, and says so.
func program(t *testing.T, tags string) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("the program cannot be built: %v", err)
	}
	if programs.dir == "" {
		dir, err := os.MkdirTemp("", "torve-built-")
		if err != nil {
			t.Fatal(err)
		}
		programs.dir, programs.built = dir, map[string]error{}
	}
	file := filepath.Join(programs.dir, "torve-"+tags)
	if _, tried := programs.built[tags]; !tried {
		out, err := exec.Command("go", "build", "-tags", tags, "-o", file, ".").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("building torve: %w\n%s", err, out)
		}
		programs.built[tags] = err
	}
	if err := programs.built[tags]; err != nil {
		t.Fatal(err)
	}
	return file
}
