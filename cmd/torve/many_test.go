package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// locks are words of a lock's fault, which no person is to read.
var locks = regexp.MustCompile(`(?i)\.lock|locked|database is busy|cannot lock|error:`)

// asked commits contracts of n tasks over disjoint scopes.
func (g *ground) asked(n int) {
	g.t.Helper()
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("T-%04d", i)
		g.write("shop/.torve/tasks/"+id+"/contract.yaml", contractOf(id, fmt.Sprintf("t%d/**", i), ""), 0o644)
	}
	g.git("add", ".torve/tasks")
	g.git("commit", "-q", "-m", "Ask for it all")
}

// manyPlay makes one file of its own.
const manyPlay = "mkdir -p \"$TORVE_TASK\" && rmdir \"$TORVE_TASK\"; n=$(echo \"${TORVE_TASK#T-}\" | sed 's/^0*//'); mkdir -p \"t$n\"; echo done > \"t$n/x\"\n"

// landedAll asks that every task landed once, each with one attempt, and that all is in order.
func (g *ground) landedAll(n, each int) {
	g.t.Helper()
	attempts := g.attempts()
	o := g.outcome("main", attempts)
	for _, fault := range g.house(o, attempts) {
		g.t.Error(fault)
	}
	for task, state := range o.States {
		if state != "landed" || o.Counted[task] > each {
			g.t.Errorf("%s is %s after %d attempts", task, state, o.Counted[task])
		}
	}
	landings := strings.Count(g.git("log", "--first-parent", "--format=%s", "main"), "Land T-")
	if len(o.States) != n || landings != n {
		g.t.Errorf("%d tasks and %d landings, and %d were asked for", len(o.States), landings, n)
	}
}

// TestManyWorkersOverDisjointScopesAllLand runs MANY_WORKERS side by side.
func TestManyWorkersOverDisjointScopesAllLand(t *testing.T) {
	workers := setting(t, "MANY_WORKERS", 16)
	g := newGround(t, program(t, ""), "", map[string]string{"home/plays/any": manyPlay})
	g.asked(workers)
	t.Logf("%d workers side by side, a task each", workers)
	began := time.Now()
	r := g.verb("dispatch", "--workers", strconv.Itoa(workers))
	t.Logf("all have ended after %s: what they left is looked at", time.Since(began).Round(time.Second))
	if r.code != 0 || locks.MatchString(r.out) {
		t.Error(r)
	}
	g.landedAll(workers, 1)
}

// TestTwentyProcessesThatWantOneTaskMakeOneAttempt starts as many dispatches at once.
func TestTwentyProcessesThatWantOneTaskMakeOneAttempt(t *testing.T) {
	g := newGround(t, program(t, ""), "", map[string]string{"home/plays/any": manyPlay})
	g.asked(1)
	var all sync.WaitGroup
	ends := make([]ran, 20)
	for i := range ends {
		cmd := g.command(nil, g.torve, "dispatch")
		all.Go(func() {
			out, _ := cmd.CombinedOutput()
			ends[i] = ran{cmd.Args, string(out), cmd.ProcessState.ExitCode()}
		})
	}
	all.Wait()
	for _, r := range ends {
		if r.code != 0 || locks.MatchString(r.out) {
			t.Error(r)
		}
	}
	if starts := g.read("home/starts"); starts != "T-0001 1\n" {
		t.Errorf("the agent was started for %q", starts)
	}
	g.landedAll(1, 1)
}

// TestAPersonsGitMeanwhileLosesNothingOnEitherSide runs a dispatch while a person collects
// garbage, prunes, packs, fetches, and commits on the target and beside it, and a clone
// pulls with rebase and pushes back.
func TestAPersonsGitMeanwhileLosesNothingOnEitherSide(t *testing.T) {
	const tasks = 12
	g := newGround(t, program(t, ""), "", map[string]string{"home/plays/any": "sleep 0.2; " + manyPlay})
	g.asked(tasks)
	g.git("branch", "side")
	clone := filepath.Join(filepath.Dir(g.dir), "clone")
	g.git("clone", "-q", g.dir, clone)
	side := filepath.Join(filepath.Dir(g.dir), "other")
	g.git("worktree", "add", "-q", side, "side")

	over := make(chan struct{})
	p := &somebody{g: g, over: over}
	var people sync.WaitGroup
	people.Go(func() { p.tends() })
	people.Go(func() { p.commits("mine", g.dir) })
	people.Go(func() { p.commits("aside", side) })
	people.Go(func() { p.shares(clone) })
	stop := sync.OnceFunc(func() { close(over); people.Wait() })
	defer stop()
	for range 40 {
		t.Log(g.verb("dispatch", "--workers", "4"))
		if g.settledAll() {
			break
		}
	}
	stop()
	for _, fault := range p.faults {
		t.Error(fault)
	}
	g.git("worktree", "remove", "--force", side)
	g.landedAll(tasks, 1)
	p.kept(clone)
}

