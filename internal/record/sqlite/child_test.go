package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

const part record.Partition = "acme/shop"

// child is the test binary as another process: it says on its output, a line each,
// what was acknowledged to it.
func child(role string) int {
	path, name := os.Getenv("TORVE_RECORD_PATH"), os.Getenv("TORVE_RECORD_NAME")
	count, _ := strconv.Atoi(os.Getenv("TORVE_RECORD_COUNT"))
	var err error
	switch role {
	case "append":
		err = childAppends(path, name, count)
	case "claim":
		err = childClaims(path, name, count)
	case "read":
		err = childReads(path)
	case "import":
		err = childImports(path)
	}
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// childAppends appends count events, or without end when it is 0.
func childAppends(path, name string, count int) error {
	l, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer l.Close()
	for i := 0; count == 0 || i < count; i++ {
		e, err := note(fmt.Sprintf("%s-%d", name, i), name)
		if err != nil {
			return err
		}
		if _, err := l.Append(context.Background(), part, record.Always(), e); err != nil {
			return err
		}
		fmt.Println(e.ID)
	}
	return nil
}

func childClaims(path, name string, count int) error {
	l, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer l.Close()
	for i := range count {
		task := fmt.Sprintf("T-%04d", i)
		e, err := record.New(record.Claimed{Boot: "b", PID: os.Getpid(), Start: "s", Worker: name}, recordtest.At,
			record.Envelope{Task: task, Claim: name, Actor: record.Actor{Kind: record.ByDispatch}})
		if err != nil {
			return err
		}
		switch _, err := l.Append(context.Background(), part, record.Always(), e); {
		case err == nil:
			fmt.Println(task)
		case !errors.Is(err, record.ErrMoved):
			return err
		}
	}
	return nil
}

func childReads(path string) error {
	l, err := sqlite.OpenRead(context.Background(), path)
	if err != nil {
		return err
	}
	for e, err := range l.Read(context.Background(), part, 1) {
		if err != nil {
			return err
		}
		fmt.Println(e.ID)
	}
	return errors.Join(l.Check(context.Background(), part), l.Close())
}

// childImports imports without end, and says how far it is.
func childImports(path string) error {
	l, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	_, err = l.(record.Imports).Import(context.Background(), part, func(yield func(record.Event, error) bool) {
		e, err := note("", strings.Repeat("x", 1000))
		for e.Seq = 1; ; e.Seq++ {
			e.ID, e.Prev = fmt.Sprint("E-", e.Seq), e.Hash
			body, _ := e.Body()
			if e.Hash = record.HashOf(e.Prev, e.Seq, body); !yield(e, err) {
				return
			}
			if e.Seq%500 == 0 {
				fmt.Println(e.Seq)
			}
		}
	})
	return err
}

func note(id, text string) (record.Event, error) {
	return record.New(record.Message{Text: text}, recordtest.At, record.Envelope{ID: id, Actor: record.Actor{Kind: record.ByPerson}})
}

// process is a child that was started.
type process struct {
	*os.Process
	out *os.File
}

// start starts the test binary in a role; as nobody when that is asked and we are root,
// whom no permission stops.
func start(t testing.TB, role, path, name string, count int, nobody bool) process {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	attr := &os.ProcAttr{
		Files: []*os.File{nil, in, os.Stderr},
		Env: append(os.Environ(), "TORVE_RECORD_CHILD="+role, "TORVE_RECORD_PATH="+path,
			"TORVE_RECORD_NAME="+name, "TORVE_RECORD_COUNT="+strconv.Itoa(count)),
	}
	if nobody && os.Geteuid() == 0 {
		attr.Sys = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	p, err := os.StartProcess("/proc/self/exe", []string{"child"}, attr)
	if err != nil {
		t.Fatal(err)
	}
	return process{p, out}
}

// lines waits for a child to end and gives what it said, and whether it did well.
func (p process) lines(t testing.TB) ([]string, bool) {
	t.Helper()
	data, err := io.ReadAll(p.out)
	if err != nil {
		t.Fatal(err)
	}
	p.out.Close()
	state, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(data)), state.Success()
}

func ids(t testing.TB, path string) []string {
	t.Helper()
	l, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Check(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	return idsOf(t, l)
}

func idsOf(t testing.TB, l record.Log) []string {
	t.Helper()
	var all []string
	for e, err := range l.Read(t.Context(), part, 1) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.ID)
	}
	return all
}

// after reads n lines of a child that goes on.
func (p process) after(t testing.TB, n int) []string {
	t.Helper()
	if err := p.out.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for s := bufio.NewScanner(p.out); len(got) < n; {
		if !s.Scan() {
			t.Fatalf("the child ended after %v: %v", got, s.Err())
		}
		got = append(got, s.Text())
	}
	return got
}
