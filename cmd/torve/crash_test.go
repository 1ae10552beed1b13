package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// setting is a number of the environment, for a longer run than the usual one.
func setting(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q, and a number is wanted", name, text)
	}
	return n
}

// TestKilledAgainAndAgainARunComesToItsEnd starts the program over and over and kills it
// at random moments, itself alone, until CRASH_KILLS are done; then it lets it end. Every
// task lands once, and the record, the repository and the disk are in order, now and then
// on the way and at the end. CRASH_SEED repeats a run as far as moments can be repeated.
func TestKilledAgainAndAgainARunComesToItsEnd(t *testing.T) {
	c := crash{
		kills: setting(t, "CRASH_KILLS", 12), tasks: setting(t, "CRASH_TASKS", 8), workers: setting(t, "CRASH_WORKERS", 4),
		seed: setting(t, "CRASH_SEED", int(time.Now().UnixNano()%1_000_000)),
	}
	t.Logf("CRASH_SEED=%d: %d kills over runs of %d tasks by %d workers", c.seed, c.kills, c.tasks, c.workers)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("after %d kills; to see it again: CRASH_SEED=%d CRASH_KILLS=%d CRASH_TASKS=%d CRASH_WORKERS=%d go test ./cmd/torve -count=1 -timeout 1h -v -run %s",
				c.done, c.seed, c.kills, c.tasks, c.workers, t.Name())
		}
	})
	c.g = newGround(t, program(t, ""), "", map[string]string{"home/plays/any": crashPlay})
	c.chance = rand.New(rand.NewPCG(uint64(c.seed), 1))
	c.run()
}

// crash is one such run.
type crash struct {
	g                           *ground
	chance                      *rand.Rand
	kills, tasks, workers, seed int
	done, asked, rounds         int // kills so far, tasks asked for so far, times that all had landed
	began                       time.Time
}

// crashPlay is an agent that takes a moment, writes in two steps, and is refused once now
// and then: every third task says bad first.
const crashPlay = `n=${TORVE_TASK#T-}; n=$(echo "$n" | sed 's/^0*//')
mkdir -p "t$n"
if [ ! -f "t$n/x" ] && [ $((n % 3)) = 0 ]; then echo bad > "t$n/x"; exit 0; fi
echo one > "t$n/x"
sleep 0.0$((n % 8))
echo two > "t$n/y"
`

// ask commits contracts for as many tasks more.
func (c *crash) ask() {
	for range c.tasks {
		c.asked++
		id := fmt.Sprintf("T-%04d", c.asked)
		c.g.write("shop/.torve/tasks/"+id+"/contract.yaml", contractOf(id, fmt.Sprintf("t%d/**", c.asked), ""), 0o644)
	}
	c.g.git("add", ".torve/tasks")
	c.g.git("commit", "-q", "-m", "Ask for more")
}

func (c *crash) run() {
	c.began = time.Now()
	c.ask()
	for c.done < c.kills && !c.g.t.Failed() {
		lived := time.Duration(20+c.chance.IntN(1500)) * time.Millisecond
		if c.chance.IntN(4) == 0 { // soon after its start, too
			lived = time.Duration(c.chance.IntN(150)) * time.Millisecond
		}
		if c.once(lived) {
			c.ended()
			c.ask()
			continue
		}
		if c.done++; c.done%10 == 0 {
			c.between()
		}
	}
	c.g.t.Logf("%d kills done: the last run ends by itself", c.done)
	c.settle()
	c.ended()
	if !c.g.t.Failed() {
		c.g.t.Logf("%d kills over %d tasks in %s: each landed once; the record, the repository and the disk are in order (CRASH_SEED=%d)",
			c.done, c.asked, time.Since(c.began).Round(time.Second), c.seed)
	}
}

// once starts a run and kills it after a while; over says that it ended before.
func (c *crash) once(lived time.Duration) (over bool) {
	g := c.g
	g.t.Helper()
	cmd := g.command(nil, g.torve, "dispatch", "--workers", strconv.Itoa(c.workers))
	out, err := os.Create(filepath.Join(g.home, "out"))
	g.check(err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	g.check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-time.After(lived):
		g.check(cmd.Process.Kill())
		<-ended
		return false
	case <-ended:
		return c.answered()
	}
}

// answered requeues what died three times running, as a person would; false when there was such.
func (c *crash) answered() bool {
	c.g.t.Helper()
	all := true
	for _, task := range c.g.status().Tasks {
		switch task.State {
		case "landed":
		case "escalated":
			all = false
			if !strings.Contains(task.Why, "the run died 3 times running") {
				c.g.t.Fatalf("%s needs a person: %s\n%s", task.ID, task.Why, c.g.read("home/out"))
			}
			if r := c.g.verb("requeue", task.ID); r.code != 0 {
				c.g.t.Fatal(r)
			}
		default:
			c.g.t.Fatalf("a run ended, and %s is %s (%s):\n%s", task.ID, task.State, task.Why, c.g.read("home/out"))
		}
	}
	return all
}

// settle lets runs end until all has landed.
func (c *crash) settle() {
	c.g.t.Helper()
	for range 10 {
		if c.once(mostOfRun) {
			return
		}
	}
	c.g.t.Fatalf("it comes to no end:\n%s", c.g.read("home/out"))
}

// between asks, while tasks are under way, what must hold at any moment.
func (c *crash) between() {
	c.g.t.Helper()
	attempts := c.g.attempts() // asks the record
	c.g.t.Logf("%3d of %d kills, %s: %d tasks asked for, all landed %d times, %d attempts begun; the record is whole",
		c.done, c.kills, time.Since(c.began).Round(time.Second), c.asked, c.rounds, len(attempts))
	var r ran
	for range 100 { // a git that the dead run had started may be at its work still
		r = c.g.run(nil, "git", "fsck", "--no-dangling", "--no-progress", "--connectivity-only")
		if r.code == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.g.t.Fatal(r)
}

// ended asks what must hold when all has landed.
func (c *crash) ended() {
	g := c.g
	g.t.Helper()
	c.rounds++
	g.age()
	if r := g.verb("dispatch"); r.code != 0 || !strings.Contains(r.out, "nothing to do") {
		g.t.Error(r)
	}
	attempts := g.attempts()
	o := g.outcome("main", attempts)
	for _, fault := range g.house(o, attempts) {
		g.t.Error(fault)
	}
	landings := strings.Count(g.git("log", "--first-parent", "--format=%s", "main"), "Land T-")
	if len(o.States) != c.asked || landings != c.asked {
		g.t.Errorf("%d tasks, %d landings, and %d were asked for", len(o.States), landings, c.asked)
	}
	for n := 1; n <= c.asked; n++ {
		if x, y := g.read(fmt.Sprintf("shop/t%d/x", n)), g.read(fmt.Sprintf("shop/t%d/y", n)); x != "one\n" || y != "two\n" {
			g.t.Errorf("T-%04d landed as %q and %q", n, x, y)
		}
	}
}
