package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/carrier"
	"torve/internal/contract"
	"torve/internal/git/gittest"
	"torve/internal/record"
	"torve/internal/record/recordtest"
	"torve/internal/record/sqlite"
)

const partition record.Partition = "acme/shop"

// begin is when the first task of a history is minted; each follows a minute later.
var begin = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)

// history is a repository with a long past, of the sizes that are asked for.
type history struct {
	tasks  int // contracts, and minted where there is a record
	landed int // the first so many of the tasks, with a landing file each
	record bool
}

// place is where a history was written.
type place struct {
	*gittest.Repo
	head   string
	events int
}

func id(i int) string { return fmt.Sprintf("T-%05d", i+1) }

func at(i int) time.Time { return begin.Add(time.Duration(i) * time.Minute) }

func contractText(i int) string {
	return fmt.Sprintf(`schema: torve/contract/v1
id: %s
title: Answer request %d by name and not by number
owner: someone@example.com
intent: |
  Whoever asks for request %d gets a number back, which nobody can read. Answer
  with its name, as the other pages do, and keep the number in the log.
scope:
  allow: ["shop/p%04d/**"]
acceptance:
  - go test ./shop/p%04d/...
budget: {attempts: 3, minutes: 30, usd: 5}
`, id(i), i, i, i, i)
}

// object is an object id of its own for each number.
func object(i, of int) string { return fmt.Sprintf("%02x%038x", of, i+1) }

func digestOf(i int) string { return fmt.Sprintf("%064x", i+1) }

func landingOf(i int) carrier.Landing {
	usd, seconds := 0.41, 240.5
	in, out := int64(51_200), int64(3_400)
	l := carrier.Landing{
		Task: id(i), Title: fmt.Sprintf("Answer request %d by name and not by number", i), Owner: "someone@example.com",
		Attempt: 1, At: at(i).Add(30 * time.Second), Target: "main", Base: object(i, 1), Onto: object(i, 2), Commit: object(i, 3), Tree: object(i, 4),
		Contract: digestOf(i), Agent: carrier.Agent{Adapter: "claude", Model: "sonnet"}, Walls: "none",
		Intent:    "Whoever asks gets a number back, which nobody can read. Answer with its name.",
		Scope:     carrier.Scope{Allow: []string{fmt.Sprintf("shop/p%04d/**", i)}},
		Decisions: []carrier.Decision{{ID: "S-0001/D-1", Grade: "LOCKED", Text: "A refusal names its check"}},
		Gate:      &carrier.Gate{Asked: 6, Acceptance: []carrier.Ran{{Line: "go test ./...", Seconds: 19.5, Output: digestOf(i), Tests: 12}}},
		Spent:     carrier.Spent{Attempts: 1, Seconds: &seconds, TokensIn: &in, TokensOut: &out, USD: &usd, Source: "reported"},
	}
	for _, check := range record.Checks {
		l.Gate.Checks = append(l.Gate.Checks, carrier.Answer{Moment: "arrival", Check: check, Said: "yes"})
	}
	return l
}

