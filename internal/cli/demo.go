package cli

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"torve/internal/contract"
	"torve/internal/git"
)

//go:embed all:demo
var demoFiles embed.FS

func (a *app) demoCmd() *cobra.Command {
	var keep string
	c := &cobra.Command{
		Use:   "demo",
		Short: "the whole story in a scratch repository, offline",
		Args:  noArgs("demo"),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.runDemo(c.Context(), keep)
		},
	}
	c.Flags().StringVar(&keep, "keep", "", "make the repository in a new folder `DIR` and leave it there")
	return c
}

// demo tells the story of four contracts. It types what a person would type, and asks
// after each chapter whether the story went as written.
type demo struct {
	a         *app
	ctx       context.Context
	dir, repo string
	shop      *git.Repo
	attempts  int // that the board counts
}

func (a *app) runDemo(ctx context.Context, keep string) error {
	began := a.now()
	d := &demo{a: a, ctx: ctx}
	if err := d.place(keep); err != nil {
		return broken("making the demo's folder", "", err)
	}
	if keep == "" {
		defer os.RemoveAll(d.dir)
	}
	for _, chapter := range []func() error{d.start, d.ask, d.night, d.morning, d.answer, d.afterwards} {
		if err := chapter(); err != nil {
			return doing("demo", err)
		}
	}
	d.finish(keep, a.now().Sub(began))
	return nil
}

func (d *demo) place(keep string) error {
	if keep == "" {
		dir, err := os.MkdirTemp("", "torve-demo-")
		d.dir = dir
		return err
	}
	dir, err := filepath.Abs(keep)
	if err != nil {
		return err
	}
	if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
		return usage("demo", "torve demo --keep a-new-folder", "%s is there and not empty", keep)
	}
	d.dir = dir
	return os.MkdirAll(dir, 0o755)
}

// start makes a small shop and its settings.
func (d *demo) start() error {
	d.tell("A scratch repository: a shop in a few lines of shell, with two tests.",
		"No network, no model: the agent here replays patches that were recorded.")
	d.repo = filepath.Join(d.dir, "shop")
	if err := d.unpack("demo/shop", d.repo); err != nil {
		return err
	}
	if err := d.unpack("demo/patches", filepath.Join(d.dir, "patches")); err != nil {
		return err
	}
	if err := git.Init(d.ctx, d.repo, "main"); err != nil {
		return err
	}
	shop, err := git.Open(d.ctx, d.repo)
	if err != nil {
		return err
	}
	d.shop = shop
	// The scratch repository owes nothing to the person's own settings.
	settings := [][]string{{"commit.gpgSign", "false"}, {"core.hooksPath", "/dev/null"}, {"core.autocrlf", "false"}}
	if _, err := shop.Identity(d.ctx); err != nil {
		settings = append(settings, []string{"user.name", "you"}, []string{"user.email", "you@example.com"})
	}
	for _, kv := range settings {
		if _, err := shop.Run(d.ctx, "config", kv[0], kv[1]); err != nil {
			return err
		}
	}
	if err := d.git("add", "-A"); err != nil {
		return err
	}
	if err := d.git("commit", "-q", "-m", "A small shop"); err != nil {
		return err
	}
	return d.configure()
}

func (d *demo) configure() error {
	text := strings.Join([]string{
		"schema: " + configSchema,
		"record: {partition: demo/shop}",
		`acceptance: ["sh test.sh"]`,
		"agent: {default: replay}",
		"agents: {replay: {adapter: replay, patches: ../patches}}",
		"worktree: {root: ../worktrees}", "",
	}, "\n")
	if err := os.MkdirAll(filepath.Join(d.repo, ".torve"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.repo, configFile), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.repo, ".torve", ".gitignore"), []byte(torveIgnore), 0o644)
}

// wishes are the demo's four contracts.
var wishes = []struct {
	draft
	intent string
}{
	{draft{
		title: "Answer 404 for an unknown order",
		allow: []string{"orders/**", "tests/unknown*"}, accept: []string{"./shop get 9 | grep -q 404"},
	}, "shop get ID prints nothing for an id that is not there.\nIt must print 404, so that a caller can tell.\n"},
	{draft{
		title: "Say which order was not found", depends: []string{"T-0001"},
		allow: []string{"orders/**", "tests/unknown*"}, accept: []string{"./shop get 9 | grep -q 9"},
	}, "The 404 must name the id that was asked for.\n"},
	{draft{
		title: "Rename the basket to cart",
		allow: []string{"basket/**", "cart/**", "shop"}, accept: []string{"./shop cart || test ! -d cart"},
	}, "Everyone says cart. The code should too.\n"},
	{draft{
		title: "Check the postal code",
		allow: []string{"post/**", "tests/check.sh", "shop"}, accept: []string{`test "$(./shop check 12345)" = ok`},
	}, "shop check ZIP says ok for five digits, and says so when it is not.\n"},
}

// ask writes and commits the four contracts.
func (d *demo) ask() error {
	d.tell("Four wishes, each a file that says what is wanted and where work may touch.",
		"The second waits for the first. The third forgets a file, as people do.")
	for i, w := range wishes {
		c := w.contract(fmt.Sprintf("T-%04d", i+1))
		c.Intent = w.intent
		file := filepath.Join(d.repo, contract.PathOf(c.ID))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, contract.Render(c), 0o644); err != nil {
			return err
		}
	}
	third, err := os.ReadFile(filepath.Join(d.repo, contract.PathOf("T-0003")))
	if err != nil {
		return err
	}
	d.show("cat " + contract.PathOf("T-0003"))
	d.lines(strings.Split(strings.TrimSpace(string(third)), "\n")...)
	d.show(`git add .torve && git commit -qm "Ask for four things"`)
	if err := d.git("add", ".torve"); err != nil {
		return err
	}
	return d.git("commit", "-q", "-m", "Ask for four things")
}

