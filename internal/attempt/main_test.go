package attempt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is also the fake agent: the test binary, started as one, does what its
// arguments say in the folder that it stands in.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "fake-agent" {
		os.Exit(fakeAgent(os.Args[2:]))
	}
	home, err := os.MkdirTemp("", "torve-attempt-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := 1
	if err = apart(home); err == nil {
		code = m.Run()
	}
	if err = errors.Join(err, os.RemoveAll(home)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// apart keeps the tests from whatever the machine's own git configuration says. One
// home for all of them lets them run side by side.
func apart(home string) error {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"), "GIT_CONFIG_NOSYSTEM": "1", "SHOP_TOKEN": "hunter2hunter2",
		"SHOP_VARIABLE": "leak",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	config := "[user]\n\tname = torve test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[core]\n\tfsync = none\n"
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644)
}

// fakeAgent does one step after the other: "verb", "verb:a" or "verb:a:b".
func fakeAgent(steps []string) int {
	for _, step := range steps {
		verb, rest, _ := strings.Cut(step, ":")
		a, b, _ := strings.Cut(rest, ":")
		code, over, err := fakeStep(verb, a, b)
		if err != nil {
			fmt.Fprintln(os.Stderr, "fake agent:", step, err)
			return 99
		}
		if over {
			return code
		}
	}
	return 0
}

func fakeStep(verb, a, b string) (code int, over bool, err error) {
	switch verb {
	case "write":
		err = fakeWrite(a, b, os.O_TRUNC)
	case "append":
		err = fakeWrite(a, b, os.O_APPEND)
	case "remove":
		err = os.RemoveAll(a)
	case "link":
		err = os.Symlink(b, a)
	case "git":
		var out []byte
		if out, err = exec.Command("git", strings.Split(a, " ")...).CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	case "sh":
		var out []byte
		if out, err = exec.Command("/bin/sh", "-c", strings.TrimSuffix(a+":"+b, ":")).CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	case "report":
		err = os.WriteFile(os.Getenv("TORVE_REPORT"), []byte(strings.TrimSuffix(a+":"+b, ":")), 0o644)
	case "note":
		err = fakeWrite(filepath.Join(filepath.Dir(os.Getenv("TORVE_REPORT")), SpoolName), a+":"+b+"\n", os.O_APPEND)
	case "prompt":
		var text []byte
		if text, err = os.ReadFile(os.Getenv("TORVE_PROMPT_FILE")); err == nil {
			err = os.WriteFile(a, text, 0o644)
		}
	case "say":
		fmt.Println(a)
	case "flood":
		n, _ := strconv.Atoi(a)
		for range n {
			fmt.Println(strings.Repeat("x", 1023))
		}
	case "away": // a grandchild that leaves the group and the session
		err = fakeAway(a)
	case "hang":
		time.Sleep(time.Hour)
	case "exit":
		code, _ = strconv.Atoi(a)
		return code, true, nil
	default:
		err = fmt.Errorf("no such step")
	}
	return 0, false, err
}

func fakeWrite(name, text string, how int) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|how, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(strings.ReplaceAll(text, `\n`, "\n")); err != nil {
		return err
	}
	return f.Close()
}

func fakeAway(pidFile string) error {
	c := exec.Command("sleep", "600")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return err
	}
	return os.WriteFile(pidFile, []byte(strconv.Itoa(c.Process.Pid)), 0o644)
}
