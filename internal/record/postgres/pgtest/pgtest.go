// Package pgtest starts a PostgreSQL server of its own for tests: an unprivileged user, a
// free port of loopback, a folder of its own. It goes with the process that started it,
// however that ends, and nothing is left of it: no process, no folder, no shared memory.
//
// A test binary that uses it wraps its tests, whatever else its TestMain does:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m).Run()) }
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// shared is the one server of a test binary, and how many tests had to go without.
var shared struct {
	sync.Mutex
	cluster *Cluster
	err     error // why there is none
	skipped int
}

// Server is the one server of the test binary, started at first use. Where none can be
// had, the test is skipped, and counted. Who kills it disturbs whatever runs beside: Own.
func Server(t testing.TB) *Cluster {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = begin(nil)
	}
	if shared.err != nil {
		skip(t, shared.err)
	}
	return shared.cluster
}

// Own is a server of this test alone, that goes at its end: one to kill, or with settings of
// its own, as postgresql.conf has them ("fsync=on").
func Own(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	c, err := begin(settings)
	if err != nil {
		shared.Lock()
		defer shared.Unlock()
		skip(t, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server's last words:\n%s", c.lastWords())
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Found reports whether a server can be had, without starting one, and why not.
func Found() error {
	_, err := binaries()
	return err
}

// skip skips a test for want of a server; one that is there and does not start fails it.
func skip(t testing.TB, err error) {
	t.Helper()
	if Found() == nil {
		t.Fatalf("starting a PostgreSQL server: %v", err)
	}
	shared.skipped++
	t.Skipf("no PostgreSQL server: %v", err)
}

// Stop stops the test binary's server, if it has one. The next Server starts another.
func Stop() error {
	shared.Lock()
	defer shared.Unlock()
	c := shared.cluster
	shared.cluster = nil
	if c == nil {
		return nil
	}
	return c.Stop()
}

// Tests are what Main wraps: a *testing.M, or what else runs tests.
type Tests interface{ Run() int }

// Main gives the tests with the end of their server behind them.
func Main(m Tests) Tests { return tests{m} }

type tests struct{ m Tests }

// Run runs the tests, stops the server, and says how many were skipped for want of one: on
// standard output, and in the file that TORVE_TEST_SKIPS names, which make prints.
func (s tests) Run() int {
	code := s.m.Run()
	if err := Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	if shared.skipped > 0 {
		if err := tell(fmt.Sprintf("%s: %d tests were skipped: no PostgreSQL server: %v\n", filepath.Base(os.Args[0]), shared.skipped, Found())); err != nil {
			fmt.Fprintln(os.Stderr, "pgtest:", err)
			code = max(code, 1)
		}
	}
	return code
}

func tell(line string) error {
	fmt.Print(line)
	name := os.Getenv("TORVE_TEST_SKIPS")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return err
}
