package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits N COMMAND... runs a command and asks for its very exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v: %v", args[1:], err)
	}
	if got != want {
		ts.Fatalf("%v exited %d, and %d was expected", args[1:], got, want)
	}
}

// field PATH PATTERN asks a field of the JSON document that the last command printed:
// the whole of it matches the pattern. A step of the path is a key, the place in a list,
// or the id, task, n, check or line of one of its elements. "! field PATH" asks that
// there is none.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 || !neg && len(args) != 2 {
		ts.Fatalf("usage: field path pattern")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc))
	got, there := walk(doc, strings.Split(args[0], "."))
	if !there {
		if !neg {
			ts.Fatalf("there is no %s", args[0])
		}
		return
	}
	text := plain(got)
	matches := len(args) == 1 || regexp.MustCompile("(?s)^(?:"+args[1]+")$").MatchString(text)
	if matches == neg {
		ts.Fatalf("%s is %s", args[0], text)
	}
}

// says PATTERN asks that the last command's output holds the pattern, however its lines
// are broken: every run of blanks counts as one space.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: says pattern")
	}
	text := strings.Join(strings.Fields(ts.ReadFile("stdout")), " ")
	if regexp.MustCompile(args[0]).MatchString(text) == neg {
		ts.Fatalf("the output, as one line: %s", text)
	}
}

func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(out)
}

func walk(doc any, steps []string) (any, bool) {
	for _, step := range steps {
		var there bool
		switch at := doc.(type) {
		case map[string]any:
			doc, there = at[step]
		case []any:
			doc, there = element(at, step)
		}
		if !there {
			return nil, false
		}
	}
	return doc, true
}

func element(list []any, step string) (any, bool) {
	for _, e := range list {
		m, _ := e.(map[string]any)
		for _, key := range []string{"id", "task", "n", "check", "line"} {
			if v, ok := m[key]; ok && plain(v) == step {
				return e, true
			}
		}
	}
	n, err := strconv.Atoi(step)
	if err != nil || n < 0 || n >= len(list) {
		return nil, false
	}
	return list[n], true
}

// bgUntil waits until a file is there and has something in it: bg-until FILE. A bounded
// wait, no blind sleep.
func bgUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bg-until file")
	}
	file := ts.MkAbs(args[0])
	for range 1200 {
		if st, err := os.Stat(file); err == nil && st.Size() > 0 {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", args[0])
}

// ended PIDFILE asks that the process that the file names is gone, or a zombie, within
// a few seconds.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ended pidfile")
	}
	pid := strings.TrimSpace(ts.ReadFile(args[0]))
	if _, err := strconv.Atoi(pid); err != nil {
		ts.Fatalf("%s holds %q", args[0], pid)
	}
	for range 200 {
		stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	ts.Fatalf("process %s still runs", pid)
}

// waitFor runs a command until its output holds a text: waitfor TEXT command args...
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: waitfor text command args...")
	}
	var out []byte
	for range 600 {
		cmd := exec.Command(args[1], args[2:]...)
		cmd.Dir, cmd.Env = ts.MkAbs("."), environ(ts)
		out, _ = cmd.CombinedOutput()
		if strings.Contains(string(out), args[0]) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%q did not come; last:\n%s", args[0], out)
}
