package attempt

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"torve/internal/agent"
	"torve/internal/board"
	"torve/internal/contract"
	"torve/internal/gate"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/sqlite"
)

// world is a scratch repository with a record and a station that works in it.
type world struct {
	t     testing.TB
	repo  *gittest.Repo
	git   *git.Repo
	log   record.Log
	s     *Station
	notes *notes
	clock *clock
	claim string
}

// notes are what people were told.
type notes struct {
	mu  sync.Mutex
	all []Note
}

func (n *notes) add(note Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, note)
}

func (n *notes) said(kind, part string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.all, func(x Note) bool { return x.Kind == kind && strings.Contains(x.Text, part) })
}

func (n *notes) count(kind string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := 0
	for _, x := range n.all {
		if x.Kind == kind {
			c++
		}
	}
	return c
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Second)
	return c.at
}

const partition = record.Partition("acme/shop")

// template is a repository with a few files and one commit, made once and copied.
var template = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(os.Getenv("HOME"), "template-")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{"a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n", ".gitignore": "*.log\n.env\ndeps/\n"} {
		if err := fakeWrite(filepath.Join(dir, name), text, os.O_TRUNC); err != nil {
			return "", err
		}
	}
	r := gittest.At(nil, dir)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "First"}} {
		if out, err := r.Try(args...); err != nil {
			return "", fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return dir, nil
})

// seed is a scratch repository of its own: a.txt, src/b.txt and a .gitignore.
func seed(t *testing.T) *gittest.Repo {
	t.Helper()
	t.Parallel()
	return seedOf(t)
}

// seedOf is seed for a test that changes the environment.
func seedOf(t testing.TB) *gittest.Repo {
	t.Helper()
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return gittest.At(t, dir)
}

// newWorld is a scratch repository with nothing configured.
func newWorld(t *testing.T) *world {
	t.Helper()
	return worldOf(t, seed(t))
}