// TestWhatAPersonsGitPrunesMeanwhileIsWrittenAnew prunes all that no ref holds whenever
// acceptance runs: what is merged and judged then is in no ref yet.
func TestWhatAPersonsGitPrunesMeanwhileIsWrittenAnew(t *testing.T) {
	g := newGround(t, program(t, ""), "", merged(two(""), map[string]string{
		"shop/test.sh": "git -C \"$HOME/../shop\" gc --quiet --prune=now; ! grep -rq bad --include=x .\n",
	}))
	if r := g.verb(dispatching...); r.code != 0 {
		t.Error(r)
	}
	g.landedAll(2, 2)
}

// settledAll reports whether every task has landed.
func (g *ground) settledAll() bool {
	g.t.Helper()
	for _, task := range g.status().Tasks {
		if task.State != "landed" {
			return false
		}
	}
	return true
}

// somebody is a person at work in the same repository.
type somebody struct {
	g    *ground
	over chan struct{}

	mu     sync.Mutex
	faults []string
	made   []string // messages of commits that git said were made
}

// working reports whether the run goes on, after a moment.
func (p *somebody) working(pause time.Duration) bool {
	select {
	case <-p.over:
		return false
	case <-time.After(pause):
		return true
	}
}

// git runs a person's git; what it says is theirs to read, and no fault by itself.
func (p *somebody) git(dir string, args ...string) (string, bool) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = p.g.env()
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// tends is housekeeping: all that git offers.
func (p *somebody) tends() {
	for n := 0; p.working(100 * time.Millisecond); n++ {
		for _, args := range [][]string{
			{"gc", "--quiet"}, {"worktree", "prune"}, {"repack", "-q", "-ad"}, {"pack-refs", "--all"}, {"fetch", "-q", "."},
		} {
			if out, ok := p.git(p.g.dir, args...); !ok && strings.Contains(out, "missing") {
				p.fault("git %v: %s", args, out)
			}
		}
	}
}

func (p *somebody) fault(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// write makes a file of a person's.
func (p *somebody) write(file, text string) {
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text+"\n"), 0o644)
	}
	if err != nil {
		p.fault("%v", err)
	}
}

// mostCommits is how often each person commits: one who never pauses would keep the target
// from ever standing still.
const mostCommits = 12

// commits commits files of their own at dir, again and again.
func (p *somebody) commits(name, dir string) {
	for n := 0; n < mostCommits && p.working(400*time.Millisecond); n++ {
		file := fmt.Sprintf("%s/%d", name, n)
		message := fmt.Sprintf("%s %d", name, n)
		p.write(filepath.Join(dir, file), message)
		for range 50 { // a landing may hold the index at that moment, as a person sees from git's words
			_, added := p.git(dir, "add", "--", file)
			if _, ok := p.git(dir, "commit", "-q", "-m", message, "--", file); added && ok {
				p.mu.Lock()
				p.made = append(p.made, message)
				p.mu.Unlock()
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// shares pulls with rebase into a clone, commits there, and pushes back, to a branch that is
// checked out nowhere: git's own updateInstead is not safe beside anyone who commits.
func (p *somebody) shares(clone string) {
	for n := 0; n < mostCommits && p.working(500*time.Millisecond); n++ {
		message := fmt.Sprintf("theirs %d", n)
		p.write(filepath.Join(clone, "theirs", strconv.Itoa(n)), message)
		p.git(clone, "add", "-A")
		p.git(clone, "commit", "-q", "-m", message)
		if out, ok := p.git(clone, "pull", "-q", "--rebase"); !ok && strings.Contains(out, "CONFLICT") {
			p.fault("git pull --rebase: %s", out)
		}
		if _, ok := p.git(clone, "push", "-q", "--force", "origin", "HEAD:theirs"); ok {
			p.mu.Lock()
			p.made = append(p.made, message)
			p.mu.Unlock()
		}
	}
}

// kept asks that all that a person was told is committed is on a branch, with its file.
func (p *somebody) kept(clone string) {
	p.g.t.Helper()
	log := p.g.git("log", "--format=%s", "main", "side", "theirs") + "\n"
	for _, message := range p.made {
		if !strings.Contains("\n"+log, "\n"+message+"\n") {
			p.g.t.Errorf("%q was committed, and is on no branch", message)
		}
	}
	if len(p.made) < 3 {
		p.g.t.Errorf("a person committed %d times meanwhile: that proves nothing", len(p.made))
	}
	p.g.t.Logf("%d commits of people meanwhile", len(p.made))
	if r := p.g.run(nil, "git", "-C", clone, "fsck", "--no-dangling", "--no-progress"); r.code != 0 {
		p.g.t.Error(r)
	}
}
