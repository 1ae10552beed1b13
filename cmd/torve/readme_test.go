package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The README's sessions are run as they stand: each line after "$ " is typed, and what
// it prints is compared with what the page shows, hashes and times apart. The agent is
// a program named claude that answers as the real one does; it is the only thing that
// is not what a reader would have. README_UPDATE=1 writes what was printed back.

const readme = "../../README.md"

type typed struct {
	command string
	shown   []string
	at      int // line of the command, from 0
}

func TestTheReadmesSessionsRunToTheLetter(t *testing.T) {
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(page), "\n")
	session := sessions(lines)
	if len(session) < 5 {
		t.Fatalf("%d commands in the README", len(session))
	}
	sh := newReader(t)
	var out []string
	last := 0
	for _, c := range session {
		got := sh.run(t, c.command)
		want := strings.Join(c.shown, "\n")
		if os.Getenv("README_UPDATE") == "" && masked(got) != masked(want) {
			t.Errorf("README.md:%d: $ %s\nprints\n%s\nand the page shows\n%s", c.at+1, c.command, got, want)
		}
		out = append(out, lines[last:c.at+1]...)
		for _, l := range strings.Split(got, "\n") {
			if got != "" {
				out = append(out, strings.TrimRight("    "+l, " "))
			}
		}
		last = c.at + 1 + len(c.shown)
	}
	if os.Getenv("README_UPDATE") != "" {
		out = append(out, lines[last:]...)
		if err := os.WriteFile(readme, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sessions finds what is typed: an indented "$ " line, with the "> " lines that go on with
// it, and the indented lines below it up to the next, or to text.
func sessions(lines []string) []typed {
	var all []typed
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ ")
		if !ok {
			continue
		}
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    > ") {
			i++
			command += "\n" + strings.TrimPrefix(lines[i], "    > ")
		}
		c := typed{command: command, at: i}
		for _, l := range lines[i+1:] {
			if l != "" && !strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "    $ ") {
				break
			}
			c.shown = append(c.shown, strings.TrimPrefix(l, "    "))
		}
		for n := len(c.shown); n > 0 && c.shown[n-1] == ""; n-- {
			c.shown = c.shown[:n-1]
		}
		all = append(all, c)
	}
	return all
}

var masks = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`\b[0-9a-f]{7}\b`), "HASH"},
	{regexp.MustCompile(`<?\b[0-9.]+ (s|min)\b`), "TIME"},
	{regexp.MustCompile(`\b\d\d:\d\d\b`), "CLOCK"},
	{regexp.MustCompile(`\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d{4})?\b`), "DAY"},
	{regexp.MustCompile(`[ \t]+`), " "},
	{regexp.MustCompile(`(?m) $`), ""},
}

func masked(s string) string {
	for _, m := range masks {
		s = m.find.ReplaceAllString(s, m.put)
	}
	return s
}

// reader is somebody who follows the README in a repository of their own.
type reader struct{ dir, bin string }

func newReader(t *testing.T) *reader {
	home, cache := t.TempDir(), goCache(t)
	for name, value := range map[string]string{
		"HOME": home, "XDG_STATE_HOME": home + "/state", "XDG_CACHE_HOME": home + "/cache", "XDG_CONFIG_HOME": home + "/config",
		"GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "", "EDITOR": "true", "VISUAL": "",
	} {
		t.Setenv(name, value)
	}
	r := &reader{dir: filepath.Join(home, "shop"), bin: filepath.Join(home, "bin")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = You\n\temail = you@example.com\n[init]\n\tdefaultBranch = main\n", 0o644)
	write(t, filepath.Join(r.bin, "claude"), fakeClaude, 0o755)
	if err := os.Symlink(self, filepath.Join(r.bin, "torve")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", r.bin+":"+os.Getenv("PATH"))
	write(t, filepath.Join(r.dir, "go.mod"), "module shop\n\ngo 1.21\n", 0o644)
	write(t, filepath.Join(r.dir, "orders/get.go"), ordersGo, 0o644)
	write(t, filepath.Join(r.dir, "orders/get_test.go"), ordersTest, 0o644)
	r.run(t, "git init -q && git add -A && git commit -qm 'A small shop'")
	warm(t, r.dir, home+"/cache", cache)
	return r
}

func goCache(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// warm lets the caches that torve keeps for a repository be this machine's own, so
// that the standard library is not compiled anew for a page of text.
func warm(t *testing.T, repo, caches, cache string) {
	common, err := filepath.EvalSymlinks(filepath.Join(repo, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(common))
	dir := filepath.Join(caches, "torve", filepath.Base(repo)+"-"+hex.EncodeToString(sum[:])[:8])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(cache, filepath.Join(dir, "go-build")); err != nil {
		t.Fatal(err)
	}
}

// run types one command and gives what a terminal would show; a cd stays in force.
func (r *reader) run(t *testing.T, command string) string {
	t.Helper()
	pwd := filepath.Join(r.bin, "pwd")
	cmd := exec.Command("/bin/sh", "-c", "{ "+command+"\n}; echo $? > "+pwd+".exit; pwd > "+pwd)
	cmd.Dir = r.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("$ %s: %v\n%s", command, err, out.String())
	}
	at, err := os.ReadFile(pwd)
	if err != nil {
		t.Fatal(err)
	}
	r.dir = strings.TrimSpace(string(at))
	if exit, _ := os.ReadFile(pwd + ".exit"); strings.TrimSpace(string(exit)) != "0" {
		t.Errorf("$ %s exited %s\n%s", command, strings.TrimSpace(string(exit)), out.String())
	}
	return strings.TrimRight(out.String(), "\n")
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// fakeClaude prints what claude 2.1 prints, and writes the work of a model that gets
// it right the second time.
const fakeClaude = `#!/bin/sh
case "$*" in *--version*) echo "2.1.197 (Claude Code)"; exit 0 ;; esac
if grep -q 404 orders/get.go; then
	sed -i 's/return "", 200/return "", 404/' orders/get.go
else
	sed -i 's/return "", 0/return "", 200 \/\/ 404?/' orders/get.go
	cat >> orders/get_test.go <<'X'

func TestUnknown(t *testing.T) {
	if _, status := Get("9"); status != 404 {
		t.Errorf("an unknown order answers %d", status)
	}
}
X
fi
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"done","session_id":"5f0c0e0e-0000-4000-8000-000000000001","total_cost_usd":0.205,"usage":{"input_tokens":4100,"output_tokens":310,"cache_read_input_tokens":0},"permission_denials":[]}'
`

const ordersGo = `// Package orders answers for the shop's orders.
package orders

var orders = map[string]string{"1": "tea", "2": "bread"}

// Get gives an order and its HTTP status.
func Get(id string) (string, int) {
	if o, ok := orders[id]; ok {
		return o, 200
	}
	return "", 0
}
`

const ordersTest = `package orders

import "testing"

func TestGet(t *testing.T) {
	if o, status := Get("2"); o != "bread" || status != 200 {
		t.Errorf("%q %d", o, status)
	}
}
`
