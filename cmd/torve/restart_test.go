package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"torve/internal/record/postgres/pgtest"
)

// restartPlay is an agent that takes a moment, so that the store is away while some of them
// are at work, and while the work of others is recorded.
const restartPlay = "sleep 0.${TORVE_TASK#${TORVE_TASK%?}}; " + manyPlay

// TestARunGoesOnOverARestartOfItsStore kills the PostgreSQL server of the record with SIGKILL,
// all of it, in the middle of a run, and starts it again some seconds later: STORE_RESTARTS
// times. The run waits and goes on: every task lands, no agent is started twice for it, and
// no event is lost or there twice.
func TestARunGoesOnOverARestartOfItsStore(t *testing.T) {
	restarts := setting(t, "STORE_RESTARTS", 2)
	tasks := 4*restarts + 1
	server := pgtest.Own(t)
	g := newGround(t, program(t, ""), "", map[string]string{"home/plays/any": restartPlay})
	var err error
	g.dsn, err = inSchema(t.Context(), server)
	g.check(err)
	g.asked(tasks)
	cmd := g.command(nil, g.torve, "dispatch", "--workers", "3")
	out, err := os.Create(filepath.Join(g.home, "out"))
	g.check(err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	g.check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for i := range restarts {
		g.until(ended, func() bool { return strings.Count(g.read("home/starts"), "\n") >= 4*i+2 })
		time.Sleep(time.Duration(i%7) * 70 * time.Millisecond) // not always at the same place of an attempt
		server.Kill(t)
		time.Sleep(time.Duration(3-i%3) * time.Second)
		server.Restart(t)
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, g.read("home/out"))
	}
	t.Log(g.read("home/out"))
	g.landedAll(tasks, 1)
	if starts := strings.Split(strings.TrimSpace(g.read("home/starts")), "\n"); len(starts) != tasks {
		t.Errorf("the agents that were started: %v", starts)
	}
	var once []string
	g.check(recorded(t.Context(), g.dsn, "", func(f fact) error {
		if what := f.kind + " " + f.task; slices.Contains([]string{"task.minted", "task.claimed", "attempt.started", "attempt.finished", "landing.recorded", "task.released"}, f.kind) {
			if slices.Contains(once, what) {
				t.Errorf("%s is there twice", what)
			}
			once = append(once, what)
		}
		return nil
	}))
	if len(once) != 6*tasks {
		t.Errorf("%d of %d events: %v", len(once), 6*tasks, once)
	}
}

// until waits until something holds, while a run goes on.
func (g *ground) until(ended chan error, holds func() bool) {
	g.t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		select {
		case err := <-ended:
			g.t.Fatalf("it ended: %v\n%s", err, g.read("home/out"))
		case <-time.After(10 * time.Millisecond):
		}
	}
	g.t.Fatalf("it comes to nothing:\n%s", g.read("home/out"))
}
