package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ground is a scratch home with a repository in it, and a fake agent.
type ground struct {
	t         *testing.T
	home, dir string
	torve     string
	dsn       string       // where its record is; "" is the embedded one
	begun     func() error // waits for a run that was begun; nil where there is none
}

// agentScript is the fake agent: it notes that it was started, leaves a process behind
// that has left its session, and does what the play of its task says.
const agentScript = `#!/bin/sh
echo "$TORVE_TASK $TORVE_ATTEMPT" >> "$HOME/starts"
left=$(setsid sh -c 'echo $$; exec sleep 600 > /dev/null 2>&1' < /dev/null &)
echo "$left" > "$HOME/left/$TORVE_TASK.$TORVE_ATTEMPT"
set -e
play="$HOME/plays/$TORVE_TASK"
[ -f "$play" ] || play="$HOME/plays/any"
. "$play"
`

const gitSettings = "[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n"

// groundSettings are torve's settings there; more may follow.
const groundSettings = "schema: torve/config/v1\ntarget: main\nrecord: {partition: acme/shop}\nacceptance: [\"sh test.sh\"]\n" +
	"agent: {default: fake}\nagents: {fake: {adapter: command, run: [fakeagent]}}\nlimits: {grace: 1s}\n"

// newGround makes it: a repository on main with the settings, a test that refuses the
// word bad, and what more files say.
func newGround(t *testing.T, torve, settings string, files map[string]string) *ground {
	t.Helper()
	root := t.TempDir()
	g := &ground{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "shop"), torve: torve}
	g.write("home/.gitconfig", gitSettings, 0o644)
	g.write("home/bin/fakeagent", agentScript, 0o755)
	for _, folder := range []string{"left", "plays"} {
		g.check(os.MkdirAll(filepath.Join(g.home, folder), 0o755))
	}
	g.write("shop/.torve/config.yaml", groundSettings+settings, 0o644)
	g.write("shop/.torve/.gitignore", "telemetry.jsonl\nfeedback.jsonl\nfindings.jsonl\nschemas/\n", 0o644)
	g.write("shop/test.sh", "! grep -rq bad --include=x .\n", 0o644)
	g.write("shop/README", "A shop.\n", 0o644)
	for name, text := range files {
		g.write(name, text, 0o644)
	}
	t.Cleanup(g.sweep)
	g.git("init", "-q", "--template=", "-b", "main")
	g.git("add", "-A")
	g.git("commit", "-q", "-m", "A small shop")
	return g
}

func (g *ground) check(err error) {
	if err != nil {
		g.t.Helper()
		g.t.Fatal(err)
	}
}

// write makes a file below the folder of the ground.
func (g *ground) write(name, text string, mode os.FileMode) {
	g.t.Helper()
	full := filepath.Join(filepath.Dir(g.home), name)
	g.check(os.MkdirAll(filepath.Dir(full), 0o755))
	g.check(os.WriteFile(full, []byte(text), mode))
}

// read is a file below the folder of the ground; "" when there is none.
func (g *ground) read(name string) string {
	g.t.Helper()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(g.home), name))
	if !errors.Is(err, os.ErrNotExist) {
		g.check(err)
	}
	return string(data)
}

// contract is a contract that is valid as written; more lines may follow.
func contractOf(id, allow, more string) string {
	return fmt.Sprintf("schema: torve/contract/v1\nid: %s\ntitle: Thing %s\nintent: Make it.\nscope: {allow: [%q]}\n%s", id, id, allow, more)
}

func (g *ground) env(more ...string) []string {
	return append([]string{
		"PATH=" + filepath.Join(g.home, "bin") + ":" + filepath.Dir(g.torve) + ":" + os.Getenv("PATH"), "HOME=" + g.home,
		"XDG_STATE_HOME=" + g.home + "/state", "XDG_CACHE_HOME=" + g.home + "/cache", "XDG_CONFIG_HOME=" + g.home + "/config",
		"GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LANG=C.UTF-8", "TMPDIR=" + filepath.Dir(g.home),
		"TORVE_DSN=" + g.dsn,
	}, more...)
}

// mostOfRun is how long one program of a test may take.
const mostOfRun = 10 * time.Minute

// command is a program in the repository, in the ground's environment; more is added to it.
func (g *ground) command(more []string, argv ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(g.t.Context(), mostOfRun)
	g.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = g.dir, g.env(more...)
	return cmd
}

// ran is how a program ended: what it said, its exit code, -1 for a signal's.
type ran struct {
	argv []string
	out  string
	code int
}

func (r ran) String() string { return fmt.Sprintf("%v exited %d:\n%s", r.argv, r.code, r.out) }

// run runs a program to its end.
func (g *ground) run(more []string, argv ...string) ran {
	g.t.Helper()
	out, err := g.command(more, argv...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		g.t.Fatalf("%v: %v", argv, err)
	}
	code := 0
	if exit != nil {
		code = exit.ExitCode()
	}
	return ran{argv, string(out), code}
}

// begin starts a run of torve, and comes back when its agent has begun.
func (g *ground) begin(argv ...string) {
	g.t.Helper()
	cmd := g.command(nil, argv...)
	g.check(cmd.Start())
	g.begun = func() error {
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) {
			return err
		}
		return nil
	}
	for range 3000 {
		if strings.Contains(g.read("home/starts"), "T-0001") && len(g.left()) > 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	g.t.Fatal("its agent does not begin")
}

// must runs a program that is to exit 0 and gives what it said.
func (g *ground) must(argv ...string) string {
	g.t.Helper()
	r := g.run(nil, argv...)
	if r.code != 0 {
		g.t.Fatal(r)
	}
	return strings.TrimRight(r.out, "\n")
}

func (g *ground) git(args ...string) string {
	g.t.Helper()
	return g.must(append([]string{"git"}, args...)...)
}

// verb runs torve to its end.
func (g *ground) verb(args ...string) ran {
	g.t.Helper()
	return g.run(nil, append([]string{g.torve}, args...)...)
}

// left are the processes that the agents left behind and that still run, by attempt.
func (g *ground) left() map[string]int {
	g.t.Helper()
	entries, err := os.ReadDir(filepath.Join(g.home, "left"))
	g.check(err)
	running := map[string]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(strings.TrimSpace(g.read("home/left/" + e.Name())))
		if err == nil && runs(pid) {
			running[e.Name()] = pid
		}
	}
	return running
}

// runs reports whether a process is there and no zombie.
func runs(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// sweep ends what a failed test left running: whoever has the ground's home for its own.
func (g *ground) sweep() {
	for range 100 {
		found := 0
		all, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range all {
			env, err := os.ReadFile(file)
			if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "HOME="+g.home) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && runs(pid) {
				found++
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if found == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
