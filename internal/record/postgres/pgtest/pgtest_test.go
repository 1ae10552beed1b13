package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"torve/internal/record/postgres/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_CHILD") != "" {
		os.Exit(pgtest.Main(m).Run())
	}
	goleak.VerifyTestMain(pgtest.Main(m))
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func ask(t *testing.T, conn *pgx.Conn, sql string) (answer string) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func TestAServerCanBeHad(t *testing.T) {
	if err := pgtest.Found(); err != nil {
		t.Skipf("no PostgreSQL server: %v", err)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	c := pgtest.Server(t)
	a, b := connect(t, c.Database(t)), connect(t, c.Database(t))
	run(t, a, "create table x (n int)")
	if got := ask(t, b, "select coalesce(to_regclass('x')::text, 'none')"); got != "none" {
		t.Errorf("another database sees %s", got)
	}
	if got := ask(t, a, "show server_encoding") + " " + ask(t, a, "show lc_collate"); got != "UTF8 C" {
		t.Error(got)
	}
}

func TestSchemasAreApart(t *testing.T) {
	c := pgtest.Server(t)
	var all []*pgx.Conn
	for range 2 {
		dsn, err := c.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, connect(t, dsn))
	}
	run(t, all[0], "create table x (n int)")
	if got := ask(t, all[1], "select coalesce(to_regclass('x')::text, 'none')"); got != "none" {
		t.Errorf("another schema sees %s", got)
	}
	run(t, all[1], "create table x (n int)")
}

func TestARoleMayLogInAndNothingMore(t *testing.T) {
	c := pgtest.Server(t)
	c.Database(t)
	conn := connect(t, c.DSN("postgres", c.Role(t)))
	if _, err := conn.Exec(t.Context(), "create table x (n int)"); err == nil {
		t.Error("it makes a table")
	}
	if _, err := pgx.Connect(t.Context(), strings.Replace(c.DSN("postgres", "torve"), "torve:", "torve:x", 1)); err == nil {
		t.Error("a wrong password is let in")
	}
}

func TestAServerTakesSettingsOfItsOwn(t *testing.T) {
	conn := connect(t, pgtest.Own(t, "fsync=on", "max_connections=9").Database(t))
	if got := ask(t, conn, "show fsync") + " " + ask(t, conn, "show max_connections"); got != "on 9" {
		t.Error(got)
	}
}

func TestAKilledServerComesBackWithWhatItAcknowledged(t *testing.T) {
	c := pgtest.Own(t)
	dsn := c.Database(t)
	conn := connect(t, dsn)
	run(t, conn, "create table x (n int)")
	run(t, conn, "insert into x values (1)")
	run(t, conn, "begin")
	run(t, conn, "insert into x values (2)")
	c.Kill(t)
	if _, err := conn.Exec(t.Context(), "commit"); err == nil {
		t.Fatal("a dead server answers")
	}
	if _, err := pgx.Connect(t.Context(), dsn); err == nil {
		t.Fatal("a dead server takes connections")
	}
	for range 2 { // the second finds it running
		c.Restart(t)
		if got := ask(t, connect(t, dsn), "select string_agg(n::text, ' ') from x"); got != "1" {
			t.Errorf("x holds %s", got)
		}
	}
}

// child runs this test binary again for one test of it.
func child(t *testing.T, test string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", "^"+test+"$")
	cmd.Env = append(append(os.Environ(), "PGTEST_CHILD=1"), env...)
	return cmd
}

// TestChild is what the tests below run in a process of its own: a server that waits.
func TestChild(t *testing.T) {
	switch os.Getenv("PGTEST_CHILD") {
	case "wait":
		connect(t, pgtest.Server(t).Database(t))
		fmt.Println("PORT", pgtest.Server(t).Port())
		time.Sleep(time.Minute)
	case "begin":
		fmt.Println("PORT 0")
		pgtest.Server(t)
	case "server":
		pgtest.Server(t)
	}
}

// place is a folder for servers alone, so that what is in it is this test's.
func place(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestNothingIsLeftOfAServer(t *testing.T) {
	pgtest.Server(t) // skips
	for name, end := range map[string]func(t *testing.T, dir string) []string{
		"that was stopped":                      stopped(func(*testing.T, *pgtest.Cluster) {}),
		"that was killed and stopped":           stopped(func(t *testing.T, c *pgtest.Cluster) { c.Kill(t) }),
		"whose test binary was killed":          killed("wait", 0),
		"whose test binary was killed at once":  killed("begin", 0),
		"whose test binary was killed soon":     killed("begin", 500*time.Millisecond),
		"whose test binary was killed no later": killed("begin", 1100*time.Millisecond),
	} {
		t.Run(name, func(t *testing.T) {
			dir := place(t)
			memory := end(t, dir)
			for range 400 {
				if len(left(t, dir, memory)) == 0 {
					return
				}
				time.Sleep(25 * time.Millisecond)
			}
			t.Errorf("left over: %v", left(t, dir, memory))
		})
	}
}

func stopped(before func(*testing.T, *pgtest.Cluster)) func(*testing.T, string) []string {
	return func(t *testing.T, dir string) []string {
		c := pgtest.Own(t)
		memory := memoryOf(t, dir)
		if len(memory) != 1 || len(left(t, dir, memory)) < 7 {
			t.Errorf("a server that runs: %v", left(t, dir, memory))
		}
		before(t, c)
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		return memory
	}
}

// killed kills a process with SIGKILL, a while after it says that its server runs or begins.
func killed(what string, after time.Duration) func(*testing.T, string) []string {
	return func(t *testing.T, dir string) []string {
		cmd := child(t, "TestChild", "PGTEST_CHILD="+what)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "PORT") {
		}
		time.Sleep(after)
		memory := memoryOf(t, dir)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return memory
	}
}

// memoryOf names the pieces of shared memory of the servers in a folder.
func memoryOf(t *testing.T, dir string) (ids []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "torve-pg-*/data/postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if lines := strings.Split(string(text), "\n"); len(lines) > 6 {
			ids = append(ids, strings.Fields(lines[6])[1:]...)
		}
	}
	return ids
}

// left are the files in a folder of servers, their processes, and their shared memory.
func left(t *testing.T, dir string, memory []string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range lines {
		in, _ := os.Readlink(filepath.Join(filepath.Dir(file), "cwd"))
		if text, _ := os.ReadFile(file); strings.Contains(string(text), dir) || strings.HasPrefix(in, dir) {
			all = append(all, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	shared, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(shared)) {
		if f := strings.Fields(line); slices.Contains(memory, f[1]) {
			all = append(all, "shared memory "+f[1])
		}
	}
	return all
}

func TestWithoutAServerTestsAreSkippedAndCounted(t *testing.T) {
	skips := filepath.Join(t.TempDir(), "skips")
	out, err := child(t, "TestChild", "PGTEST_CHILD=server", "TORVE_TEST_POSTGRES=/nowhere", "TORVE_TEST_SKIPS="+skips).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- SKIP: TestChild") {
		t.Errorf("%v\n%s", err, out)
	}
	line := "pgtest.test: 1 tests were skipped: no PostgreSQL server: TORVE_TEST_POSTGRES is /nowhere, and postgres and initdb are not there\n"
	if text, err := os.ReadFile(skips); err != nil || string(text) != line || !strings.Contains(string(out), line) {
		t.Errorf("%v: %q\n%s", err, text, out)
	}
}