// write makes the repository: the contracts in one commit, and the landings in a hundred.
func (h history) write(b testing.TB) place {
	b.Helper()
	p := place{Repo: gittest.New(b)}
	var s bytes.Buffer
	commit := func(n int, message string) {
		fmt.Fprintf(&s, "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\n", at(n).Unix(), len(message), message)
	}
	file := func(path, text string) {
		fmt.Fprintf(&s, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	}
	commit(0, "Ask")
	file(".torve/config.yaml", "schema: torve/config/v1\ntarget: main\nrecord: {partition: "+string(partition)+"}\nagent: {default: mine}\nagents: {mine: {adapter: command, run: [\"true\"]}}\n")
	file(".torve/.gitignore", "telemetry.jsonl\nschemas/\n")
	file("README.md", "A shop.\n")
	for i := range h.tasks {
		file(contract.PathOf(id(i)), contractText(i))
	}
	for i := range h.landed {
		if i%max(1, h.landed/100) == 0 {
			commit(i, "Land")
		}
		l := landingOf(i)
		data, err := carrier.WriteLanding(l)
		must(b, err)
		file(carrier.LandingPath(l.Task, "", 1, l.At), string(data))
	}
	cmd := exec.Command("git", "fast-import", "--quiet", "--date-format=raw")
	cmd.Dir, cmd.Stdin = p.Dir, &s
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	p.Git("reset", "-q", "--hard", "main")
	p.head = p.Git("rev-parse", "HEAD")
	if h.record {
		p.events = h.recorded(b, p)
	}
	return p
}

// recorded writes the record of it, ten events for a task that landed and three for one
// that has not.
func (h history) recorded(b testing.TB, p place) int {
	b.Helper()
	log, err := sqlite.Open(b.Context(), filepath.Join(p.Dir, ".git", "torve", "record.db"))
	must(b, err)
	defer log.Close()
	n := 0
	var batch []record.Event
	flush := func() {
		_, err := log.Append(context.Background(), partition, record.Always(), batch...)
		must(b, err)
		n, batch = n+len(batch), batch[:0]
	}
	root := strings.TrimSpace(p.Git("rev-list", "--max-parents=0", "HEAD"))
	batch = append(batch, event(b, 0, "", 0, "", record.ByMint, record.Source{Root: root}))
	for i := range h.tasks {
		batch = append(batch, h.eventsOf(b, p, i)...)
		if len(batch) > 2000 {
			flush()
		}
	}
	flush()
	return n
}

func event(b testing.TB, i int, task string, attempt int, claim, by string, payload record.Payload) record.Event {
	b.Helper()
	e, err := record.New(payload, at(i), record.Envelope{
		Task: task, Attempt: attempt, Claim: claim, Host: "here", Actor: record.Actor{Kind: by, ID: "someone"},
	})
	must(b, err)
	return e
}

// eventsOf are a task's: it is refused once, tried again and landed; a person answers it in between.
func (h history) eventsOf(b testing.TB, p place, i int) []record.Event {
	task, claim := id(i), "C-"+id(i)
	path := contract.PathOf(task)
	c, err := contract.Parse(path, []byte(contractText(i)))
	must(b, err)
	agent := record.Agent{Adapter: "claude", Model: "sonnet"}
	usd, seconds := 0.41, 240.5
	in, out := int64(51_200), int64(3_400)
	add := func(attempt int, claim, by string, p record.Payload) record.Event {
		return event(b, i, task, attempt, claim, by, p)
	}
	minted := add(0, "", record.ByMint, record.Minted{Digest: c.Digest(), Contract: json.RawMessage(c.Canonical()), Owner: c.Owner, Path: path,
		Blob: blobOf(contractText(i)), Commit: p.head, Decisions: []record.Row{}})
	if i >= h.landed {
		return []record.Event{minted}
	}
	judged := func(moment string) record.Judged {
		j := recordtest.Accepted(moment)
		j.Acceptance = []record.Ran{{Line: "go test ./...", Seconds: 19.5, Output: digestOf(i), Last: "ok", Tests: 12, Tree: object(i, 4)}}
		return j
	}
	l := landingOf(i)
	finished := record.Finished{End: "done", Seconds: &seconds, Base: object(i, 1), Head: object(i, 5), Tree: object(i, 4),
		Ref: fmt.Sprintf("refs/torve/attempts/%s/1", task), Changes: 3, Lines: 40, Agent: agent, Regime: digestOf(i),
		Usage: record.Usage{TokensIn: &in, TokensOut: &out, USD: &usd, Source: "reported"}, Summary: "answered by name"}
	return []record.Event{
		minted,
		add(0, claim, record.ByDispatch, record.Claimed{Boot: "b", PID: 7, Start: "1", Worker: "w1"}),
		add(1, claim, record.ByAttempt, record.Started{Mode: "first", Agent: agent, Base: object(i, 1), Worktree: "/state/" + task + "-1", Walls: "none",
			Contract: c.Digest(), Prompt: digestOf(i)}),
		add(1, claim, record.ByAgent, record.Divergence{Decision: "unlisted", Claim: "numbers are logged", Evidence: "shop/log.go:4", Action: "decided",
			Why: "nothing else says it", Proposal: "say so"}),
		add(1, claim, record.ByAttempt, finished),
		add(1, claim, record.ByAttempt, judged("arrival")),
		add(0, "", record.ByPerson, record.Message{Text: "this one first, please"}),
		add(1, claim, record.ByLanding, judged("due")),
		add(1, claim, record.ByLanding, record.Landed{Path: carrier.LandingPath(task, "", 1, l.At), Target: "main", Base: l.Base, Onto: l.Onto,
			Commit: l.Commit, Head: object(i, 6), Tree: l.Tree, Contract: c.Digest(), Reverts: []string{}}),
		add(0, claim, record.ByDispatch, record.Released{Why: "landed"}),
	}
}

func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
