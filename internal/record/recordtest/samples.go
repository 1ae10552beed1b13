package recordtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"torve/internal/record"
)

// At is when everything in the samples happens.
var At = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)

// Object is an object id made of one hex digit, and Digest a SHA-256 made of one.
func Object(digit string) string { return strings.Repeat(digit, 40) }

// Digest is a SHA-256 made of one hex digit.
func Digest(digit string) string { return strings.Repeat(digit, 64) }

// Samples is one whole event of each kind, in the order of record.Kinds, with every
// field filled in.
func Samples(t testing.TB) []record.Event {
	t.Helper()
	var all []record.Event
	for i, s := range samples() {
		s.about.ID = fmt.Sprintf("E-%02d", i+1)
		e, err := record.New(s.payload, At, s.about)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

type sample struct {
	payload record.Payload
	about   record.Envelope
}

func by(actor string, attempt int, claim string) record.Envelope {
	return record.Envelope{
		Task: "T-0001", Attempt: attempt, Claim: claim, Host: "here",
		Actor: record.Actor{Kind: actor, ID: "someone"},
	}
}

func samples() []sample {
	return append(asked(), append(attempted(), decided()...)...)
}

var row = record.Row{
	ID: "S-0001/D-3", Grade: "LOCKED", Text: "A refusal names its check", Paths: []string{"law/**"}, Check: "make d3",
}

var contract = json.RawMessage(`{"schema":"torve/contract/v1","id":"T-0001","title":"Answer <404> & go"}`)

func asked() []sample {
	corpus := record.Envelope{Actor: record.Actor{Kind: record.ByMint, ID: "someone"}, Host: "here", Cause: "E-00"}
	return []sample{
		{record.Source{Path: "specs/S-0001-law.md", Blob: Object("b"), Commit: Object("c"), Root: Object("0")}, corpus},
		{record.Decision{ID: row.ID, Grade: row.Grade, Text: row.Text, Paths: row.Paths, Check: row.Check, Blob: Object("b")}, corpus},
		{record.Minted{Digest: Digest("1"), Contract: contract, Owner: "someone@example.com",
			Path: ".torve/tasks/T-0001/contract.yaml", Blob: Object("b"), Commit: Object("c"), Decisions: []record.Row{row}}, by(record.ByMint, 0, "")},
		{record.Reminted{Digest: Digest("2"), Contract: contract, Owner: "someone@example.com",
			Path: ".torve/tasks/T-0001/contract.yaml", Blob: Object("d"), Commit: Object("e"), Decisions: []record.Row{row},
			Was: Digest("1"), Changed: []string{"scope"}}, by(record.ByMint, 0, "")},
		{record.Withdrawn{Commit: Object("f"), Why: "the contract is gone from main"}, by(record.ByMint, 0, "")},
		{record.Claimed{Boot: "3b1f", PID: 4210, Start: "99817", Worker: "w1"}, by(record.ByDispatch, 0, "C-1")},
		{record.Released{Why: "waiting", NotBefore: At.Add(time.Hour)}, by(record.ByDispatch, 0, "C-1")},
	}
}

func attempted() []sample {
	in, out, usd := int64(1200), int64(340), 0.41
	agent := record.Agent{Adapter: "claude", Model: "sonnet", Version: "2.1"}
	spent := record.Usage{TokensIn: &in, TokensOut: &out, USD: &usd, Source: "reported"}
	return []sample{
		{record.Started{Mode: "repair", Agent: agent, Base: Object("a"), From: Object("9"), Worktree: "/state/T-0001-2",
			Clone: "/shop/.git", Walls: "none", Contract: Digest("1"), Prompt: Digest("5")}, by(record.ByAttempt, 2, "C-1")},
		{record.Finished{End: "time", Exit: -1, Seconds: new(240.5), Base: Object("a"), Head: Object("8"), Tree: Object("7"),
			Ref: "refs/torve/attempts/T-0001/2", Changes: 4, Lines: 131, Usage: spent, Agent: agent, Regime: Digest("6"),
			Why: "did not end within 30m", Summary: "four files", Output: Digest("4")}, by(record.ByAttempt, 2, "C-1")},
		{Proposed(Refused("arrival", "reach", "go test ./... exited 1: TestUnknown"), "T-0001"), by(record.ByAttempt, 2, "C-1")},
		{record.Divergence{Decision: "S-0001/D-3", Grade: "LOCKED", Claim: "kept", Evidence: "law/seam.go:42", Action: "upheld",
			Why: "it was easy", Proposal: "say so"}, by(record.ByAgent, 2, "C-1")},
		{record.Review{Of: 2, Verdict: "refused", Findings: 3, Blockers: 1}, by(record.ByReview, 3, "C-1")},
		{record.Blocker{Path: "law/seam.go", Line: 42, Severity: "major", Claim: "it drops the reason"}, by(record.ByReview, 3, "C-1")},
	}
}

func decided() []sample {
	usd := 0.02
	return []sample{
		{record.Proposed{Branch: "torve/T-0001", SHA: Object("8"), URL: "https://example.com/1"}, by(record.ByLanding, 2, "C-1")},
		{record.Landed{Path: ".torve/specs/S-0001/execution/T-0001-2-20260131T100000Z.yaml", Target: "main", Base: Object("a"),
			Onto: Object("d"), Commit: Object("8"), Head: Object("e"), Tree: Object("7"), Contract: Digest("1"),
			Reverts: []string{"T-0000"}, Attested: "someone", Observed: true}, by(record.ByLanding, 2, "C-1")},
		{record.Escalation{Reason: "scope", Check: "law", Detail: "mail/cart.go is outside scope.allow cart/**",
			Paths: []string{"mail/cart.go"}}, by(record.ByDispatch, 2, "C-1")},
		{record.Resolved{Answer: "requeued", Mode: "ask", Note: "widened"}, by(record.ByPerson, 0, "")},
		{record.Message{To: "someone", Text: "look at the mailer"}, by(record.ByAgent, 2, "C-1")},
		{record.Spend{Usage: record.Usage{USD: &usd, Source: "estimated"}, What: "a title"}, by(record.ByAttempt, 2, "C-1")},
	}
}

// Accepted is a whole yes at a moment.
func Accepted(moment string) record.Judged {
	return record.Judged{
		Moment: moment, Tree: Object("7"), Head: Object("d"), Contract: Digest("1"),
		Verdict: "accepted", Checks: answers(""), Acceptance: []record.Ran{},
	}
}

// Refused is a no by one check at a moment.
func Refused(moment, check, reason string) record.Judged {
	j := Accepted(moment)
	j.Verdict, j.Check, j.Reason, j.Checks = "refused", check, reason, answers(check)
	j.Conflicts = []string{"go.mod"}
	j.Acceptance = []record.Ran{{
		Line: "go vet ./...", Seconds: 2.5, Output: Digest("4"), Tests: -1, Tree: Object("7"), Flaky: true, First: "exited 1: no space left",
	}, {
		Line: "go test ./...", Seconds: 19.5, Exit: 1, Output: Digest("3"), Last: "FAIL", Tests: 12,
		Why: "exited 1", Tree: Object("7"), Again: true,
	}}
	return j
}

// answers says yes up to the check that refuses, and asks no further.
func answers(refuses string) []record.Answer {
	var all []record.Answer
	said := "yes"
	for _, c := range record.Checks {
		a := record.Answer{Check: c, Said: said, Note: "as seen"}
		if c == refuses {
			a.Said, said = "no", "-"
		}
		all = append(all, a)
	}
	return all
}
