package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"torve/internal/agent"
)

// programs are the names under which the test binary plays an agent.
var programs = []string{"claude", "codex", "opencode", "qwen", "mine"}

// TestMain is also the fake agent: the test binary under an agent's name. It writes down
// how it was called and then prints what the file in FAKE_SAYS holds.
func TestMain(m *testing.M) {
	if slices.Contains(programs, filepath.Base(os.Args[0])) {
		play()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// called is how the fake agent was called.
type called struct {
	Args  []string
	Env   []string
	Dir   string
	Stdin string
}

func play() {
	dir, _ := os.Getwd()
	stdin, _ := io.ReadAll(os.Stdin)
	data, err := json.Marshal(called{Args: os.Args[1:], Env: os.Environ(), Dir: dir, Stdin: string(stdin)})
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Getenv("FAKE_CALLED"), data, 0o644); err != nil {
		panic(err)
	}
	if says := os.Getenv("FAKE_SAYS"); says != "" {
		text, err := os.ReadFile(says)
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.Write(text)
	}
	switch does := os.Getenv("FAKE_DOES"); does {
	case "":
	case "stay":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGUSR2)
		<-c
	case "fail":
		os.Exit(3)
	default:
		fmt.Println(does)
	}
}

// stage puts the fake agents on the PATH and gives an attempt to make.
type stage struct {
	t      *testing.T
	ask    agent.Ask
	called string
	path   string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, path: t.TempDir()}
	for _, name := range programs {
		if err := os.Symlink(self, filepath.Join(s.path, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", s.path+string(filepath.ListSeparator)+os.Getenv("PATH"))
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	side := t.TempDir()
	s.called = filepath.Join(side, "called.json")
	s.ask = agent.Ask{
		Task: "T-0007", Attempt: 2, Dir: dir, Prompt: []byte("do it"), PromptFile: filepath.Join(side, "prompt.md"),
		Report: filepath.Join(side, "report.json"), Temp: side, Cache: "/caches", Slot: 1,
		Env: []string{"FAKE_CALLED=" + s.called, "GORACE=atexit_sleep_ms=0"}, Limit: time.Minute, Grace: 10 * time.Second,
	}
	return s
}

// says makes the fake print a fixture.
func (s *stage) says(file string) {
	s.t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "said", file))
	if err != nil {
		s.t.Fatal(err)
	}
	s.ask.Env = append(s.ask.Env, "FAKE_SAYS="+path)
}

func (s *stage) find(name string, settings map[string]agent.Setting) agent.Adapter {
	s.t.Helper()
	a, err := agent.Find(name, settings, s.look)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *stage) look(name string) string {
	path := filepath.Join(s.path, name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// run makes the attempt and reads how the program was called.
func (s *stage) run(a agent.Adapter) (agent.Outcome, called) {
	s.t.Helper()
	out := a.Run(s.t.Context(), s.ask)
	data, err := os.ReadFile(s.called)
	if err != nil {
		s.t.Fatalf("it was not called: %v; it ended %s: %s", err, out.End, out.Why)
	}
	var c called
	if err := json.Unmarshal(data, &c); err != nil {
		s.t.Fatal(err)
	}
	return out, c
}

func (c called) has(name string) string {
	for _, kv := range c.Env {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