func worldOf(t testing.TB, repo *gittest.Repo) *world {
	t.Helper()
	ctx := t.Context()
	g, err := git.Open(ctx, repo.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	log, err := sqlite.Open(ctx, filepath.Join(g.Common, "torve", "record.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	w := &world{t: t, repo: repo, git: g, log: log, notes: &notes{}, clock: &clock{at: time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)}}
	w.s = &Station{
		Repo: g, Log: log, Partition: partition, Host: "here", Now: w.clock.now, Note: w.notes.add,
		Settings: Settings{
			Root: filepath.Join(t.TempDir(), "rooms"), States: filepath.Join(repo.Dir, ".wt"),
			Caches: filepath.Join(t.TempDir(), "caches"), Target: "main",
			Telemetry:  filepath.Join(t.TempDir(), "telemetry.jsonl"),
			SetupLimit: 20 * time.Second, AcceptanceLimit: 20 * time.Second, Idle: 20 * time.Second, Grace: 200 * time.Millisecond,
			Terms:  gate.Terms{Law: gate.Repository{Secrets: true}, Stale: 200},
			Agents: map[string]agent.Setting{}, Default: "fake", Walls: "none",
		},
	}
	w.s.Head = func(ctx context.Context) (string, error) { return g.Resolve(ctx, "refs/heads/main") }
	w.append(record.Envelope{Actor: record.Actor{Kind: record.ByMint}}, record.Source{Root: w.repo.Git("rev-list", "--max-parents=0", "HEAD")})
	return w
}

// agent is what the fake agent does.
func (w *world) agent(steps ...string) {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	w.s.Settings.Agents["fake"] = agent.Setting{Adapter: "command", Run: append([]string{self, "fake-agent"}, steps...)}
}

func (w *world) append(o record.Envelope, facts ...record.Payload) {
	w.t.Helper()
	for _, f := range facts {
		e, err := record.New(f, w.clock.now(), o)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := w.log.Append(w.t.Context(), partition, record.Always(), e); err != nil {
			w.t.Fatal(err)
		}
	}
}

// task is a contract over everything but src/, with one line that is green.
func task(id string, change ...func(*contract.Contract)) contract.Contract {
	c := contract.Default()
	c.ID, c.Title, c.Intent = id, "Change a.txt", "Make it better."
	c.Scope.Allow = []string{"/*.txt", "docs/**"}
	c.Acceptance = []string{"test -f a.txt"}
	for _, f := range change {
		f(&c)
	}
	return c
}

// mint puts a contract on the board and claims it.
func (w *world) mint(c contract.Contract, rows ...record.Row) {
	w.t.Helper()
	w.append(record.Envelope{Task: c.ID, Actor: record.Actor{Kind: record.ByMint}}, record.Minted{
		Digest: c.Digest(), Contract: c.Canonical(), Owner: "you@example.com", Path: contract.PathOf(c.ID),
		Commit: w.head(), Decisions: rows,
	})
	w.take(c.ID)
}

// take claims a task, letting go of the claim before.
func (w *world) take(id string) {
	w.t.Helper()
	by := record.Actor{Kind: record.ByDispatch}
	if t := w.task(id); t.Claim != nil {
		w.append(record.Envelope{Task: id, Claim: t.Claim.ID, Actor: by}, record.Released{Why: "died"})
	}
	w.claim = rand.Text() // as a real one: it marks the processes of its run
	w.append(record.Envelope{Task: id, Claim: w.claim, Actor: by, Host: "here"}, record.Claimed{Boot: "boot", PID: 1, Start: "1", Worker: "w"})
}

func (w *world) task(id string) *board.Task {
	w.t.Helper()
	t, err := w.s.task(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

func (w *world) head() string { return w.repo.Git("rev-parse", "main") }

func (w *world) job(id string) Job {
	t := *w.task(id)
	return Job{Task: t, Head: w.head(), N: t.NextAttempt(), Mode: "first", Agent: "fake"}
}

// run makes one attempt that must not be a fault.
func (w *world) run(j Job) Result {
	w.t.Helper()
	res, err := w.s.Run(w.t.Context(), j)
	if err != nil {
		w.t.Fatalf("Run: %v", err)
	}
	return res
}

// attempt mints the ordinary task, lets the agent do its steps, and gives the result.
func (w *world) attempt(steps ...string) Result {
	w.t.Helper()
	w.agent(steps...)
	w.mint(task("T-0001"))
	return w.run(w.job("T-0001"))
}

// kinds are the kinds of the task's events, in order.
func (w *world) kinds(id string) []string {
	w.t.Helper()
	var out []string
	for e, err := range w.log.Read(w.t.Context(), partition, 1) {
		if err != nil {
			w.t.Fatal(err)
		}
		if e.Task == id {
			out = append(out, string(e.Kind))
		}
	}
	return out
}

func (w *world) finished(id string, n int) record.Finished {
	w.t.Helper()
	a := w.task(id).Attempt(n)
	if a == nil || a.Finished == nil {
		w.t.Fatalf("%s, attempt %d, has not finished", id, n)
	}
	return *a.Finished
}

func (w *world) judged(id string, n int) []board.Judging {
	w.t.Helper()
	a := w.task(id).Attempt(n)
	if a == nil {
		w.t.Fatalf("%s has no attempt %d", id, n)
	}
	return a.Judged
}

// show reads a file of a commit, "" when it is not there.
func (w *world) show(rev, path string) string {
	out, err := w.repo.Try("show", rev+":"+path)
	if err != nil {
		return ""
	}
	return out
}

func wantEnd(t *testing.T, res Result, end string) {
	t.Helper()
	if res.End != end {
		t.Fatalf("end is %q (%s), want %q", res.End, res.Why, end)
	}
}

func wantRefused(t *testing.T, res Result, check, part string) {
	t.Helper()
	if res.Judged == nil {
		t.Fatalf("it was not judged: %s %s", res.End, res.Why)
	}
	if v := res.Judged.Verdict; v.OK || v.Failed != check || !strings.Contains(v.Reason, part) {
		t.Fatalf("the verdict is %q, want a refusal by %s with %q", v, check, part)
	}
}

func wantAccepted(t *testing.T, res Result) {
	t.Helper()
	if res.Judged == nil || !res.Judged.Verdict.OK {
		t.Fatalf("end %s %s, verdict %v: want accepted", res.End, res.Why, res.Judged)
	}
}
