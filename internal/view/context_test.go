package view_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"torve/internal/carrier"
	"torve/internal/record"
	"torve/internal/truth"
	"torve/internal/view"
)

func planned(t testing.TB, r *truth.Reading, o view.Options) view.ContextAnswer {
	t.Helper()
	a, err := view.Context(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ledgers writes a ledger of findings and one of feedback, and names them.
func ledgers(t testing.TB, o view.Options) view.Options {
	t.Helper()
	dir := t.TempDir()
	o.Findings, o.Feedback = filepath.Join(dir, "findings.jsonl"), filepath.Join(dir, "feedback.jsonl")
	var first carrier.Finding
	for i, f := range []carrier.Finding{
		{Task: "T-0001", Attempt: 2, Severity: "minor", Claim: "the comment says what the line says"},
		{Task: "T-0001", Attempt: 2, Severity: "major", Path: "law/seam.go", Line: 4, Claim: "the refusal loses its check when the list of proposals is empty, and nobody is told"},
		{Task: "T-0004", Severity: "blocker", Path: "mail/cart.go", Claim: "the mail names a Basket"},
	} {
		f.At, f.By, f.State = eve.Add(time.Duration(i)*time.Hour), "ada@example.com", carrier.FindingOpen
		f.ID = carrier.FindingID(f)
		if i == 0 {
			first = f
		}
		if err := carrier.AppendFinding(o.Findings, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := carrier.AppendFinding(o.Findings, carrier.Finding{At: now, ID: first.ID, Task: first.Task, By: "bo@example.com", State: carrier.FindingDismissed, Why: "it says why"}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []carrier.Feedback{
		{At: eve, Task: "T-0001", Minutes: new(12.0), By: "ada@example.com"},
		{At: now, Task: "T-0004", Rework: true, Note: "the scope is too narrow for what is asked", By: "ada@example.com"},
	} {
		if err := carrier.AppendFeedback(o.Feedback, f); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func both(t testing.TB, name string, a view.ContextAnswer) string {
	t.Helper()
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	golden(t, "context-"+name, out)
	return out
}

func TestTheContextIsWhatAPlannerShouldKnow(t *testing.T) {
	s := night(t)
	r, o := s.here()
	o = ledgers(t, o)
	a := planned(t, r, o)
	both(t, "night", a)
	var md bytes.Buffer
	if err := a.Markdown(&md, wide); err != nil {
		t.Fatal(err)
	}
	pinned(t, "context-night.md", md.String())
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	pinned(t, "context-night.json", string(data)+"\n")
	for block, want := range map[string]struct {
		carrier string
		rows    int
	}{
		"tasks": {"record", len(r.Tasks())}, "escalations": {"record", 2}, "divergences": {"record", 1}, "findings": {"files", 4}, "gates": {"record", 7},
		"spend": {"record", 7}, "decisions": {"git", 2}, "landings": {"git", 1}, "feedback": {"files", 2}, "telemetry": {"files", 0},
	} {
		if got := a.Sources[block]; got.Carrier != want.carrier || got.Rows != want.rows {
			t.Errorf("%s is from %+v, want %+v", block, got, want)
		}
	}
	for what, holds := range map[string]bool{
		"escalations, oldest first": len(a.Escalations) == 2 && a.Escalations[0].Task == "T-0004" && a.Escalations[0].Next == "torve widen T-0004 mail/cart.go",
		"the proposal":              a.Divergences[0].Decision == "S-0001/D-2" && a.Divergences[0].Proposal == "raise the limit to 300",
		"findings, gravest first":   len(a.Findings) == 2 && a.Findings[0].Severity == "blocker" && a.Findings[1].Line == 4,
		"decisions in force":        a.Decisions[0].ID == "S-0001/D-3" && a.Decisions[0].File == "specs/S-0001-law.md",
		"the landing":               len(a.Landings) == 1 && a.Landings[0].Task == "T-0001" && len(a.Landings[0].Commit) == 40,
		"minutes":                   *a.Feedback.Minutes == 12 && a.Feedback.Unsaid == 1 && a.Feedback.Rework == 1,
	} {
		if !holds {
			t.Errorf("%s: %+v", what, a)
		}
	}
}

func TestAFreshClonesContextSaysWhatNothingHereHolds(t *testing.T) {
	s := night(t)
	r, o := s.clone()
	a := planned(t, r, o)
	out := both(t, "clone", a)
	if a.Sources["escalations"].Carrier != "none" || a.Sources["divergences"].Carrier != "git" || a.Sources["spend"].Carrier != "git" || a.Sources["gates"].Carrier != "git" {
		t.Errorf("sources %+v", a.Sources)
	}
	if len(a.Divergences) != 1 || len(a.Spend) != 1 || a.Spend[0].Regime != "" {
		t.Errorf("divergences %+v, spend %+v", a.Divergences, a.Spend)
	}
	if !strings.Contains(out, "Nothing here tells of escalations") {
		t.Errorf("it does not say what is not known:\n%s", out)
	}
	empty := open(t)
	r, o = empty.clone()
	a = planned(t, r, o)
	both(t, "empty", a)
	for _, block := range []string{"escalations", "divergences", "gates", "flaky", "spend"} {
		if a.Sources[block].Carrier != "none" {
			t.Errorf("%s is from %+v", block, a.Sources[block])
		}
	}
	data, err := json.Marshal(a)
	if rest := strings.NewReplacer(`"unrecorded":null`, "", `"minutes":null`, "").Replace(string(data)); err != nil || strings.Contains(rest, ":null") {
		t.Errorf("a list is null: %s, %v", data, err)
	}
}

func TestTheContextTellsFlakyLinesAndARegimeALine(t *testing.T) {
	s := market(t)
	s.judged("T-0003", 1, func(j *record.Judged) {
		j.Acceptance[0].Flaky, j.Acceptance[0].First = true, "exited 1: TestRace"
	})
	r, o := s.here()
	a := planned(t, r, o)
	out := both(t, "market", a)
	if len(a.Flaky) != 1 || a.Flaky[0].Task != "T-0003" || a.Flaky[0].Times != 1 || a.Flaky[0].First != "exited 1: TestRace" {
		t.Errorf("flaky %+v", a.Flaky)
	}
	if len(a.Spend) != 4 || !strings.Contains(out, "total over 4 regimes") {
		t.Errorf("spend %+v\n%s", a.Spend, out)
	}
	for _, row := range a.Spend {
		if (row.USD == nil) != (row.USDSource == "unknown") || row.Unknown > 0 && row.USD != nil {
			t.Errorf("%s: usd %v, %s, %d unknown", row.Regime[:7], row.USD, row.USDSource, row.Unknown)
		}
	}
	o.Since = time.Date(2026, 12, 3, 0, 30, 0, 0, time.UTC)
	a = planned(t, r, o)
	if len(a.Spend) != 2 || a.Sources["gates"].Rows != 4 {
		t.Errorf("since half past: spend %+v, gates %+v", a.Spend, a.Sources["gates"])
	}
}

func TestTheContextCutsWhatAPageDoesNotHoldAndTheDocumentNever(t *testing.T) {
	s := open(t)
	for n := range 30 {
		s.mint(asked(taskID(n+1), "Do the thing that is asked of this one"))
	}
	r, o := s.here()
	a := planned(t, r, o)
	out := text(t, func(b *bytes.Buffer) error { return a.Text(b, wide) })
	if !strings.Contains(out, "and 18 more: torve status --all") || strings.Contains(out, "T-0013") || len(a.Tasks.Open) != 30 {
		t.Errorf("%d open\n%s", len(a.Tasks.Open), out)
	}
	o.All = true
	if out := text(t, func(b *bytes.Buffer) error { return planned(t, r, o).Text(b, wide) }); !strings.Contains(out, "T-0030") {
		t.Errorf("--all leaves out some:\n%s", out)
	}
}

func TestNothingInAPromptIsMarkdownByAccident(t *testing.T) {
	s := open(t)
	s.mint(asked("T-0001", "Make `a|b` <b>bold</b> [x](y) *now*\n# and"))
	r, o := s.here()
	var md bytes.Buffer
	if err := planned(t, r, o).Markdown(&md, wide); err != nil {
		t.Fatal(err)
	}
	if want := "- **T-0001** Make \\`a\\|b\\` \\<b>bold\\</b> \\[x](y) \\*now\\* # and"; !strings.Contains(md.String(), want) {
		t.Errorf("%s", md.String())
	}
}
