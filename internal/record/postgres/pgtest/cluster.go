package pgtest

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// keeper starts the server as often as it is told, and ends it with us.
//
//go:embed keeper.sh
var keeper string

// admin is the role that may everything.
const admin = "torve"

// The most that a start, a death and an end may take.
const patience = time.Minute

// usual are the settings of a server for tests. What is acknowledged outlives the server's
// death, and not the machine's: that is what fsync would be for.
var usual = []string{
	"fsync=off", "max_connections=200", "shared_buffers=32MB", "max_wal_senders=0", "wal_level=minimal", "autovacuum=off",
	"checkpoint_timeout=1h", "listen_addresses=127.0.0.1", "dynamic_shared_memory_type=mmap", "log_timezone=UTC", "timezone=UTC",
}

// Cluster is a server with its databases.
type Cluster struct {
	dir      string
	port     int
	password string
	keeper   *exec.Cmd
	orders   io.WriteCloser // a line starts the server; the end of it ends all
	stop     func() error
	starts   int
	made     atomic.Int64 // databases, schemas and roles so far
}

// begin makes a cluster and starts it.
func begin(settings []string) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	who, err := unprivileged()
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: folder(who), password: rand.Text()}
	c.stop = sync.OnceValue(c.end)
	if c.port, err = freePort(); err != nil {
		return nil, err
	}
	if err := c.keep(bin, who, settings); err != nil {
		return nil, err
	}
	if err := c.up(); err != nil {
		err = fmt.Errorf("%w:\n%s", err, c.lastWords())
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// keep starts the keeper, in a session of its own: what is meant for the tests does not
// reach it, and their end does. All that there is of the server, it makes and removes.
func (c *Cluster) keep(bin string, who *syscall.Credential, settings []string) error {
	argv := []string{"-c", keeper, "keeper", bin, c.dir, admin, "-p", strconv.Itoa(c.port), "-c", "unix_socket_directories=" + c.socket()}
	for _, s := range append(append([]string{}, usual...), settings...) {
		argv = append(argv, "-c", s)
	}
	c.keeper = exec.Command("/bin/sh", argv...)
	c.keeper.Dir = "/"
	c.keeper.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "PGPASSWORD=" + c.password}
	c.keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: who}
	var err error
	if c.orders, err = c.keeper.StdinPipe(); err != nil {
		return err
	}
	return c.keeper.Start()
}

// socket is the folder of the server's socket; "" where its name would be too long for one.
func (c *Cluster) socket() string {
	if len(c.dir)+len("/.s.PGSQL.65535") > 107-len(".lock") {
		return ""
	}
	return c.dir
}

// The ports that are tried: below those that the system gives to whoever connects. A client
// that tries again and again to reach a server which is away would now and then be given
// the very port, and reach itself.
const firstPort, ports = 20000, 12000

// tried counts the ports that this process tried, so that no two of its servers meet.
var tried atomic.Int64

func freePort() (int, error) {
	var last error
	for range ports {
		port := firstPort + (os.Getpid()*101+int(tried.Add(1)))%ports
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
		last = err
	}
	return 0, last
}

// up has the server started, and waits until it takes connections.
func (c *Cluster) up() error {
	c.starts++
	if _, err := fmt.Fprintln(c.orders, c.starts); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	for wait := time.Now().Add(patience); time.Now().Before(wait); time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(c.dir, fmt.Sprintf("started.%d", c.starts)))
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		switch now := c.postmaster(); {
		case err != nil && !anyRuns([]int{c.keeper.Process.Pid}):
			return fmt.Errorf("%s cannot be made", c.dir)
		case err != nil: // not yet
		case now.pid == pid && now.ready:
			return nil
		case !anyRuns([]int{pid}):
			return errors.New("it does not start")
		}
	}
	return fmt.Errorf("it does not start within %s", patience)
}

// postmaster is what the server's first process says of itself.
func (c *Cluster) postmaster() (p struct {
	pid   int
	ready bool
}) {
	text, _ := os.ReadFile(filepath.Join(c.dir, "data/postmaster.pid"))
	lines := strings.Split(string(text), "\n")
	p.pid, _ = strconv.Atoi(lines[0])
	p.ready = len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready"
	return p
}

// Kill kills the server with SIGKILL, every process of it, in the midst of what it does.
// What it had acknowledged is there after a Restart.
func (c *Cluster) Kill(t testing.TB) {
	t.Helper()
	if err := c.kill(); err != nil {
		t.Fatalf("killing the server: %v", err)
	}
}

func (c *Cluster) kill() error {
	first := c.postmaster().pid
	if first == 0 {
		return errors.New("it does not run")
	}
	if err := syscall.Kill(first, syscall.SIGSTOP); err != nil { // it starts no more
		return err
	}
	all := append(children(first), first)
	for _, pid := range all {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			return err
		}
	}
	for wait := time.Now().Add(patience); time.Now().Before(wait); time.Sleep(5 * time.Millisecond) {
		if !anyRuns(all) {
			return nil
		}
	}
	return fmt.Errorf("it still runs after %s", patience)
}

// Restart starts the server again, which was killed, on the same port; one that runs is
// killed first.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	if anyRuns([]int{c.postmaster().pid}) {
		c.Kill(t)
	}
	if err := c.up(); err != nil {
		t.Fatalf("starting the server again: %v\n%s", err, c.lastWords())
	}
}

// Stop ends the server and removes all of it; a second Stop does nothing.
func (c *Cluster) Stop() error { return c.stop() }

func (c *Cluster) end() error {
	err := c.orders.Close()
	if err := c.keeper.Wait(); err != nil {
		return fmt.Errorf("ending the server: %w", err)
	}
	return err
}

func (c *Cluster) log() string { return filepath.Join(c.dir, "log") }

// lastWords are the last lines of the server's log.
func (c *Cluster) lastWords() string {
	text, err := os.ReadFile(c.log())
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-20):], []byte("\n")))
}
