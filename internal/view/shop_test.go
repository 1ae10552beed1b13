package view_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/board"
	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git"
	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/sqlite"
	"torve/internal/truth"
	"torve/internal/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

const partition record.Partition = "acme/shop"

var (
	cet  = time.FixedZone("CET", 3600)
	now  = time.Date(2026, 12, 3, 8, 0, 0, 0, time.UTC)
	eve  = time.Date(2026, 12, 2, 20, 40, 0, 0, time.UTC) // when the contracts were minted
	wide = view.Style{Width: 80, Zone: cet}
)

const law = `---
id: S-0001
title: The law
status: accepted
---

## Decisions

| Id | Grade | Decision | Paths | Check |
|---|---|---|---|---|
| D-3 | LOCKED | A refusal names the check that made it | law/** | |
| D-2 | ASSUMED | Two hundred ticks is long enough | law/** | |
`

var rows = []record.Row{
	{ID: "S-0001/D-3", Grade: "LOCKED", Text: "A refusal names the check that made it", Paths: []string{"law/**"}},
	{ID: "S-0001/D-2", Grade: "ASSUMED", Text: "Two hundred ticks is long enough", Paths: []string{"law/**"}},
}

// shop is a scratch repository with a record, and a clock for its events.
type shop struct {
	*gittest.Repo
	t    testing.TB
	repo *git.Repo
	log  record.Log
	at   time.Time
	base string
	file string // of the record
}

func open(t testing.TB) *shop {
	t.Helper()
	s := &shop{Repo: gittest.New(t), t: t, at: eve}
	s.clock(eve.Add(-24 * time.Hour))
	s.Write("specs/S-0001-law.md", law)
	s.Write("law/seam.go", "package law\n\nfunc Refused() string { return \"freshness\" }\n")
	s.Write("README.md", "shop\n")
	s.base = s.Commit("Begin")
	s.opened(filepath.Join(t.TempDir(), "record.db"))
	s.fact("", 0, "", record.ByMint, record.Source{Root: s.base})
	return s
}

// opened opens the repository and its record, which must hold when the test is over.
func (s *shop) opened(file string) {
	s.t.Helper()
	s.file = file
	var err error
	if s.repo, err = git.Open(s.t.Context(), s.Dir); err != nil {
		s.t.Fatal(err)
	}
	if s.log, err = sqlite.Open(s.t.Context(), file); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := s.log.Check(context.Background(), partition); err != nil {
			s.t.Errorf("the record does not hold: %v", err)
		}
		s.log.Close()
		s.repo.Close()
	})
}

// nights is where the one night that most tests read is kept, made by the first
// that asks for it; each test has a copy of its own.
var nights string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "view")
	if err != nil {
		panic(err)
	}
	nights = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// night is the shop after one night: landed, refused, exhausted, running and waiting.
func night(t testing.TB) *shop {
	t.Helper()
	shopDir, recordDir := filepath.Join(nights, "shop"), filepath.Join(nights, "record")
	if _, err := os.Stat(shopDir); err != nil {
		made := open(t)
		story(made)
		made.log.Close()
		copied(t, made.Dir, shopDir)
		copied(t, filepath.Dir(made.file), recordDir)
		if made.log, err = sqlite.Open(t.Context(), made.file); err != nil {
			t.Fatal(err)
		}
		made.clock(now)
		return made
	}
	gittest.Home(t)
	s := &shop{Repo: gittest.At(t, t.TempDir()), t: t}
	copied(t, shopDir, s.Dir)
	records := t.TempDir()
	copied(t, recordDir, records)
	s.clock(now)
	s.base = s.Git("rev-list", "--max-parents=0", "HEAD")
	s.opened(filepath.Join(records, "record.db"))
	return s
}

func copied(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// clock fixes the dates of the commits that follow, so that their ids never change.
func (s *shop) clock(at time.Time) {
	s.at = at
	for _, name := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		s.t.(interface{ Setenv(string, string) }).Setenv(name, at.Format(time.RFC3339))
	}
}

// fact appends one event; a minute passes with each.
func (s *shop) fact(task string, attempt int, claim, by string, p record.Payload) {
	s.t.Helper()
	e, err := record.New(p, s.at, record.Envelope{Task: task, Attempt: attempt, Claim: claim, Host: "here", Actor: record.Actor{Kind: by, ID: "Ada"}})
	if err != nil {
		s.t.Fatalf("%s of %s: %v", p.Kind(), task, err)
	}
	if _, err := s.log.Append(s.t.Context(), partition, record.Always(), e); err != nil {
		s.t.Fatal(err)
	}
	s.at = s.at.Add(time.Minute)
}

func asked(id, title string, change ...func(*contract.Contract)) contract.Contract {
	c := contract.Default()
	c.ID, c.Title, c.Owner = id, title, "Ada"
	c.Intent = "A proposal older than the cap must say so by name, so that an operator does not read it as a reach fault.\n"
	c.Scope.Allow = []string{strings.ToLower(id) + "/**"}
	c.Acceptance = []string{"go test ./law/..."}
	for _, f := range change {
		f(&c)
	}
	return c
}

