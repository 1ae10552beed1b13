package carrier

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// odd are texts that a careless writer or reader loses or changes.
var odd = []string{
	"$HOME: # 'one' \"two\"", "---", "yes", "1e3", "null", "~", "", " ", "2026-01-31", "0x1f", "- a", "key: value", "? x", "*a", "&a", "!x", "%d", "@x", "`x`",
	"emoji 🌱 👩‍🌾", "漢字", "e\u0301", "\u00e9", "line\r\nfeed", "a\rb", "\ufeffbom", "a\tb", "\ttab first", " blank first\nthen", "\n\nlines\n", "trailing \nblank ", "a\n\n\nb\n",
	"nul\x00", "bell\a", "\u0085nel", "\u2028sep\u2029", "\u00a0nbsp", "\U0010ffff", "...", "a\n---\nb", "a\n# no comment\n", "|", ">", "{a: b}", "[a]", "a: |\n  b\n",
}

func aLanding() Landing {
	in, out, usd := int64(12000), int64(900), 0.41
	return Landing{
		Task: "T-0007", Title: "Reject a stale proposal by name", Owner: "you@example.com", Spec: "S-0001", Attempt: 2, At: noon,
		Target: "main", Base: "9c41e07", Onto: "5d02e7c", Commit: "4e1f0aa", Tree: "77ab310", Contract: "1f3c9ab",
		Agent: Agent{Adapter: "claude", Model: "sonnet", Version: "2.1"}, Walls: "none",
		Intent: "A proposal older than the cap must say so by name.\n", Scope: Scope{Allow: []string{"law/**", "docs/**"}, Deny: []string{"docs/seeds/**"}},
		Decisions: []Decision{{ID: "S-0001/D-3", Grade: "LOCKED", Text: "A refusal names the check that made it"}},
		Entries:   []Entry{{Decision: "S-0001/D-3", Grade: "LOCKED", Claim: "kept", Evidence: "law/seam.go:42", Action: "upheld", Attempt: 2, At: noon}},
		Gate: &Gate{Asked: 6, Checks: []Answer{{"arrival", "shape", "yes", "4 changes"}, {"due", "reach", "yes", ""}},
			Acceptance: []Ran{{Line: "go test ./law/...", Seconds: 0.8, Output: "e3b0c442", Tests: 44},
				{Line: "make lint", Seconds: 2, Output: "9f86d081", Tests: -1, Flaky: true, First: "exited 2: no space left"}}},
		Spent:   Spent{Attempts: 2, Refused: 1, Seconds: new(554.0), TokensIn: &in, TokensOut: &out, USD: &usd, Source: "reported"},
		Reverts: []string{"T-0003"},
	}
}

func attested() Landing {
	return Landing{Task: "T-0008", Title: "By hand", Attempt: 0, At: noon, Target: "main", Commit: "4e1f0aa", Contract: "1f3c9ab",
		Attested: "you@example.com", Spent: Spent{Seconds: new(0.0), Source: "unknown"}}
}

func aState() State {
	return State{
		Task: "T-0007", Run: "c1", State: "running", Attempt: 2, Worktree: "/w/T-0007-2", Base: "9c41e07", PID: 41, PGID: 41,
		StartedAt: "8123", Boot: "b", Host: "here", Agent: "claude", Started: noon, Updated: noon.Add(time.Minute),
		Escalation: &Escalation{Reason: "scope", Detail: "mail/cart.go is outside scope.allow cart/**"},
		History:    []Move{{At: noon, From: "claimed", To: "running", Fact: "attempt.started"}},
	}
}

func aRow() Row {
	in := int64(12000)
	return Row{At: noon, Task: "T-0007", Attempt: 2, Base: "9c41e07", Head: "4e1f0aa", Agent: Agent{Adapter: "claude"}, Regime: "r",
		Verdict: "refused", Check: "reach", Reason: "go test ./... exited 1: <TestUnknown>", Seconds: new(61.5), TokensIn: &in, Source: "unknown"}
}

// golden compares with testdata, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not as pinned; got\n%s", name, got)
	}
}
