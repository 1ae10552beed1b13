package process_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"torve/internal/process"
)

// TestMain is also the fake program: the test binary started with "fake" and the
// name of what it should do.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fake" {
		fakes[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // else each fake sleeps a second under the race detector
	goleak.VerifyTestMain(m)
}

// fake is the command line of a fake program.
func fake(name string, args ...string) []string {
	return append([]string{os.Args[0], "fake", name}, args...)
}

var fakes = map[string]func([]string){
	"say":         func(args []string) { fmt.Println(args[0]) },
	"both":        func([]string) { fmt.Println("to out"); fmt.Fprintln(os.Stderr, "to err") },
	"exit":        func(args []string) { os.Exit(number(args[0])) },
	"die":         func([]string) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); hang() },
	"hang":        func([]string) { hang() },
	"ignore":      func([]string) { signal.Ignore(syscall.SIGTERM); fmt.Println("ready"); hang() },
	"polite":      polite,
	"flood":       flood,
	"cat":         func([]string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"env":         func([]string) { printAll(os.Environ()) },
	"where":       func([]string) { dir, _ := os.Getwd(); fmt.Println(dir) },
	"deaf":        func([]string) {},
	"chatter":     chatter,
	"mute":        func([]string) { _, _ = os.Stdout.Close(), os.Stderr.Close(); hang() },
	"last word":   func([]string) { fmt.Println("working"); fmt.Println("done"); hang() },
	"leave":       leave,
	"leave first": func(args []string) { leave(args); hang() },
	"terminal":    terminal,
	"lock":        lockAndHang,
	"inside":      func([]string) { printAll(process.Inside()) },
	"hide":        hide,
}

// hang waits for ever: a signal that nobody sends keeps the runtime from calling it a deadlock.
func hang() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	<-c
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func printAll(lines []string) {
	for _, l := range lines {
		fmt.Println(l)
	}
}

func polite([]string) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	fmt.Println("ready")
	<-c
	fmt.Println("goodbye")
}

func flood(args []string) {
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	piece := bytes.Repeat([]byte("all work and no play\n"), 50000)
	for left := number(args[0]); left > 0; left -= len(piece) {
		_, _ = w.Write(piece[:min(left, len(piece))])
	}
	_ = w.Flush()
}

func chatter([]string) {
	for {
		if _, err := fmt.Println("still here"); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// leave starts a child that stays, in one of several ways, and prints its identity.
func leave(args []string) {
	child := exec.Command(os.Args[0], "fake", args[1])
	child.Stdout = os.Stdout // it holds the pipe open
	switch args[0] {
	case "group":
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	case "session":
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "daemon":
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Stdout = nil
	case "unmarked":
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Env = []string{"PATH=/bin"}
	case "twice": // a daemon: its parent is gone before we are
		child.Args = []string{os.Args[0], "fake", "leave", "session", args[1]}
	}
	if args[0] == "twice" {
		_ = child.Run()
		return
	}
	if err := child.Start(); err != nil {
		panic(err)
	}
	fmt.Println("pid", child.Process.Pid)
}

func terminal([]string) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		fmt.Println("no terminal")
		return
	}
	_ = f.Close()
	fmt.Println("a terminal")
}

func lockAndHang(args []string) {
	_, held, err := process.TryLock(args[0])
	fmt.Println("held", held, err)
	hang()
}