// contract writes and commits a contract.
func (s *shop) contract(c contract.Contract) {
	s.Write(contract.PathOf(c.ID), string(contract.Render(c)))
	s.Commit("Ask for " + c.ID)
}

// mint commits a contract and brings it into force.
func (s *shop) mint(c contract.Contract, rows ...record.Row) contract.Contract {
	s.t.Helper()
	s.contract(c)
	s.minted(c, rows...)
	return c
}

func (s *shop) minted(c contract.Contract, rows ...record.Row) {
	s.t.Helper()
	path := contract.PathOf(c.ID)
	s.fact(c.ID, 0, "", record.ByMint, record.Minted{Digest: c.Digest(), Contract: c.Canonical(), Owner: c.Owner, Path: path,
		Blob: s.Git("rev-parse", "HEAD:"+path), Commit: s.Git("rev-parse", "HEAD"), Decisions: rows})
}

func claimOf(task string, n int) string { return fmt.Sprintf("%s-claim-%d", task, n) }

func (s *shop) start(task string, n int, mode string) {
	s.t.Helper()
	s.fact(task, 0, claimOf(task, n), record.ByDispatch, record.Claimed{Boot: "boot", PID: 7, Start: "1", Worker: "1"})
	from := ""
	if mode == "repair" {
		from = s.Git("rev-parse", fmt.Sprintf("refs/torve/attempts/%s/%d", task, n-1))
	}
	s.fact(task, n, claimOf(task, n), record.ByAttempt, record.Started{Mode: mode, From: from, Agent: record.Agent{Adapter: "claude", Model: "sonnet", Version: "2.1"},
		Base: s.base, Worktree: "/state/" + task, Walls: "none", Contract: strings.Repeat("1f", 32), Prompt: strings.Repeat("0", 64)})
}

func dollars(v float64) record.Usage { return record.Usage{USD: &v, Source: "reported"} }

func (s *shop) finish(task string, n int, seconds float64, u record.Usage) {
	s.t.Helper()
	ref := fmt.Sprintf("refs/torve/attempts/%s/%d", task, n)
	tree := s.Git("rev-parse", "HEAD^{tree}")
	head := s.Git("commit-tree", "-p", s.base, "-m", "Keep "+task, tree)
	s.Git("update-ref", ref, head)
	s.at = s.at.Add(time.Duration(seconds) * time.Second)
	s.fact(task, n, claimOf(task, n), record.ByAttempt, record.Finished{End: "done", Seconds: &seconds, Base: s.base, Head: head, Tree: tree, Ref: ref,
		Changes: 4, Lines: 131, Usage: u, Agent: record.Agent{Adapter: "claude", Model: "sonnet", Version: "2.1"}, Regime: strings.Repeat("a", 64)})
}

var notes = []string{"4 changes", "3 modify, 1 add; 131 lines", "all in the tree it was given", "scope, protected paths, secrets, tests, D-3, D-2",
	"go test ./law/... 0.8 s, 44 tests", "2 commits touched its scope since, the cap is 200"}

// judge records an arrival or a due; refusing "" accepts.
func (s *shop) judge(task string, n int, moment, refusing, reason string) record.Judged {
	s.t.Helper()
	j := record.Judged{Moment: moment, Tree: s.Git("rev-parse", "HEAD^{tree}"), Head: s.Git("rev-parse", "HEAD"), Contract: strings.Repeat("1f", 32),
		Verdict: "accepted", Check: refusing, Reason: reason}
	said := "yes"
	for i, check := range []string{"shape", "verb", "grounding", "law", "reach", "freshness"} {
		a := record.Answer{Check: check, Said: said, Note: notes[i]}
		switch {
		case moment == "due" && i < 4:
			a.Said, a.Note = "-", "answered on arrival"
		case said == "-":
			a.Note = "not asked"
		case check == refusing:
			a.Said, a.Note, said, j.Verdict = "no", reason, "-", "refused"
		}
		j.Checks = append(j.Checks, a)
	}
	if j.Verdict == "accepted" {
		j.Acceptance = []record.Ran{{Line: "go test ./law/...", Seconds: 0.8, Output: strings.Repeat("0", 64), Last: "ok", Tests: 44, Tree: j.Tree}}
	}
	s.fact(task, n, claimOf(task, n), stationOf(moment), j)
	return j
}

func stationOf(moment string) string {
	if moment == "due" {
		return record.ByLanding
	}
	return record.ByAttempt
}

func (s *shop) escalate(task string, n int, e record.Escalation) {
	s.t.Helper()
	s.fact(task, n, claimOf(task, n), record.ByDispatch, e)
	s.release(task, n, "escalated")
}

func (s *shop) release(task string, n int, why string) {
	s.t.Helper()
	s.fact(task, 0, claimOf(task, n), record.ByDispatch, record.Released{Why: why})
}

