package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"torve/internal/cli"
	"torve/internal/record/postgres/pgtest"
)

// TestMain makes the test binary stand in for torve and for a fake agent, so that the
// scripts run the real program as its own process.
func TestMain(m *testing.M) {
	testscript.Main(pgtest.Main(sweeping{m}), map[string]func(){
		"torve":     func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"fakeagent": func() { os.Exit(play()) },
	})
}

// play is the fake agent: it runs, in the worktree that it was started in, the play that
// the script wrote for this attempt: ~/plays/<task>.<attempt>, else ~/plays/<task>.
func play() int {
	home, task, n := os.Getenv("HOME"), os.Getenv("TORVE_TASK"), os.Getenv("TORVE_ATTEMPT")
	for _, name := range []string{task + "." + n, task} {
		file := filepath.Join(home, "plays", name)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		cmd := exec.Command("/bin/sh", "-e", file)
		if _, err := os.Stat(filepath.Join(home, "lib")); err == nil {
			cmd = exec.Command("/bin/sh", "-e", "-c", `. "$HOME/lib"; . "$0"`, file)
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Println("fakeagent:", err)
			return 1
		}
		return 0
	}
	fmt.Printf("fakeagent: no play for %s, attempt %s\n", task, n)
	return 1
}

func TestScripts(t *testing.T) { testscript.Run(t, params(t, scripts, nil)) }

// params are how the scripts of a folder run: with the record embedded, or in a database of
// a server.
func params(t *testing.T, dir string, server *pgtest.Cluster) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup:               func(e *testscript.Env) error { return setup(e, server) },
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "" && server == nil,
		Condition:           func(name string) (bool, error) { return condition(name, server) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shop":     shop,
			"exits":    exits,
			"field":    field,
			"says":     says,
			"events":   events,
			"ledger":   ledger,
			"forget":   forget,
			"database": database(t),
			"bg-until": bgUntil,
			"ended":    ended,
			"start":    start,
			"signal":   signal,
			"finish":   finish,
			"nobody":   asNobody,
			"waitfor":  waitFor,
			"liars":    liars,
			"told":     told,
		},
	}
}

// setup gives each script a home of its own; nothing of the machine's configuration is seen.
func setup(e *testscript.Env, server *pgtest.Cluster) error {
	e.Values[storeKey{}] = &onStore{server: server}
	e.Values[runsKey{}] = map[string]*started{}
	e.Values[liarsKey{}] = map[string]*stage{}
	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(filepath.Join(home, "plays"), 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	e.Setenv("HOME", home)
	e.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	e.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	e.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	e.Setenv("TZ", "UTC")
	e.Setenv("LANG", "C.UTF-8")
	if server == nil {
		return nil
	}
	dsn, err := inSchema(context.Background(), server)
	e.Setenv("TORVE_DSN", dsn)
	return err
}

// condition knows root (the script runs as root), tmpfs (a small one can be mounted), uts
// (a program may be given a host name of its own), server (a PostgreSQL server can be had) and
// postgres (the record of this run is on one).
func condition(name string, server *pgtest.Cluster) (bool, error) {
	switch name {
	case "server":
		return pgtest.Found() == nil, nil
	case "postgres":
		return server != nil, nil
	case "root":
		return os.Geteuid() == 0, nil
	case "uts":
		return os.Geteuid() == 0 && exec.Command("unshare", "--uts", "true").Run() == nil, nil
	case "tmpfs":
		return os.Geteuid() == 0 && canMount(), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func canMount() bool {
	dir, err := os.MkdirTemp("", "torve-tmpfs-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	return syscall.Unmount(dir, 0) == nil
}

// shop DIR makes a repository with a shop in shell, its tests, and torve's settings
// with the fake agent, committed on main. More settings are appended from a file.
func shop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: shop dir [more-settings]")
	}
	dir := ts.MkAbs(args[0])
	files := map[string]string{
		"orders/get.sh":   "get() { grep \"^$1 \" \"$here/orders/list.txt\" | cut -d' ' -f2-; }\n",
		"orders/list.txt": "1 tea\n2 bread\n",
		"shop":            "#!/bin/sh\nhere=$(dirname \"$0\")\n. \"$here/orders/get.sh\"\n\"$@\"\n",
		"tests/get.sh":    "[ \"$(./shop get 2)\" = bread ]\n",
		"test.sh":         "#!/bin/sh\nfor t in tests/*.sh; do sh \"$t\" || { echo \"FAIL $t\"; exit 1; }; done\necho ok\n",
		"docs/a.md":       "# A\n",
		".torve/config.yaml": "schema: torve/config/v1\ntarget: main\nrecord: {partition: " + partition(ts) + "}\nacceptance: [\"sh test.sh\"]\n" +
			"agent: {default: fake}\nagents: {fake: {adapter: command, run: [fakeagent]}}\n",
		".torve/.gitignore": "telemetry.jsonl\nfeedback.jsonl\nfindings.jsonl\nschemas/\n",
	}
	if len(args) == 2 {
		files[".torve/config.yaml"] += ts.ReadFile(args[1])
	}
	for name, text := range files {
		full := filepath.Join(dir, name)
		ts.Check(os.MkdirAll(filepath.Dir(full), 0o755))
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		ts.Check(os.WriteFile(full, []byte(text), mode))
	}
	for _, a := range [][]string{{"init", "-q", "-b", "main", dir}, {"-C", dir, "add", "-A"}, {"-C", dir, "commit", "-q", "-m", "A small shop"}} {
		ts.Check(ts.Exec("git", a...))
	}
}

// asNobody runs a command as an unprivileged user, where permissions mean something.
func asNobody(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: nobody command args...")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), environ(ts)
	if os.Geteuid() == 0 {
		openUp(ts)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	ts.Logf("%s", out)
	ts.Check(os.WriteFile(ts.MkAbs("nobody.out"), out, 0o644))
	if (err != nil) != neg {
		ts.Fatalf("%v: %v", args, err)
	}
}

// openUp lets everyone pass through the script's own temporary folders.
func openUp(ts *testscript.TestScript) {
	bin := strings.SplitN(ts.Getenv("PATH"), string(os.PathListSeparator), 2)[0]
	for _, dir := range []string{ts.Getenv("WORK"), bin} {
		for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
			st, err := os.Stat(dir)
			ts.Check(err)
			ts.Check(os.Chmod(dir, st.Mode().Perm()|0o555))
		}
	}
}

func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "TZ", "LANG", "TMPDIR", "TORVE_DSN"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}