// night is one dispatch: a repair, a refusal, and a dependent that starts by itself.
func (d *demo) night() error {
	d.tell("One command runs the agents, asks six questions of each attempt, and lands on",
		"main what passes. Watch T-0001 fail its test once, and T-0003 leave its scope.")
	if err := d.torve(NeedsPerson, "dispatch"); err != nil {
		return err
	}
	return d.asWritten(map[string]stands{"T-0001": {"landed", 2}, "T-0002": {"landed", 1}, "T-0003": {"escalated", 1}, "T-0004": {"landed", 1}})
}

func (d *demo) morning() error {
	d.tell("The morning after: what needs you comes first, with the command for it.")
	if err := d.torve(Done, "status"); err != nil {
		return err
	}
	return d.torve(Done, "why", "T-0003")
}

func (d *demo) answer() error {
	d.tell("The receipt says basket too: the scope was too narrow. Let that file in. The",
		"kept work is asked again, and no agent is paid a second time.")
	if err := d.torve(Done, "widen", "T-0003", "mail/receipt.sh", "--yes"); err != nil {
		return err
	}
	if err := d.torve(Done, "dispatch"); err != nil {
		return err
	}
	return d.asWritten(map[string]stands{"T-0001": {"landed", 2}, "T-0002": {"landed", 1}, "T-0003": {"landed", 1}, "T-0004": {"landed", 1}})
}

// afterwards asks a fresh clone, which has no record, why a line is there.
func (d *demo) afterwards() error {
	d.tell("Months later, in a fresh clone with no database: why is this line there?")
	fresh := filepath.Join(d.dir, "fresh")
	d.show("git clone -q shop fresh && cd fresh")
	if _, err := d.shop.Run(d.ctx, "clone", "-q", d.repo, fresh); err != nil {
		return err
	}
	d.repo = fresh
	if err := d.torve(Done, "why", "orders/get.sh:4"); err != nil {
		return err
	}
	return d.torve(Done, "landings")
}

func (d *demo) finish(keep string, took time.Duration) {
	d.a.say("\nThe story went as written, in %.1f s: %d tasks landed after %d attempts.", took.Seconds(), len(wishes), d.attempts)
	if keep != "" {
		d.a.say("It is in %s: cd %s && torve status", keep, filepath.Join(keep, "shop"))
	} else {
		d.a.say("Look around in it: torve demo --keep DIR")
	}
	d.a.say("next: cd your-repository && torve init")
}

// torve runs one verb as a person would, and asks that it ended as the story has it.
func (d *demo) torve(want Outcome, args ...string) error {
	d.show("torve " + strings.TrimSuffix(strings.Join(args, " "), " --yes"))
	if got := d.verb(d.a.out, args...); got != want.Code() {
		return fmt.Errorf("torve %s exited %d, and the story says %d", args[0], got, want.Code())
	}
	return nil
}

func (d *demo) verb(out io.Writer, args ...string) int {
	inner := &app{in: strings.NewReader(""), out: out, err: d.a.err, now: d.a.now, env: d.env}
	return inner.run(d.ctx, append([]string{"-C", d.repo}, args...))
}

// env keeps the demo's caches in its own folder, and the person's partition out of it.
func (d *demo) env(name string) string {
	switch name {
	case "XDG_CACHE_HOME", "XDG_STATE_HOME":
		return filepath.Join(d.dir, "cache")
	case "TORVE_PARTITION", "TORVE_DSN":
		return ""
	}
	return d.a.env(name)
}

// stands is where the story has a task: its state and its attempts.
type stands struct {
	state    string
	attempts int
}

// asWritten asks status whether each task stands where the story has it.
func (d *demo) asWritten(want map[string]stands) error {
	var out bytes.Buffer
	if code := d.verb(&out, "status", "--json"); code != 0 {
		return fmt.Errorf("torve status --json exited %d", code)
	}
	var doc struct {
		Tasks []struct {
			ID, State string
			Attempts  int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		return err
	}
	var wrong []error
	d.attempts = 0
	for _, t := range doc.Tasks {
		d.attempts += t.Attempts
		if w := want[t.ID]; w != (stands{t.State, t.Attempts}) {
			wrong = append(wrong, fmt.Errorf("%s is %s after %d attempts, and the story says %s after %d", t.ID, t.State, t.Attempts, w.state, w.attempts))
		}
	}
	if len(doc.Tasks) != len(want) {
		wrong = append(wrong, fmt.Errorf("there are %d tasks, and the story has %d", len(doc.Tasks), len(want)))
	}
	return errors.Join(wrong...)
}

func (d *demo) tell(lines ...string) {
	d.a.say("")
	for _, l := range lines {
		d.a.say("# %s", l)
	}
}

func (d *demo) show(command string) { d.a.say("\n$ %s", command) }

func (d *demo) lines(lines ...string) {
	for _, l := range lines {
		d.a.say("%s", l)
	}
}

func (d *demo) git(args ...string) error {
	_, err := d.shop.Run(d.ctx, args...)
	return err
}

// unpack writes embedded files; the scripts among them can be run.
func (d *demo) unpack(from, to string) error {
	return fs.WalkDir(demoFiles, from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		full := filepath.Join(to, strings.TrimPrefix(path, from))
		if e.IsDir() {
			return os.MkdirAll(full, 0o755)
		}
		data, err := demoFiles.ReadFile(path)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if bytes.HasPrefix(data, []byte("#!")) {
			mode = 0o755
		}
		return os.WriteFile(full, data, mode)
	})
}