// land commits work, its landing file and the merge of both, and records them.
func (s *shop) land(c contract.Contract, n int, due record.Judged, path, text string) {
	s.t.Helper()
	s.clock(s.at)
	onto := s.Git("rev-parse", "HEAD")
	s.Git("checkout", "-q", "--detach", s.base)
	s.Write(path, text)
	work := s.Commit(fmt.Sprintf("%s\n\nTorve-Task: %s\nTorve-Attempt: %d\nTorve-Agent: claude\nTorve-Contract: %s", c.Title, c.ID, n, c.Digest()))
	b, err := board.Fold(s.log.Read(s.t.Context(), partition, 1))
	if err != nil {
		s.t.Fatal(err)
	}
	task := b.Tasks[c.ID]
	l := truth.LandingOf(task, *task.Attempt(n), truth.Facts{At: s.at, Target: "main", Onto: onto, Work: work, Tree: due.Tree, Due: &due})
	file := carrier.LandingPath(c.ID, c.Spec, n, l.At)
	data, err := carrier.WriteLanding(l)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Write(file, string(data))
	tip := s.Commit("Land " + c.ID)
	s.Git("checkout", "-q", "main")
	s.Git("merge", "-q", "--no-ff", "-m", "Merge "+c.ID, tip)
	head := s.Git("rev-parse", "HEAD")
	s.fact(c.ID, n, claimOf(c.ID, n), record.ByLanding, record.Landed{Path: file, Target: "main", Base: s.base, Onto: onto, Commit: work, Head: head,
		Tree: due.Tree, Contract: c.Digest()})
	s.release(c.ID, n, "landed")
}

// gather reads the carriers: with the record, or as a clone that has none.
func (s *shop) gather(dir string, log record.Log) (*truth.Reading, view.Options) {
	s.t.Helper()
	repo, err := git.Open(s.t.Context(), dir)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { repo.Close() })
	head, err := repo.Resolve(s.t.Context(), "refs/heads/main")
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := truth.Gather(s.t.Context(), truth.Sources{Repo: repo, Target: "main", Head: head, Log: log, Partition: partition, WorkTree: dir})
	if err != nil {
		s.t.Fatal(err)
	}
	return r, view.Options{Repo: repo, Now: now, Name: "shop",
		Source: view.From{Partition: string(partition), NamedBy: "config.yaml", Store: "embedded"}}
}

func (s *shop) here() (*truth.Reading, view.Options) {
	s.t.Helper()
	return s.gather(s.Dir, s.log)
}

// clone is a fresh clone: no record, no kept refs, no state.
func (s *shop) clone() (*truth.Reading, view.Options) {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "fresh")
	s.Git("clone", "-q", s.Dir, dir)
	return s.gather(dir, nil)
}

func text(t testing.TB, of func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := of(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares a screen with its file and asks that no line is too wide but
// for a command.
func golden(t testing.TB, name, got string) {
	t.Helper()
	for l := range strings.Lines(got) {
		if n := len([]rune(strings.TrimRight(l, "\n"))); n > 80 && !strings.Contains(l, "→") && !strings.Contains(l, "torve ") && !strings.Contains(l, "-> ") {
			t.Errorf("%s: %d columns: %s", name, n, l)
		}
		if strings.TrimRight(l, " \n") != strings.TrimRight(l, "\n") {
			t.Errorf("%s: blanks at the end of %q", name, l)
		}
	}
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from its golden file (-update writes it)\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// attest lands what a person did by hand: the landing file alone.
func (s *shop) attest(t *board.Task, sha string) {
	s.t.Helper()
	s.clock(s.at)
	l := truth.LandingOf(t, board.Attempt{}, truth.Facts{At: s.at, Target: "main", Onto: sha, Work: sha, Attested: "Ada"})
	data, err := carrier.WriteLanding(l)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Write(carrier.LandingPath(t.ID, "", 0, l.At), string(data))
	s.Commit("Attest " + t.ID)
}

// taskID is the n-th task's id.
func taskID(n int) string { return fmt.Sprintf("T-%04d", n) }

// judged records one more arrival, accepted, and what change makes of it.
func (s *shop) judged(task string, n int, change func(*record.Judged)) {
	s.t.Helper()
	j := record.Judged{Moment: "arrival", Tree: s.Git("rev-parse", "HEAD^{tree}"), Head: s.Git("rev-parse", "HEAD"), Contract: strings.Repeat("1f", 32), Verdict: "accepted"}
	for i, check := range record.Checks {
		j.Checks = append(j.Checks, record.Answer{Check: check, Said: "yes", Note: notes[i]})
	}
	j.Acceptance = []record.Ran{{Line: "go test ./law/...", Seconds: 0.8, Output: strings.Repeat("0", 64), Last: "ok", Tests: 44, Tree: j.Tree}}
	change(&j)
	s.fact(task, n, claimOf(task, n), record.ByAttempt, j)
}

// pinned compares a document with its golden file, under its own name.
func pinned(t testing.TB, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from its golden file (-update writes it)\ngot:\n%s", name, got)
	}
}
