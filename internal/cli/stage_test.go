package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/git/gittest"
)

// stage is a scratch repository in which verbs are typed as a person types them, with
// real git, a real record and agents that are small shell scripts.
type stage struct {
	*gittest.Repo
	t testing.TB
}

// ran is what a command came to.
type ran struct {
	code     int
	out, err string
}

// programs are all that is on the PATH here, so that no agent of the machine is found.
var programs = strings.Fields("git sh cat echo grep sed mkdir rm test true false sleep env cp touch cut dirname head tail tr wc sort ls")

// empty is a repository without torve and with one commit.
func empty(t *testing.T) *stage {
	t.Helper()
	s := &stage{Repo: gittest.New(t), t: t}
	bin := t.TempDir()
	for _, name := range programs {
		if full, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(full, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, value := range map[string]string{
		"PATH": bin, "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "", "LC_CTYPE": "", "NO_COLOR": "",
		"TORVE_PARTITION": "", "TORVE_DSN": "", "VISUAL": "", "EDITOR": "", "TORVE_REPORT": "",
	} {
		t.Setenv(name, value)
	}
	s.Write("README.md", "a shop\n")
	s.Commit("A shop")
	return s
}

// shop is a repository with torve set up; its agents are plays: each does what the test
// wrote for the task, and for its attempt where there is such a play.
func shop(t *testing.T, more ...string) *stage {
	t.Helper()
	s := empty(t)
	agent := filepath.Join(t.TempDir(), "agent.sh")
	plays := filepath.Dir(agent)
	script := fmt.Sprintf("for p in %[1]s/$TORVE_TASK.$TORVE_ATTEMPT %[1]s/$TORVE_TASK; do\n\tif test -f $p; then exec sh -e $p; fi\ndone\n", plays)
	if err := os.WriteFile(agent, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLAYS", plays)
	s.Write("orders/list", "tea\n")
	s.Write("check.sh", "test -f orders/list\n")
	s.Write(".torve/.gitignore", torveIgnore)
	s.Write(configFile, strings.Join(append([]string{
		"schema: torve/config/v1", "target: main", "record: {partition: acme/shop}", `acceptance: ["sh check.sh"]`,
		"agent: {default: mine}", fmt.Sprintf("agents: {mine: {adapter: command, run: [sh, %s]}}", agent),
		"dispatch: {workers: 1}",
	}, more...), "\n")+"\n")
	s.Commit("Set torve up")
	return s
}

// plays writes what the agent does for a task, or for one attempt at it.
func (s *stage) plays(task, script string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(os.Getenv("PLAYS"), task), []byte(script), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// torve types a command in the repository.
func (s *stage) torve(args ...string) ran { return s.at(s.Dir, args...) }

// at types a command in another folder.
func (s *stage) at(dir string, args ...string) ran {
	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &errs, now: noon, env: os.Getenv}
	code := a.run(s.t.Context(), append([]string{"-C", dir}, args...))
	return ran{code, out.String(), errs.String()}
}

var began = time.Now()

// noon is today's, and the time since the tests began: no night falls between two screens.
func noon() time.Time {
	return began.UTC().Truncate(24 * time.Hour).Add(12 * time.Hour).Add(time.Since(began))
}

// ends types a command and asks for its exit code.
func (s *stage) ends(code int, args ...string) ran {
	s.t.Helper()
	r := s.torve(args...)
	if r.code != code {
		s.t.Fatalf("torve %s ended with %d, and %d was expected\n%s%s", strings.Join(args, " "), r.code, code, r.out, r.err)
	}
	return r
}

// masks take out what differs from run to run.
var masks = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`"seconds": [0-9.e-]+`), `"seconds": 0.1`},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "DIGEST"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "OBJECT"},
	{regexp.MustCompile(`\b[0-9a-f]{7}\b`), "abcdef0"},
	{regexp.MustCompile(`\b\d{8}T\d{6}Z\b`), "STAMP"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} \d\d:\d\d\b`), "2 Dec 21:40"},
	{regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2} \d{4}\b`), "2 Dec 2026"},
	{regexp.MustCompile(`\b\d\d:\d\d\b`), "21:40"},
	{regexp.MustCompile(`<?\b\d+\.\d s\b|\b\d+ s\b`), "0.1 s"},
	{regexp.MustCompile(`/[^ "']*/(agent\.sh|worktrees?)\b`), "/$1"},
	{regexp.MustCompile(`"worktree": "[^"]+"`), `"worktree": "DIR"`},
	{regexp.MustCompile(`\b(go1|torve)[. ][0-9]+\.[0-9.]+[^,\n]*`), "$1"},
}

func masked(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "DIR")
	for _, m := range masks {
		text = m.find.ReplaceAllString(text, m.put)
	}
	return text
}

// shows types commands, each after "$ ", and compares all that they print with a golden
// file. No line is wider than 80 columns but for a command to paste.
func (s *stage) shows(name string, commands ...[]string) {
	s.t.Helper()
	var b strings.Builder
	for _, c := range commands {
		r := s.torve(c...)
		fmt.Fprintf(&b, "$ torve %s\n%s%s", typedAs(c), r.out, r.err)
		if r.code != 0 {
			fmt.Fprintf(&b, "[%d]\n", r.code)
		}
		b.WriteString("\n")
	}
	s.golden(name+".txt", b.String())
}

func typedAs(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = board.Quoted(a)
	}
	return strings.Join(quoted, " ")
}

// golden compares with a file of testdata; -update writes it.
func (s *stage) golden(name, got string) {
	s.t.Helper()
	s.verbatim(name, masked(got, s.Dir))
}

// verbatim is golden for what is the same in every run.
func (s *stage) verbatim(name, got string) {
	s.t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != string(want) {
		s.t.Errorf("%s is another (-update writes it): %s", name, differ(got, string(want)))
	}
	if strings.HasSuffix(name, ".txt") {
		s.narrow(name, got)
	}
}

var pasted = regexp.MustCompile(`^\$ |→ |^next: |^torve: |^      (git|torve|chmod|rm|find) `)

func (s *stage) narrow(name, text string) {
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 && !pasted.MatchString(line) {
			s.t.Errorf("%s: %d columns: %s", name, n, line)
		}
	}
}

// differ shows the first line that is another, and what stands above it.
func differ(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			was := "(nothing)"
			if i < len(w) {
				was = w[i]
			}
			return fmt.Sprintf("line %d, below\n%s\nprinted\n%s\nexpected\n%s", i+1, strings.Join(g[max(0, i-3):i], "\n"), g[i], was)
		}
	}
	return fmt.Sprintf("it ends after %d lines of %d", len(g), len(w))
}

// nights is where the one night that most tests read is kept, made by the first that asks
// for it; each has a copy of its own.
var nights string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "cli")
	if err != nil {
		panic(err)
	}
	nights = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// dispatched is the night, when its dispatch has ended.
func dispatched(t *testing.T) *stage {
	t.Helper()
	kept := filepath.Join(nights, "shop")
	if _, err := os.Stat(kept); err != nil {
		s := night(t)
		s.ends(2, "dispatch")
		if err := os.CopyFS(kept, os.DirFS(s.Dir)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := empty(t)
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.Dir, os.DirFS(kept)); err != nil {
		t.Fatal(err)
	}
	return s
}

func words(s string) []string { return strings.Fields(s) }
